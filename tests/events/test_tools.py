"""One set of tools for all agents."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsession.events.tool_names import kind_of
from gitsession.events.tools import done, folder
from gitsession.events.used import KINDS
from gitsession.model.call import calls

from ..context.real_files import sessions
from .calling import found, told, used

_SHELLS: dict[str, tuple[str, object]] = {
    "claude-code": ("Bash", {"command": "@", "description": "d"}),
    "codex": ("exec_command", {"cmd": "@", "workdir": "/w", "max_output_tokens": 9}),
    "codex of 2025": ("shell", {"command": ["bash", "-lc", "@"], "workdir": "/w"}),
    "codex with a word": ("shell_command", {"command": "@", "workdir": "/w"}),
    "pi": ("bash", {"command": "@", "timeout": 5}),
    "gemini": ("run_shell_command", {"command": "@", "description": "d"}),
    "qwen": ("run_shell_command", {"command": "@", "is_background": False}),
    "opencode": ("bash", {"command": "@", "description": "d", "workdir": "/w"}),
    "copilot": ("bash", {"command": "@", "sessionId": "a", "async": False}),
    "cline": ("run_commands", {"commands": ["@"]}),
    "cline of 2025": ("execute_command", {"command": "@", "requires_approval": False}),
    "crush": ("bash", {"command": "@", "description": "d"}),
    "goose": ("developer__shell", {"cmd": "@"}),
}
_FILES: dict[str, list[tuple[str, str, object]]] = {
    "claude-code": [
        ("file_read", "Read", {"file_path": "/w/a.py"}),
        ("file_write", "Write", {"file_path": "/w/a.py", "content": "x"}),
        ("file_edit", "Edit", {"file_path": "/w/a.py", "old_string": "x", "new_string": "y"}),
        ("file_edit", "MultiEdit", {"file_path": "/w/a.py", "edits": []}),
        ("file_edit", "NotebookEdit", {"notebook_path": "/w/a.py", "new_source": "y"}),
    ],
    "pi": [
        ("file_read", "read", {"path": "/w/a.py", "offset": 1}),
        ("file_write", "write", {"path": "/w/a.py", "content": "x"}),
        ("file_edit", "edit", {"path": "/w/a.py", "oldText": "x", "newText": "y"}),
    ],
    "gemini": [
        ("file_read", "read_file", {"absolute_path": "/w/a.py"}),
        ("file_read", "read_many_files", {"paths": ["/w/a.py"]}),
        ("file_write", "write_file", {"file_path": "/w/a.py", "content": "x"}),
        ("file_edit", "replace", {"file_path": "/w/a.py", "old_string": "x", "new_string": ""}),
    ],
    "qwen": [
        ("file_read", "read_file", {"file_path": "/w/a.py"}),
        ("file_edit", "edit", {"file_path": "/w/a.py", "old_string": "x", "new_string": "y"}),
    ],
    "opencode": [
        ("file_read", "read", {"filePath": "/w/a.py"}),
        ("file_write", "write", {"filePath": "/w/a.py", "content": "x"}),
        ("file_edit", "edit", {"filePath": "/w/a.py", "oldString": "x", "newString": "y"}),
        ("file_edit", "patch", {"patchText": "*** Begin Patch\n*** Update File: /w/a.py\n@@\n"}),
    ],
    "copilot": [
        ("file_read", "view", {"path": "/w/a.py"}),
        ("file_write", "create", {"path": "/w/a.py", "file_text": "x"}),
        ("file_edit", "edit", {"path": "/w/a.py", "old_str": "x", "new_str": "y"}),
    ],
    "cline": [
        ("file_read", "read_files", {"files": [{"path": "/w/a.py"}]}),
        ("file_write", "editor", {"path": "/w/a.py", "new_text": "x"}),
        ("file_edit", "editor", {"path": "/w/a.py", "old_text": "x", "new_text": "y"}),
        ("file_write", "write_to_file", {"path": "/w/a.py", "content": "x"}),
        ("file_edit", "replace_in_file", {"path": "/w/a.py", "diff": "x"}),
    ],
    "crush": [
        ("file_read", "view", {"file_path": "/w/a.py"}),
        ("file_write", "write", {"file_path": "/w/a.py", "content": "x"}),
        ("file_edit", "multiedit", {"file_path": "/w/a.py", "edits": []}),
    ],
    "goose": [
        ("file_read", "developer__text_editor", {"command": "view", "path": "/w/a.py"}),
        ("file_write", "developer__text_editor", {"command": "write", "path": "/w/a.py"}),
        ("file_edit", "developer__text_editor", {"command": "str_replace", "path": "/w/a.py"}),
    ],
    "codex": [
        ("file_write", "apply_patch", "*** Begin Patch\n*** Add File: /w/a.py\n+x\n*** End Patch"),
        ("file_edit", "shell", {"command": ["apply_patch",
                                            "*** Begin Patch\n*** Update File: /w/a.py\n@@\n"]}),
        ("file_read", "exec_command", {"cmd": "sed -n '1,200p' /w/a.py"}),
    ],
    "claw": [
        ("file_read", "read_file", {"path": "/w/a.py"}),
        ("file_edit", "edit_file", {"path": "/w/a.py", "old_string": "x", "new_string": "y"}),
    ],
}  # fmt: skip


def _with(given_: object, command: str) -> object:
    if isinstance(given_, dict):
        return {key: _with(value, command) for key, value in given_.items()}
    if isinstance(given_, list):
        return [_with(value, command) for value in given_]
    return command if given_ == "@" else given_


@pytest.mark.parametrize(
    "command",
    [
        "cd sub && FOO='a b' npm install && git add -A && git commit -m 'Do it' && git push",
        "cat README.md",
        "rg --hidden 'def x' src",
        "git -C other status --short | head",
        "cat > a.txt <<'EOF'\ngit push\nEOF",
    ],
)
def test_CM13_same_command_from_every_agent_gives_the_same_events(command: str) -> None:
    by_agent = {
        agent: found(used(name, _with(arguments, command), "out"))
        for agent, (name, arguments) in _SHELLS.items()
    }
    assert by_agent["claude-code"]
    assert all(one == by_agent["claude-code"] for one in by_agent.values()), by_agent


@given(
    st.text(
        st.sampled_from("ab cd$(){}'\";&|<>\n=-/.") | st.characters(codec="utf-8"), max_size=40
    ),
    st.sampled_from(("", "git commit -m ", "cat ", "cd ", "export A=", "npm install ")),
)
def test_CM13_any_command_from_every_agent(rest: str, start: str) -> None:
    by_agent = {
        str(found(used(name, _with(arguments, start + rest), "out")))
        for name, arguments in _SHELLS.values()
    }
    assert len(by_agent) == 1


@pytest.mark.parametrize("agent", _FILES)
def test_CM13_files_of_every_agent_give_the_same_events(agent: str) -> None:
    for type_, name, arguments in _FILES[agent]:
        assert told(used(name, arguments, "x"), "file_read", "file_write", "file_edit") == [
            (type_, "/w/a.py")
        ], name


def test_CM13_lists_of_tasks_of_every_agent_give_the_same_event() -> None:
    lists: list[tuple[str, object]] = [
        ("TodoWrite", {"todos": [{"content": "A", "status": "completed", "activeForm": "Aing"},
                                 {"content": "B", "status": "pending", "activeForm": "Bing"}]}),
        ("update_plan", {"explanation": "e", "plan": [{"step": "A", "status": "completed"},
                                                      {"step": "B", "status": "pending"}]}),
        ("write_todos", {"todos": [{"description": "A", "status": "completed"},
                                   {"description": "B", "status": "pending"}]}),
        ("todo_write", {"todos": [{"id": "1", "content": "A", "status": "completed"},
                                  {"id": "2", "content": "B", "status": "pending"}]}),
        ("todowrite", {"todos": '[{"content": "A", "status": "completed"},'
                                ' {"content": "B", "status": "pending"}]'}),
        ("update_todo", {"todos": "- [x] A\n- [ ] B"}),
        ("todo__todo_write", {"content": "* [x] A\n* [ ] B"}),
    ]  # fmt: skip
    for name, arguments in lists:
        assert told(used(name, arguments)) == [("task", "[completed] A\n[pending] B")], name


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("mcp__github__create_issue", "mcp"),
        ("mcp_context7_get-docs", "mcp"),
        ("jira__search", "mcp"),
        ("use_mcp_tool", "mcp"),
        ("developer__shell", "shell"),
        ("functions.exec_command", "shell"),
        ("AskUserQuestion", "ask"),
        ("request_user_input", "ask"),
        ("google_web_search", "web_search"),
        ("WebFetch", "fetch"),
        ("Task", "subagent"),
        ("spawn_agent", "subagent"),
        ("Skill", "skill"),
        ("EnterWorktree", "worktree"),
        ("TaskList", "other"),
        ("", "other"),
    ],
)
def test_kinds_of_names(name: str, kind: str) -> None:
    assert kind_of(name) == kind
    assert kind in KINDS


def test_a_shell_in_another_folder_says_which() -> None:
    assert folder(used("exec_command", {"cmd": "ls", "workdir": "/w/sub"})) == "/w/sub"
    assert folder(used("Bash", {"command": "ls"})) == ""
    assert folder(used("Read", {"file_path": "a", "cwd": "/w"})) == ""


def test_failed_and_open_calls() -> None:
    assert used("Bash", {"command": "x"}, failed=True).failed
    assert not used("Bash", {"command": "x"}, None).failed
    assert not done(used("Bash", {"command": "x"}, None))
    assert found(used("Write", {"file_path": "a", "content": "x"}, failed=True)) == []
    assert found(used("Write", {"file_path": "a", "content": "x"}, None)) == []


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner,
                                                                max_size=3),
    max_leaves=8,
)  # fmt: skip
_KEYS = st.sampled_from((
    "command", "cmd", "commands", "file_path", "path", "files", "paths", "pattern", "todos", "plan",
    "taskId", "subject", "status", "allowedPrompts", "patch", "input", "content", "workdir",
))  # fmt: skip
_NAMES = st.sampled_from((
    "Bash", "shell", "exec_command", "Read", "read_files", "Write", "Edit", "editor", "apply_patch",
    "Glob", "Grep", "TodoWrite", "TaskCreate", "TaskUpdate", "EnterPlanMode", "ExitPlanMode",
    "PowerShell", "",
))  # fmt: skip


@given(
    _NAMES | st.text(max_size=12),
    _JSON | st.dictionaries(_KEYS, _JSON, max_size=5),
    st.none() | st.text(max_size=60),
    st.booleans(),
)
def test_no_arguments_break_a_rule(
    name: str, given_: object, output: str | None, failed: bool
) -> None:
    one = used(name, given_, output, failed=failed)
    assert one.kind in KINDS
    for each in found(one):
        assert each.type
        assert each.category
        assert 1 <= each.priority <= 4
        assert len(each.data.encode("utf-8", "surrogatepass")) <= 4_096


def test_real_calls_of_every_agent_are_understood(samples: Path) -> None:
    """Of tools that work on files or run commands nothing real is left out."""
    unknown = set()
    agents = set()
    for _, session in sessions(samples, every=False):
        for call in calls(session.messages):
            one = used(call.call.name, call.call.input)
            withheld = isinstance(call.call.input, dict) and "redacted" in call.call.input
            agents.add(session.info.agent)
            bare = one.kind in ("read", "write", "edit") and not found(one)
            empty = one.kind in ("shell", "patch") and not (one.command or one.text)
            if (bare or empty) and not withheld:
                unknown.add((session.info.agent, call.call.name))
    assert len(agents) >= 8
    assert unknown == set()
