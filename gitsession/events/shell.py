"""Where a shell worked (`cwd`) and what it set up there (`env`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitsession.events.commands import commands, happened, name_of
from gitsession.events.masking import MASK, masked, name_and_mask
from gitsession.events.script import Simple, is_assignment
from gitsession.events.short import line, short
from gitsession.events.used import Found, Used

_MOVES = frozenset(("cd", "pushd", "chdir", "set-location", "sl"))
_LONGEST = 400
_ANY = frozenset(("",))
_INSTALLS = frozenset(("install", "i", "add", "ci", "sync", "get", "require", "use"))
_VERSIONS = frozenset(("shell", "local", "global", "use", "install"))
_SETS_UP: dict[str, frozenset[str]] = {
    **dict.fromkeys(("nvm", "fnm", "pyenv", "rbenv", "nodenv", "goenv", "sdk", "mise"), _VERSIONS),
    **dict.fromkeys(("conda", "mamba", "micromamba"), frozenset(("activate", "install", "create"))),
    **dict.fromkeys(("rustup", "asdf", "volta"), _ANY),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun", "deno", "cargo", "go", "uv", "poetry", "pdm",
                     "pipx", "gem", "bundle", "composer", "brew", "apt", "apt-get", "apk", "dnf",
                     "yum", "choco", "winget"), _INSTALLS),
    **dict.fromkeys(("pip", "pip3"), frozenset(("install",))),
}  # fmt: skip
"""Programs, with those of their commands that change what is installed or used; "" for any
command."""
_ALONE = frozenset(("yarn", "bundle"))
"""Programs that install if called without arguments."""
_TAKES_WORD = frozenset(("-C", "--prefix", "--filter", "-F", "--dir", "--cwd", "--project",
                         "--directory", "--manifest-path", "-w", "--workspace", "-n"))  # fmt: skip
_PYTHON = re.compile(r"python[\d.]*|py")
_SETTERS = frozenset(("export", "declare", "typeset", "setx", "set", "setenv"))
_LOCAL = frozenset(("declare", "typeset"))
_POWERSHELL = re.compile(r"\$env:(\w+)", re.IGNORECASE)


def cwd(used: Used) -> Iterator[Found]:
    """Yield the folder of the first `cd` in a command, as it is written there."""
    if not happened(used):
        return
    for simple in commands(used):
        where = moved_to(simple)
        if where is not None:
            if where:
                yield Found("cwd", "cwd", 2, line(where, _LONGEST))
            return


def moved_to(simple: Simple) -> str | None:
    """Return the target of a `cd`, "" if only the shell knows it; None if this is not a `cd`."""
    if name_of(simple).lower() not in _MOVES:
        return None
    words = simple.words[1:]
    if "--" in words:
        to = words[words.index("--") + 1 :]
    else:
        to = tuple(word for word in words if not re.match(r"-[A-Za-z]", word))
    where = to[0] if to else "~"
    return "" if where == "-" or set(where) & set("$`%\n") else where


def env(used: Used) -> Iterator[Found]:
    """Yield what a command installed, activated or set; all values are masked."""
    if not happened(used):
        return
    for simple in commands(used):
        shown = _set(simple) or (_shown(simple) if _sets_up(simple) else "")
        if shown:
            yield Found("env", "env", 2, short(shown, _LONGEST))


def _shown(simple: Simple) -> str:
    before = [name_and_mask(word) for word in simple.assignments]
    return " ".join([*before, masked(simple.words)])


def _set(simple: Simple) -> str:
    """Return `export A=*** B=***` for any command that sets lasting variables, "" for others."""
    name, words = name_of(simple), simple.words
    powershell = _POWERSHELL.match(words[0]) if words else None
    if powershell:
        sets = len(words) > 1 or "=" in words[0]
        return f"export {powershell[1]}={MASK}" if sets else ""
    if name not in _SETTERS or (name in _LOCAL and not re.match(r"-\w*x", "".join(words[1:2]))):
        return ""
    assigned = [name_and_mask(word) for word in words[1:] if is_assignment(word)]
    if not assigned and name in ("setx", "setenv") and len(words) > 2:
        assigned = [f"{words[1]}={MASK}"]
    if not assigned and name == "set" and len(words) > 3 and re.match(r"-\w*[xg]", words[1]):
        assigned = [f"{words[2]}={MASK}"]
    return f"export {' '.join(assigned)}" if assigned else ""


def _sets_up(simple: Simple) -> bool:
    name, words = name_of(simple), simple.words[1:]
    if name in ("source", "."):
        script = words[0].replace("\\", "/").rsplit("/", 1)[-1] if words else ""
        return script.lower().startswith("activate")
    if name.lower().startswith("activate"):
        return True
    if _PYTHON.fullmatch(name):
        name, words = _module(words)
    if name == "uv" and words[:1] in (("pip",), ("tool",)):
        words = words[1:]
    wanted = _SETS_UP.get(name)
    if wanted is None:
        return False
    verb = _verb(words)
    return verb in wanted or wanted is _ANY or (not verb and not words and name in _ALONE)


def _module(words: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """`python -m pip install x` runs pip; `python -m venv .venv` makes an environment."""
    if words[:1] != ("-m",):
        return "", ()
    if words[1:2] in (("venv",), ("virtualenv",)):
        return "uv", ("add",)
    return "".join(words[1:2]), words[2:]


def _verb(words: tuple[str, ...]) -> str:
    """Return the first word that is neither an option nor an option's value."""
    taken = False
    for word in words:
        if not word.startswith("-") and not taken:
            return word
        taken = word in _TAKES_WORD
    return ""
