"""Files that were read, written, edited or searched for; rule files with their content."""

from __future__ import annotations

from collections.abc import Iterator

from gitsession.events.patches import targets
from gitsession.events.rule_files import is_plan, is_rule
from gitsession.events.short import line, short
from gitsession.events.shown import shown
from gitsession.events.tools import done
from gitsession.events.used import Found, Used

_LONGEST = 400
_SETTINGS = ".json"
"""A file next to the rules that contains settings, not instructions in words."""
_LISTS = ("files", "paths", "file_paths", "include")
_CONTENTS = ("content", "file_text", "new_text", "contents", "newText", "new_string")


def files(used: Used) -> Iterator[Found]:
    """Yield the files of a tool call; nothing for a call that failed or never returned."""
    if not done(used):
        return
    if used.kind == "read":
        yield from _read(used)
    elif used.kind in ("write", "edit"):
        yield from changed(used.path, used.kind, _content(used) if used.kind == "write" else "")
    elif used.kind == "patch":
        for target in targets(used.text):
            yield from changed(target.path, "write" if target.new else "edit", target.added)
    elif used.kind == "glob" and (used.text or used.path):
        yield looked_for(used.text or used.path, used.path if used.text else "")
    elif used.kind == "grep" and used.text:
        yield searched(used.text, used.path)


def seen(path: str, output: str = "") -> Iterator[Found]:
    """Yield the events of reading a file; `output` is the call's output if this file is all it
    shows."""
    if is_rule(path):
        yield from _rule(path, shown(output))
    yield Found("file_read", "file", 1, line(path, _LONGEST))


def changed(path: str, kind: str, content: str = "") -> Iterator[Found]:
    """Yield the events of writing or editing a file (`kind`). `content` is given only if it is the
    whole new text; of a rule file it is then reported again."""
    if not path:
        return
    if content and is_rule(path):
        yield from _rule(path, content)
    yield Found(f"file_{kind}", "file", 1, line(path, _LONGEST))
    if is_plan(path):
        yield Found("plan_file_write", "plan", 2, line(f"plan file: {path}", _LONGEST))


def searched(pattern: str, path: str) -> Found:
    """Return the event of a search for text, in the session's folder if no path is given."""
    return Found("file_search", "file", 3, line(f"{pattern} in {path or '.'}", _LONGEST))


def looked_for(pattern: str, path: str) -> Found:
    """Return the event of a search for files by name."""
    where = f" in {path}" if path else ""
    return Found("file_glob", "file", 3, line(f"{pattern}{where}", _LONGEST))


def _rule(path: str, content: str) -> Iterator[Found]:
    yield Found("rule", "rule", 1, line(path, _LONGEST))
    if content.strip() and not path.endswith(_SETTINGS):
        yield Found("rule_content", "rule", 1, short(content))


def _read(used: Used) -> Iterator[Found]:
    paths = _paths(used)
    for path in paths:
        yield from seen(path, used.output if len(paths) == 1 else "")


def _paths(used: Used) -> list[str]:
    """Return the path of a call, or the paths for tools that read several files at once."""
    if used.path:
        return [used.path]
    found: list[str] = []
    for key in _LISTS:
        given = used.input.get(key)
        for one in given if isinstance(given, (list, tuple)) else ():
            path = one.get("path") if isinstance(one, dict) else one
            if isinstance(path, str) and path:
                found.append(path)
    return found


def _content(used: Used) -> str:
    given = (used.input.get(key) for key in _CONTENTS)
    return next((one for one in given if isinstance(one, str) and one), "")
