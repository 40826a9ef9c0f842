"""The values in which a write is requested from an adapter and answered by it."""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import NamedTuple

    class Target(NamedTuple):
        cwd: str
        title: str = ""
        foreign: bool = False
        native_id: str = ""

    class Written(NamedTuple):
        native_id: str
        main: Path
        files: Mapping[Path, bytes]
        repairs: tuple[str, ...] = ()
else:
    Target = namedtuple("Target", "cwd title foreign native_id", defaults=("", False, ""))
    Target.__doc__ = """Where and how to write a native session.

    `cwd` is the project folder the agent will be started in. `title` goes into the agent's own
    list. `foreign` leaves out system/developer records, memory, plans, file history and absolute
    paths. `native_id` is set by the caller only for repeatable tests."""
    Written = namedtuple("Written", "native_id main files repairs", defaults=((),))
    Written.__doc__ = """A native session as bytes, before anything touches the disk: `files` maps
    absolute paths to contents, the main file last (only its appearance makes the session exist).

    `main` is the path of the main file; `repairs` says in words how it differs from the stored one,
    e.g. `2 tool calls without result marked as interrupted`."""
