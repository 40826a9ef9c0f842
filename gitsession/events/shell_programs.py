"""What the programs of a shell do to files: `cat`, `sed -n`, `rg`, `rm`, `echo x > file` …"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from gitsession.events.commands import name_of
from gitsession.events.files import changed, looked_for, searched, seen
from gitsession.events.script import Simple
from gitsession.events.used import Found

_MOST = 20
"""The most files of one command."""
_UNKNOWN = re.compile(r"[*?\[\]$`{}\n<>|]")
"""Words that only the shell can resolve to files."""
_ROUTE = re.compile(r"\[{1,2}(?:\.{3})?\w{2,}\]{1,2}")
"""`[id]`, as frameworks name files; not a pattern."""
_WHOLE = re.compile(r"/|~|[A-Za-z]:")
_TAKES_WORD: dict[str, frozenset[str]] = {
    "head": frozenset(("-n", "-c", "--lines", "--bytes")),
    "tail": frozenset(("-n", "-c", "--lines", "--bytes")),
    "nl": frozenset(("-b", "-w", "-s", "-n", "-v", "-i")),
    "bat": frozenset(("-r", "--line-range", "-l", "--language", "--style")),
    "sed": frozenset(("-e", "-f", "--expression", "--file")),
    "rg": frozenset(("-g", "--glob", "-t", "--type", "-T", "-A", "-B", "-C", "-m", "-e", "-f",
                     "--iglob", "--max-count", "--sort", "--context", "-j", "-M")),
    "grep": frozenset(("-A", "-B", "-C", "-m", "-e", "-f", "--include", "--exclude",
                       "--exclude-dir")),
}  # fmt: skip
_RECURSIVE = re.compile(r"-[a-zA-Z]*[rR]|--recursive")
_PRINTS = frozenset(("cat", "echo", "printf"))
_NAMES = frozenset(("-name", "-iname", "-path", "-wholename"))


class Run(NamedTuple):
    """A command that ran in `folder` ("" for the starting folder); `output` is the call's output if
    nothing else ran, else ""."""

    simple: Simple
    output: str
    folder: str

    @property
    def words(self) -> tuple[str, ...]:
        """The words after the program's name."""
        return self.simple.words[1:]

    def path(self, word: str) -> str:
        """Return a path relative to the starting folder."""
        if not self.folder or _WHOLE.match(word):
            return word
        return posixpath.normpath(f"{self.folder}/{word}")

    def files(self, words: Iterable[str]) -> list[str]:
        """Return the words that are paths of files, as far as that can be known."""
        known = [
            word
            for word in words
            if word not in ("", "-") and not _UNKNOWN.search(_ROUTE.sub("", word))
        ]
        return [self.path(word) for word in known if not word.startswith("/dev/")][:_MOST]

    def arguments(self) -> list[str]:
        """Return the words that are neither options nor the values of options."""
        taking = _TAKES_WORD.get(name_of(self.simple), frozenset())
        found: list[str] = []
        at, words = 0, self.words
        while at < len(words):
            word = words[at]
            if word == "--":
                return [*found, *words[at + 1 :]]
            if word and (not word.startswith("-") or word == "-"):
                found.append(word)
            at += 2 if word in taking else 1
        return found


def of_program(run: Run) -> Iterator[Found]:
    """Yield the events of one command; none for an unknown program."""
    name = name_of(run.simple)
    make = _MAKERS.get(name)
    if make is not None:
        yield from make(run)
    if name in _PRINTS:
        yield from _printed(run)


def _read(run: Run) -> Iterator[Found]:
    yield from _seen(run, run.files(run.arguments()))


def _seen(run: Run, paths: list[str]) -> Iterator[Found]:
    kept = any(one.operator.startswith((">", "&>")) for one in run.simple.redirects)
    for path in paths:
        yield from seen(path, run.output if len(paths) == 1 and not kept else "")


def _sed(run: Run) -> Iterator[Found]:
    given = run.arguments()
    scripted = any(re.match(r"-e|--expression|-f|--file", word) for word in run.words)
    paths = run.files(given if scripted else given[1:])
    if any(re.match(r"-[a-zA-Z]*i|--in-place", word) for word in run.words):
        for path in paths:
            yield from changed(path, "edit")
    else:
        yield from _seen(run, paths)


def _search(run: Run) -> Iterator[Found]:
    """Yield a search in files; filtering the output of another command does not count."""
    given = run.arguments()
    if "--files" in run.words:
        patterns = [after for word, after in pairwise(run.words) if word == "-g"]
        yield _listed(run, patterns, given)
        return
    told = [after for word, after in pairwise(run.words) if word == "-e"]
    if not told:
        told, given = given[:1], given[1:]
    everywhere = name_of(run.simple) in ("rg", "ag") or any(map(_RECURSIVE.match, run.words))
    if told and not run.simple.piped and (given or everywhere):
        yield searched("|".join(told), _places(run, given))


def _find(run: Run) -> Iterator[Found]:
    patterns = [after for word, after in pairwise(run.words) if word in _NAMES]
    where = []
    for word in run.words:
        if word.startswith(("-", "(", "!")):
            break
        where.append(word)
    if patterns:
        yield _listed(run, patterns, where)


def _listed(run: Run, patterns: list[str], where: list[str]) -> Found:
    place = _places(run, where)
    return looked_for(" ".join(patterns) or "*", "" if place == "." else place)


def _places(run: Run, where: list[str]) -> str:
    return " ".join(run.path(word) for word in where[:_MOST]) or run.folder


def _remove(run: Run) -> Iterator[Found]:
    """Yield removed files, but not folders, which mostly contain build output."""
    if not any(map(_RECURSIVE.match, run.words)):
        yield from _all_changed(run.files(run.arguments()), "edit")


def _move(run: Run) -> Iterator[Found]:
    paths = run.files(run.arguments())
    if len(paths) == 2:
        yield from _all_changed([paths[0], _target(*paths)], "edit")


def _copy(run: Run) -> Iterator[Found]:
    paths = run.files(run.arguments())
    if len(paths) == 2:
        yield from changed(_target(*paths), "write")


def _target(source: str, to: str) -> str:
    """Return where a file goes: a target that looks like a folder's name is one."""
    folder = to.endswith("/") or (
        "." in posixpath.basename(source) and "." not in posixpath.basename(to).strip(".")
    )
    return posixpath.normpath(f"{to}/{posixpath.basename(source)}") if folder else to


def _tee(run: Run) -> Iterator[Found]:
    yield from _all_changed(run.files(run.arguments()), "edit" if "-a" in run.words else "write")


def _all_changed(paths: list[str], kind: str) -> Iterator[Found]:
    for path in paths:
        yield from changed(path, kind)


def _printed(run: Run) -> Iterator[Found]:
    """Yield a text that is written to a file: `cat > file <<EOF`, `echo x >> file`."""
    redirects = run.simple.redirects
    text = "".join(one.target for one in redirects if one.operator in ("<<", "<<-"))
    for redirect in redirects:
        for path in run.files([redirect.target]):
            if redirect.operator in (">", ">|"):
                yield from changed(path, "write", text)
            elif redirect.operator == ">>":
                yield from changed(path, "edit")


_MAKERS: dict[str, Callable[[Run], Iterator[Found]]] = {
    **dict.fromkeys(("cat", "bat", "nl", "head", "tail", "less", "more"), _read),
    **dict.fromkeys(("rg", "grep", "egrep", "fgrep", "ag"), _search),
    "sed": _sed,
    "find": _find,
    "rm": _remove,
    "mv": _move,
    "cp": _copy,
    "tee": _tee,
}
