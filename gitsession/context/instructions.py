"""The instruction files in force for a folder: found up to the repository's root, cut, without
repetition."""

from __future__ import annotations

import os
import re

from gitsession.digests import sha256
from gitsession.files import is_regular, read_range

NAMES = (
    "CLAUDE.md", "CLAW.md", "AGENTS.md", "GEMINI.md", "CLAUDE.local.md", ".claw/CLAUDE.md",
    ".claude/CLAUDE.md", ".claw/instructions.md",
)  # fmt: skip
RULES = (".claude/rules", ".claw/rules")
"""Folders whose Markdown files are instructions as well."""
ONE, ALL = 4_000, 12_000
"""The most characters of one file, and of all files together."""
TRUNCATED = "\n\n[truncated]"
_LARGEST = 1 << 20


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


class Instruction:
    """One file: `path` is absolute, `name` its path below the root, `digest` that of its whole
    normalised text, `text` the part that is used; `cut` says that this is not all of it."""

    __slots__ = ("cut", "digest", "name", "path", "text")

    def __init__(
        self, path: str, text: str, digest: str, cut: bool = False, name: str = ""
    ) -> None:
        self.path = path
        self.text = text
        self.digest = digest
        self.cut = cut
        self.name = name


def discover(folder: str) -> tuple[Instruction, ...]:
    """Return the instruction files of a folder, outermost first, without empty ones and not yet cut
    to the limits (but at most 1 MiB of each).

    Reads nothing above the repository's root, and only the folder itself without a repository. Does
    not follow links that lead out of the root.
    """
    folders = _folders(os.path.abspath(folder))
    root = os.path.realpath(folders[0])
    return tuple(found for one in folders for found in _in_folder(one, root, folders[0]))


def _folders(folder: str) -> list[str]:
    """Return the folders from the repository's root down to `folder`."""
    found = [folder]
    while not os.path.exists(os.path.join(found[-1], ".git")):
        parent = os.path.dirname(found[-1])
        if parent == found[-1]:
            return [folder]
        found.append(parent)
    return found[::-1]


def _in_folder(folder: str, root: str, top: str) -> Iterator[Instruction]:
    for name in (*NAMES, *_rules(folder)):
        path = os.path.join(folder, name)
        text = _read(path, root)
        if text.strip():
            yield Instruction(path, text, digest(text), name=os.path.relpath(path, top))


def _rules(folder: str) -> Iterator[str]:
    for rules in RULES:
        try:
            names = sorted(os.listdir(os.path.join(folder, rules)))
        except OSError:
            continue
        yield from (f"{rules}/{name}" for name in names if name.endswith(".md"))


def _read(path: str, root: str) -> str:
    real = os.path.realpath(path)
    if os.path.commonpath((real, root)) != root or not is_regular(real):
        return ""
    try:
        return read_range(real, 0, _LARGEST).decode("utf-8", "replace")
    except OSError:
        return ""


def normalised(text: str) -> str:
    """Return the text with runs of blank lines collapsed, without white space around it or at line
    ends."""
    text = "\n".join(line.rstrip() for line in text.replace("\r\n", "\n").split("\n"))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def digest(text: str) -> str:
    return sha256(normalised(text).encode("utf-8", "surrogatepass")).hexdigest()


def hash_of(prompt: str) -> str:
    """Return the SHA-256 (hex) of a system prompt, unchanged."""
    return sha256(prompt.encode("utf-8", "replace")).hexdigest()


def fit(
    found: Sequence[Instruction], one: int = ONE, everything: int = ALL
) -> tuple[Instruction, ...]:
    """Return the files within both limits, in their order. The nearest (last) gets its share first;
    a text that several files have is kept once, in the nearest. A cut text ends in a mark, which
    counts towards the limits."""
    left, seen = everything, set()
    kept: list[Instruction] = []
    for instruction in reversed(found):
        if instruction.digest in seen:
            continue
        seen.add(instruction.digest)
        text = _cut(normalised(instruction.text), min(one, left))
        left -= len(text)
        is_cut = text != normalised(instruction.text)
        kept.append(
            Instruction(instruction.path, text, instruction.digest, is_cut, instruction.name)
        )
    return tuple(reversed(kept))


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    room = limit - len(TRUNCATED)
    return text[:room] + TRUNCATED if room > 0 else ""


def text_of(texts: Mapping[str, str], prompt: str = "", everything: int = ALL) -> str:
    """Return files, by name, as text for a system prompt, within the limits; text that the prompt
    already contains is not repeated."""
    found = [
        Instruction(name, texts[name], digest(texts[name]), name=name)
        for name in sorted(texts, key=_place)
        if texts[name].strip() and normalised(texts[name]) not in normalised(prompt)
    ]
    said = [f"# {one.name}\n{one.text}" for one in fit(found, everything=everything) if one.text]
    return "\n\n".join(["Instructions of the project:", *said]) if said else ""


def _place(name: str) -> tuple[int, str, int, str]:
    """A sort key that orders stored names as `discover` does: outer folders first, then by name."""
    found = []
    for number, known in enumerate((*NAMES, *(f"{rules}/" for rules in RULES))):
        folder, is_one, rest = f"/{name}".rpartition(f"/{known}")
        if is_one and (not rest or known.endswith("/")):
            found.append((folder.count("/"), folder, number, rest))
    return min(found, default=(-1, "", 0, name))


def changed(
    before: Sequence[tuple[str, str]], now: Sequence[Instruction]
) -> tuple[tuple[str, str], ...]:
    """Compare the files in force with those of a version, given as (path, digest); return pairs of
    path and `changed`, `gone` or `new`."""
    old, new = dict(before), {one.path: one.digest for one in now}
    said = [(p, "gone" if p not in new else "changed") for p in old if new.get(p) != old[p]]
    return tuple(said + [(path, "new") for path in new if path not in old])
