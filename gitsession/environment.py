"""The only module that reads environment variables, HOME and the process; others receive values.

The command line (or `gitsession.open`) creates an Environment once and passes it down.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

UMASK = 0o077

_variables = allocate_lock()


def say_nothing(_: str) -> None:
    return


_FOLDERS = {
    "data": ".local/share", "config": ".config", "cache": ".cache", "state": ".local/state",
}  # fmt: skip
_MAC_FOLDERS = {
    **dict.fromkeys(_FOLDERS, "Library/Application Support"), "cache": "Library/Caches",
}  # fmt: skip


class Environment:
    """Where this user's folders are, and the relevant environment variables.

    A plain class, because fast commands create one too; Path objects are built only on request,
    since importing pathlib costs a third of `--help`. `variables` is a copy. `home_folder` falls
    back to the password database, as `Path.home()` does. None of the folders need exist yet.
    `may_fork` says that this process is the gitsession program itself, which may fork a helper
    process; a library does not fork its host. `tell` takes a sentence for a user who has to wait; a
    library stays silent. `program` begins every gitsession command that a message quotes: the name,
    plus the options that select this store and folder.
    """

    __slots__ = ("cwd", "home_folder", "may_fork", "program", "tell", "variables")

    def __init__(self, variables: dict[str, str], home: str | os.PathLike[str], cwd: str) -> None:
        self.variables = variables
        self.home_folder = os.fspath(home)
        self.cwd = cwd
        self.may_fork = False
        self.program = "gitsession"
        self.tell: Callable[[str], None] = say_nothing

    @classmethod
    def current(cls) -> Environment:
        """The environment of this process. PWD takes precedence over the resolved folder if both
        are the same place, so that a symlinked project keeps the name its user knows. Raises
        UsageError if the user's home folder cannot be determined."""
        variables = dict(os.environ)
        return cls(variables, _home(variables), _working_directory(variables))

    def at(self, folder: str) -> Environment:
        """Return a copy for the same user with `folder` as the current directory."""
        there = Environment(self.variables, self.home_folder, folder)
        there.may_fork, there.tell, there.program = self.may_fork, self.tell, self.program
        return there

    def get(self, name: str, default: str = "") -> str:
        return self.variables.get(name, default)

    @property
    def home(self) -> Path:
        from pathlib import Path

        return Path(self.home_folder)

    @property
    def data_dir(self) -> Path:
        """The user's data folder for gitsession, which holds the default store."""
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
        """Bug logs, and the backups made by `checkout --files`."""
        return self._user_dir("state")

    def _user_dir(self, kind: str) -> Path:
        from pathlib import Path

        return Path(self.folder(kind))

    def folder(self, kind: str) -> str:
        """The user's `data`, `config`, `cache` or `state` folder for gitsession, as a string."""
        variable = f"XDG_{kind.upper()}_HOME"
        if os.path.isabs(self.variables.get(variable, "")):
            return os.path.join(self.variables[variable], "gitsession")
        if os.name == "posix":
            folders = _MAC_FOLDERS if sys.platform == "darwin" else _FOLDERS
            return os.path.join(self.home_folder, folders[kind], "gitsession")
        # On Windows the system decides; imported only here, for it costs more than a whole `log`.
        import platformdirs

        return str(getattr(platformdirs, f"user_{kind}_dir")("gitsession", appauthor=False))

    def git(self) -> dict[str, str]:
        """Environment variables for *local* work of the git program.

        Nothing of the user's configuration, hooks, editors or GIT_* variables may influence it, and
        it must not contact another machine: a repository that asks git to fetch missing objects
        could otherwise name the program that does the fetching.
        """
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
            GIT_NO_LAZY_FETCH="1",
            GIT_ALLOW_PROTOCOL="none",
            LC_ALL="C",
        )
        return keep


_ENDINGS = ("",) if os.name == "posix" else (".exe", "")
_ENDINGS_OF_SCRIPTS = ("",) if os.name == "posix" else (".exe", ".cmd", ".bat")


def find_program(program: str, variables: Mapping[str, str], script: bool = False) -> str:
    """Return the full path of a program on the PATH of these variables, "" if there is none. With
    `script` it may be a script, as npm installs on Windows. Windows itself would search the current
    folder first for a bare name, and that folder may be anybody's."""
    endings = _ENDINGS_OF_SCRIPTS if script else _ENDINGS
    for folder in variables.get("PATH", os.defpath).split(os.pathsep):
        for ending in endings:
            path = os.path.join(folder, program + ending)
            if folder and os.access(path, os.X_OK) and os.path.isfile(path):
                return path
    return ""


def _home(variables: Mapping[str, str]) -> str:
    """HOME if that is an absolute path, otherwise the home folder from the password database: with
    a relative path, everything below it would end up in the project. Raises UsageError if there is
    none."""
    home = variables.get("HOME", "")
    if os.path.isabs(home):
        return home
    try:
        import pwd
    except ImportError:  # Windows
        home = os.path.expanduser("~")
    else:
        try:
            home = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:
            home = ""
    if os.path.isabs(home):
        return home
    from gitsession.errors import UsageError

    raise UsageError("this user has no home folder", hint="set HOME to the full path of one")


def memory() -> int:
    """Bytes that this machine has; 0 where it does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 0


def _working_directory(variables: dict[str, str]) -> str:
    here = os.getcwd()
    shown = variables.get("PWD", "")
    try:
        if shown.startswith("/") and os.path.samefile(shown, here):
            return as_spelled(shown)
    except OSError:
        pass
    return here


def as_spelled(folder: str) -> str:
    """Return a folder with the capitals and accents that it has on disk. macOS also finds it under
    other spellings, but agents record the name that the system reports. Symlinks on the way are
    kept."""
    if sys.platform != "darwin":
        return folder
    import fcntl

    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return folder
    try:
        said = fcntl.fcntl(descriptor, fcntl.F_GETPATH, bytes(1024))
    except OSError:
        return folder
    finally:
        os.close(descriptor)
    named = os.fsdecode(said.rstrip(b"\0"))
    return folder if named in (folder, os.path.realpath(folder)) else named


class process_variable:  # noqa: N801 - reads as what it does: `with process_variable(…)`
    """Set a variable of this process for the duration of a block: the only way to tell some
    libraries where to look. Blocks in several threads wait for each other."""

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
