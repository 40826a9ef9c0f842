"""OpenCode and its forks: what each calls its folders, files and modes."""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import NamedTuple

    from gitsession.environment import Environment

    class Member(NamedTuple):
        name: str
        title: str
        variable: str
        databases: tuple[str, ...]
        settings: tuple[str, ...]
        mode: str
        version: str
        first: int
else:
    Member = namedtuple("Member", "name title variable databases settings mode version first")
    Member.__doc__ = """One program of the family. `name` is also its command and the name of its
    folders; the environment variable `variable` names another database; `databases` are file
    patterns, `settings` file names; `mode` is its default mode; sessions written for it claim
    `version`; its major version numbers begin with `first`."""

OPENCODE = Member(
    "opencode", "OpenCode", "OPENCODE_DB", ("opencode*.db",),
    ("opencode.json", "opencode.jsonc", "config.json"), "build", "1.18.33", 0,
)  # fmt: skip
KILO = Member(
    "kilo", "Kilo Code CLI", "KILO_DB", ("kilo*.db", "opencode-*.db"),
    ("kilo.jsonc", "kilo.json", "opencode.jsonc", "opencode.json", "config.json"), "code",
    "7.7.7", 7,
)  # fmt: skip
MEMBERS = (OPENCODE, KILO)
NAMES = tuple(member.name for member in MEMBERS)


def owner(file: str, tables: set[str]) -> str:
    """Return whose database it is: forks name the file, or some of its tables, after themselves."""
    for member in MEMBERS[1:]:
        if any(name.startswith(member.name) for name in (file, *tables)):
            return member.name
    return OPENCODE.name


def maker(version: str) -> str:
    """Return which program wrote an export, judging by the version in it."""
    first = version.partition(".")[0]
    number = int(first) if first.isdecimal() and len(first) < 4 else 0
    return [member.name for member in MEMBERS if member.first <= number][-1]


def data_folder(member: Member, environment: Environment) -> Path:
    """Return the folder of sessions and long outputs."""
    return _base(environment, "XDG_DATA_HOME", ".local/share") / member.name


def settings_folder(member: Member, environment: Environment) -> Path:
    """Return the folder of settings and plugins."""
    return _base(environment, "XDG_CONFIG_HOME", ".config") / member.name


def databases(member: Member, environment: Environment) -> list[Path]:
    """Return the databases that may contain sessions, the one named by the environment first."""
    from pathlib import Path

    named, folder = environment.get(member.variable), data_folder(member, environment)
    try:
        found = sorted({path for pattern in member.databases for path in folder.glob(pattern)})
    except OSError:
        found = []
    return [Path(named), *found] if named.startswith("/") else found


def _base(environment: Environment, variable: str, place: str) -> Path:
    from pathlib import Path

    named = environment.get(variable)
    return Path(named) if named.startswith("/") else environment.home / place
