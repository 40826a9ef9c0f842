"""Instruction files in force for a folder: found up to the repository's root, cut, each once."""

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
"""Folders whose Markdown files are instructions, too."""
ONE, ALL = 4_000, 12_000
"""Characters of one file, and of all of them."""
TRUNCATED = "\n\n[truncated]"
_LARGEST = 1 << 20


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


class Instruction:
    """One file: `path` absolute, `name` its path below the root, `digest` of its whole normalised
    text, `text` what of it is used; `cut` says that this is not all."""

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
    """The instruction files of a folder, outermost first, as they stand; empty ones are none.

    Above the repository's root nothing is read; without a repository only the folder itself.
    Links that lead out of the root are not followed.
    """
    folders = _folders(os.path.abspath(folder))
    root = os.path.realpath(folders[0])
    return tuple(found for one in folders for found in _in_folder(one, root, folders[0]))


def _folders(folder: str) -> list[str]:
    """From the repository's root down to the folder."""
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
    """The text with runs of blank lines as one, and nothing around it."""
    text = "\n".join(line.rstrip() for line in text.replace("\r\n", "\n").split("\n"))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def digest(text: str) -> str:
    return sha256(normalised(text).encode("utf-8", "surrogatepass")).hexdigest()


def hash_of(prompt: str) -> str:
    """The SHA-256 of a system prompt as it stands."""
    return sha256(prompt.encode("utf-8", "replace")).hexdigest()


def fit(
    found: Sequence[Instruction], one: int = ONE, everything: int = ALL
) -> tuple[Instruction, ...]:
    """The files within both limits, in their order. The nearest (last) is served first; what two
    hold alike stands once, at the nearest place. A cut text ends in a mark, which counts along."""
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
    """Files by name as a text of a system prompt, within the limits; what the prompt says already
    is not said again."""
    found = [
        Instruction(name, texts[name], digest(texts[name]), name=name)
        for name in sorted(texts, key=_place)
        if texts[name].strip() and normalised(texts[name]) not in normalised(prompt)
    ]
    said = [f"# {one.name}\n{one.text}" for one in fit(found, everything=everything) if one.text]
    return "\n\n".join(["Instructions of the project:", *said]) if said else ""


def _place(name: str) -> tuple[int, str, int, str]:
    """What orders stored names as `discover` does: outer folders first, then by name."""
    found = []
    for number, known in enumerate((*NAMES, *(f"{rules}/" for rules in RULES))):
        folder, is_one, rest = f"/{name}".rpartition(f"/{known}")
        if is_one and (not rest or known.endswith("/")):
            found.append((folder.count("/"), folder, number, rest))
    return min(found, default=(-1, "", 0, name))


def changed(
    before: Sequence[tuple[str, str]], now: Sequence[Instruction]
) -> tuple[tuple[str, str], ...]:
    """How the files in force differ from those of a version (path, digest): pairs of path and
    `changed`, `gone` or `new`."""
    old, new = dict(before), {one.path: one.digest for one in now}
    said = [(p, "gone" if p not in new else "changed") for p in old if new.get(p) != old[p]]
    return tuple(said + [(path, "new") for path in new if path not in old])
