"""Extracts project files from a Claude Code transcript: those read in full, written or edited."""

from __future__ import annotations

from gitsession.agents.lenient import list_of, mapping_of, text_of
from gitsession.agents.project_files import file_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from gitsession.agents.claude_code.patch import Edit
    from gitsession.agents.claude_code.records import Row
    from gitsession.model.record import File


class Change:
    """What a record does to one file.

    `content` is the file after it. If the record does not hold the file before it (`needs`),
    `apply` derives the new content from that (None: it does not fit).
    """

    __slots__ = ("apply", "content", "path")

    def __init__(
        self, path: str, content: str | None, apply: Callable[[str], str | None] | None = None
    ) -> None:
        self.path = path
        self.content = content
        self.apply = apply

    @property
    def needs(self) -> bool:
        return self.apply is not None

    def after(self, before: str | None) -> str | None:
        if self.apply is None:
            return self.content
        return None if before is None else self.apply(before)


def changes(row: Row) -> Iterator[Change]:
    """Yield the files that a record read in full, wrote or edited, by their native paths."""
    result = row.get("toolUseResult")
    if isinstance(result, dict):
        yield from _of_result(result)
    attachment = row.get("attachment")
    if isinstance(attachment, dict) and attachment.get("type") == "file":
        yield from _of_read(mapping_of(attachment.get("content")))


def instructions(row: Row, root: str) -> Iterator[File]:
    """Yield the instruction files (CLAUDE.md) that the agent gave to the model."""
    attachment = mapping_of(row.get("attachment"))
    if attachment.get("type") == "nested_memory":
        inner = mapping_of(attachment.get("content"))
        path = text_of(inner.get("path")) or text_of(attachment.get("path"))
        if path and isinstance(inner.get("content"), str):
            yield file_of(path, inner["content"], root)


def _of_result(result: dict[str, Any]) -> Iterator[Change]:
    path = text_of(result.get("filePath")) or text_of(result.get("notebook_path"))
    if not path:
        yield from _of_read(result)
    elif "oldString" in result or "edits" in result:
        yield _of_edits(path, result)
    elif isinstance(result.get("updated_file"), str):
        yield Change(path, result["updated_file"])
    elif result.get("type") in ("create", "update") and isinstance(result.get("content"), str):
        yield Change(path, result["content"])


def _edits_in(result: dict[str, Any]) -> tuple[tuple[Edit, ...], object]:
    """Return the edits of a record, and the text before them if the record holds it."""
    from gitsession.agents.claude_code.patch import Edit

    if "oldString" in result:
        edit = Edit(
            text_of(result["oldString"]),
            text_of(result.get("newString")),
            result.get("replaceAll") is True,
        )
        return (edit,), result.get("originalFile")
    edits = tuple(
        Edit(
            text_of(edit.get("old_string")),
            text_of(edit.get("new_string")),
            edit.get("replace_all") is True,
        )
        for edit in map(mapping_of, list_of(result["edits"]))
    )
    return edits, result.get("originalFileContents")


def _of_edits(path: str, result: dict[str, Any]) -> Change:
    """Return the change; the user's changes in the approval dialog are only in the patch."""
    from gitsession.agents.claude_code.patch import edited, patched

    hunks = list_of(result.get("structuredPatch"))
    edits, original = _edits_in(result)

    def apply(before: str) -> str | None:
        if result.get("userModified") is True:
            return patched(before, hunks)
        return edited(before, edits)

    def checked(before: str) -> str | None:
        return edited(before, edits, hunks) if not result.get("userModified") else apply(before)

    if isinstance(original, str):
        return Change(path, apply(original))
    if edits and not edits[0].old:
        return Change(path, apply(""))
    return Change(path, None, checked)


def _of_read(result: dict[str, Any]) -> Iterator[Change]:
    file = result.get("file")
    if result.get("type") != "text" or not isinstance(file, dict):
        return
    path, content = text_of(file.get("filePath")), file.get("content")
    whole = file.get("startLine") == 1 and file.get("numLines") == file.get("totalLines")
    if path and whole and isinstance(content, str):
        yield Change(path, content)
