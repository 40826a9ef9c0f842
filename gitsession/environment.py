"""The one place that reads environment variables, HOME and the process: everybody else gets values.

An Environment is made once by the command line (or by `gitsession.open`) and handed down.
"""

from __future__ import annotations

import os
from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

UMASK = 0o077

_variables = allocate_lock()


def _say_nothing(_: str) -> None:
    return


class Environment:
    """Where things are for this user, and the variables that matter.

    A plain class, since the fast commands make one too, and paths are made when they are asked
    for: importing pathlib costs a third of `--help`. `variables` is a copy; `home_folder` falls
    back to the password database's answer as `Path.home()` does. All folders may not exist yet.
    `may_fork` says that this process is the program, which may take a second one to help; a library
    does not fork its host. `tell` takes a sentence for whoever waits for something; a library says
    nothing.
    """

    __slots__ = ("cwd", "home_folder", "may_fork", "tell", "variables")

    def __init__(self, variables: dict[str, str], home: str | os.PathLike[str], cwd: str) -> None:
        self.variables = variables
        self.home_folder = os.fspath(home)
        self.cwd = cwd
        self.may_fork = False
        self.tell: Callable[[str], None] = _say_nothing

    @classmethod
    def current(cls) -> Environment:
        """The environment of this process. PWD is preferred over the resolved folder when both
        name the same place, so that a symlinked project keeps the name its user knows."""
        variables = dict(os.environ)
        home = variables.get("HOME") or os.path.expanduser("~")
        return cls(variables, home, _working_directory(variables))

    def at(self, folder: str) -> Environment:
        """The same user, standing elsewhere."""
        there = Environment(self.variables, self.home_folder, folder)
        there.may_fork, there.tell = self.may_fork, self.tell
        return there

    def get(self, name: str, default: str = "") -> str:
        return self.variables.get(name, default)

    @property
    def home(self) -> Path:
        from pathlib import Path

        return Path(self.home_folder)

    @property
    def data_dir(self) -> Path:
        """The user's data folder for gitsession: the default store lies in it."""
        return self._user_dir("data")

    @property
    def config_dir(self) -> Path:
        """Configuration, keys and the deny list; never inside a store."""
        return self._user_dir("config")

    @property
    def cache_dir(self) -> Path:
        return self._user_dir("cache")

    @property
    def state_dir(self) -> Path:
        """Bug logs and backups of `checkout --files`."""
        return self._user_dir("state")

    def _user_dir(self, kind: str) -> Path:
        from pathlib import Path

        return Path(self.folder(kind))

    def folder(self, kind: str) -> str:
        """The user's `data`, `config`, `cache` or `state` folder for gitsession, as a text."""
        variable = f"XDG_{kind.upper()}_HOME"
        if os.path.isabs(self.variables.get(variable, "")):
            return os.path.join(self.variables[variable], "gitsession")
        if os.name == "posix" and os.uname().sysname != "Darwin":
            fallback = {"data": ".local/share", "config": ".config", "cache": ".cache"}
            return os.path.join(self.home_folder, fallback.get(kind, ".local/state"), "gitsession")
        # Elsewhere the platform decides; the import costs more than a whole `log`, so not above.
        import platformdirs

        return str(getattr(platformdirs, f"user_{kind}_dir")("gitsession", appauthor=False))

    def git(self) -> dict[str, str]:
        """Variables for the git program on *local* work: nothing of the user's configuration,
        hooks, editors or GIT_* may reach it."""
        keep = {
            name: value for name, value in self.variables.items() if not name.startswith("GIT_")
        }
        keep.update(
            GIT_CONFIG_NOSYSTEM="1",
            GIT_CONFIG_SYSTEM=os.devnull,
            GIT_CONFIG_GLOBAL=os.devnull,
            GIT_TERMINAL_PROMPT="0",
            GIT_OPTIONAL_LOCKS="0",
            GIT_NO_REPLACE_OBJECTS="1",
            LC_ALL="C",
        )
        return keep


def _working_directory(variables: dict[str, str]) -> str:
    here = os.getcwd()
    shown = variables.get("PWD", "")
    try:
        if shown.startswith("/") and os.path.samefile(shown, here):
            return shown
    except OSError:
        pass
    return here


class process_variable:  # noqa: N801 - reads as what it does: `with process_variable(…)`
    """A variable of this very process for the length of a block: the only way to tell some
    libraries where to look. Blocks of several threads wait for each other."""

    def __init__(self, name: str, value: str) -> None:
        self._name, self._value = name, value
        self._before: str | None = None

    def __enter__(self) -> None:
        _variables.acquire()
        self._before = os.environ.get(self._name)
        os.environ[self._name] = self._value

    def __exit__(self, *_: object) -> None:
        if self._before is None:
            os.environ.pop(self._name, None)
        else:
            os.environ[self._name] = self._before
        _variables.release()
