"""The input and output of Mistral Vibe's tools, as message parts and in the terms of `work`."""

from __future__ import annotations

import json

from gitsession.agents.lenient import list_of, mapping_of, text_of, whole_text
from gitsession.agents.reading import Values
from gitsession.agents.work import Call, Result
from gitsession.model.message import Part

_NAMES = {"read_file": "read", "write_file": "write", "edit": "edit", "bash": "bash"}
_BEFORE = "mistralai.vibe.sdk.search_replace"
"""The member that holds, next to an edit, the whole text of the file before it."""


def parts_of(row: Values) -> tuple[Part, ...]:
    """Return a call, and its result if it has one."""
    detail, state = mapping_of(row.get("detail")), mapping_of(row.get("state"))
    name = text_of(detail.get("toolName")) or text_of(row.get("title"))
    name, call_id = name.rpartition(".")[2], text_of(row.get("id"))
    output = mapping_of(state.get("output"))
    call = Part("tool_call", name=name, call_id=call_id, input=detail.get("input"), native=output)
    status = text_of(state.get("status"))
    if status in ("", "running", "pending", "in_progress"):
        return (call,)
    failed = status != "completed" or output.get("type") not in (None, "success")
    text = _text(output) or text_of(state.get("outputText"))
    native = {"name": name, "input": detail.get("input"), "output": output}
    return call, Part("tool_result", text, call_id=call_id, error=failed, native=native)


def _text(output: Values) -> str:
    """Return what the model was told: the blocks, else the values as the agent serialises them."""
    blocks = (text_of(mapping_of(block).get("text")) for block in list_of(output.get("content")))
    told = output.get("structured_content")
    return "\n".join(filter(None, blocks)) or (_spelled(told) if told else "")


def _spelled(told: object) -> str:
    return whole_text(json.dumps(told, ensure_ascii=False, separators=(",", ":"), sort_keys=True))


def _shown(told: Values, text: str) -> str:
    """Return what a person sees of it: a file's text, a command's output."""
    for key in ("content", "stdout"):
        if isinstance(told.get(key), str):
            return "".join((told[key], text_of(told.get("stderr"))))
    return text


def as_call(part: Part) -> Call:
    given = mapping_of(part.input)
    if part.name == "todo" and given.get("action") == "write":
        return Call("todo_write", {"todos": list_of(given.get("todos"))})
    if part.name == "read_file":
        told = mapping_of(mapping_of(part.native).get("structured_content"))
        whole = told.get("was_truncated") is False and not told.get("offset")
        whole = whole and told.get("next_offset") is None
        return Call("read", {"path": given.get("path"), **({} if whole else {"limit": 1})})
    return Call(_NAMES.get(part.name, part.name), given)


def as_result(part: Part) -> Result:
    native = mapping_of(part.native)
    output = mapping_of(native.get("output"))
    told = mapping_of(output.get("structured_content"))
    code = told.get("returncode")
    return Result(
        _shown(told, part.text),
        part.error,
        code if isinstance(code, int) and not isinstance(code, bool) else None,
        _after(native, output) if native.get("name") == "edit" else None,
    )


def _after(native: Values, output: Values) -> str | None:
    """Return the file's text after an edit of one place; None if it cannot be derived."""
    before = mapping_of(mapping_of(output.get("_meta")).get(_BEFORE)).get("previous_content")
    given = mapping_of(native.get("input"))
    old, new = text_of(given.get("old_string")), text_of(given.get("new_string"))
    if not isinstance(before, str) or not old or before.count(old) != 1:
        return None
    return before.replace(old, new)
