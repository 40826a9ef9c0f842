"""What `hooks install` created for an agent besides its entries, so that uninstall leaves no trace:
files, folders, and objects and arrays in settings that did not exist before."""

from __future__ import annotations

import json

from gitsession.files import make_private, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from gitsession.environment import Environment


class Memory:
    """Stored per agent in the user's state folder; only names and paths, no settings."""

    def __init__(self, environment: Environment, agent: str) -> None:
        self._path = environment.state_dir / "hooks" / f"{agent}.json"
        self._made: dict[str, list[list[str]]] = {}
        self._things: list[str] = []
        try:
            value = json.loads(self._path.read_bytes())
            self._made = {
                str(file): [[str(key) for key in path] for path in paths]
                for file, paths in value["made"].items()
            }
            self._things = [str(name) for name in value["things"]]
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return  # nothing installed, or the memory is lost: empty containers stay

    def containers(self, file: Path) -> list[tuple[str, ...]]:
        """Return the paths, in a settings file, of the objects and arrays that we created."""
        return [tuple(path) for path in self._made.get(str(file), [])]

    def made_containers(self, file: Path, paths: list[tuple[str, ...]]) -> None:
        known = self._made.setdefault(str(file), [])
        known += [list(path) for path in paths if list(path) not in known]

    def is_made(self, thing: Path) -> bool:
        """Whether we created this file or folder."""
        return str(thing) in self._things

    def made(self, thing: Path) -> None:
        if str(thing) not in self._things:
            self._things.append(str(thing))

    def save(self) -> None:
        make_private(self._path.parent)
        value = {"made": self._made, "things": self._things}
        replace(self._path, json.dumps(value).encode() + b"\n")

    def forget(self) -> None:
        self._path.unlink(missing_ok=True)
