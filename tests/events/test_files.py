"""Files and rule files."""

from __future__ import annotations

import pytest

from gitsession.events.rule_files import is_plan, is_rule
from gitsession.events.shown import shown

from .calling import found, ran, told, used

_PATCH = """*** Begin Patch
*** Add File: src/new.py
+one
+two
*** Update File: src/old.py
*** Move to: src/moved.py
@@ def x
-a
+b
*** Delete File: src/gone.py
*** Update File: src/old.py
@@
-c
+d
*** End Patch"""
_CODEX = """Command: /bin/zsh -lc 'cat a'
Chunk ID: 1
Wall time: 0.0 seconds
Process exited with code 0
Original token count: 1
Output:
a
"""
_R, _W, _E = ("file_read", 1), ("file_write", 1), ("file_edit", 1)
_G, _S, _RULE, _TEXT = ("file_glob", 3), ("file_search", 3), ("rule", 1), ("rule_content", 1)


@pytest.mark.parametrize(
    ("name", "given", "output", "expected"),
    [
        ("Read", {"file_path": "/w/a.py"}, "x", [(*_R, "/w/a.py")]),
        ("Edit", {"file_path": "/w/a.py"}, "ok", [(*_E, "/w/a.py")]),
        ("NotebookEdit", {"notebook_path": "/w/a.ipynb"}, "ok", [(*_E, "/w/a.ipynb")]),
        ("Write", {"file_path": "a.py", "content": "x"}, "ok", [(*_W, "a.py")]),
        ("apply_patch", _PATCH, "ok", [(*_W, "src/new.py"), (*_E, "src/old.py"),
                                       (*_E, "src/moved.py"), (*_E, "src/gone.py")]),
        ("Glob", {"pattern": "**/*.py"}, "a.py", [(*_G, "**/*.py")]),
        ("Glob", {"pattern": "*.py", "path": "/w/src"}, "", [(*_G, "*.py in /w/src")]),
        ("Grep", {"pattern": "def x", "path": "src"}, "", [(*_S, "def x in src")]),
        ("Grep", {"pattern": "def x"}, "", [(*_S, "def x in .")]),
        ("Read", {"file_path": "/w/CLAUDE.md"}, "     1→Use tabs.\n     2→Be brief.",
         [(*_RULE, "/w/CLAUDE.md"), (*_TEXT, "Use tabs.\nBe brief."), (*_R, "/w/CLAUDE.md")]),
        ("Read", {"file_path": "/w/AGENTS.override.md"}, "Be brief.",
         [(*_RULE, "/w/AGENTS.override.md"), (*_TEXT, "Be brief."),
          (*_R, "/w/AGENTS.override.md")]),
        ("read_file", {"absolute_path": "/w/GEMINI.md"}, "",
         [(*_RULE, "/w/GEMINI.md"), (*_R, "/w/GEMINI.md")]),
        ("read_file", {"file_path": "/w/sub/QWEN.md"}, "q",
         [(*_RULE, "/w/sub/QWEN.md"), (*_TEXT, "q"), (*_R, "/w/sub/QWEN.md")]),
        ("read", {"path": "KIRO.md"}, "k",
         [(*_RULE, "KIRO.md"), (*_TEXT, "k"), (*_R, "KIRO.md")]),
        ("view", {"path": "/w/.github/copilot-instructions.md"}, "1. c\n2. d",
         [(*_RULE, "/w/.github/copilot-instructions.md"), (*_TEXT, "c\nd"),
          (*_R, "/w/.github/copilot-instructions.md")]),
        ("Read", {"file_path": "/h/.claude/rules/tests.md"}, "t",
         [(*_RULE, "/h/.claude/rules/tests.md"), (*_TEXT, "t"),
          (*_R, "/h/.claude/rules/tests.md")]),
        ("Read", {"file_path": "/h/.claude/projects/-w/memory/MEMORY.md"}, "m",
         [(*_RULE, "/h/.claude/projects/-w/memory/MEMORY.md"), (*_TEXT, "m"),
          (*_R, "/h/.claude/projects/-w/memory/MEMORY.md")]),
        ("shell", {"command": ["bash", "-lc", "cat AGENTS.md"]}, "Be kind.\n",
         [(*_RULE, "AGENTS.md"), (*_TEXT, "Be kind."), (*_R, "AGENTS.md")]),
        ("Write", {"file_path": "/w/CLAUDE.md", "content": "New rule."}, "ok",
         [(*_RULE, "/w/CLAUDE.md"), (*_TEXT, "New rule."), (*_W, "/w/CLAUDE.md")]),
        ("Edit", {"file_path": "/w/CLAUDE.md", "new_string": "x"}, "ok", [(*_E, "/w/CLAUDE.md")]),
        ("read_files", {"files": [{"path": "a"}, {"path": "AGENTS.md"}]}, "both",
         [(*_R, "a"), (*_RULE, "AGENTS.md"), (*_R, "AGENTS.md")]),
        ("Read", {"file_path": ".claude/settings.json"}, "{}",
         [(*_RULE, ".claude/settings.json"), (*_R, ".claude/settings.json")]),
        ("Read", {}, "", []),
        ("LS", {"path": "/w"}, "a", []),
    ],
)  # fmt: skip
def test_CM6_exact_events(
    name: str, given: object, output: str, expected: list[tuple[str, int, str]]
) -> None:
    events = found(used(name, given, output))
    assert [(one.type, one.priority, one.data) for one in events] == expected
    assert {one.category for one in events} <= {"file", "rule"}


@pytest.mark.parametrize("name", ["Read", "Edit", "Write", "apply_patch", "Glob", "Grep"])
def test_CM6_nothing_of_a_tool_that_failed(name: str) -> None:
    given = {"file_path": "/w/CLAUDE.md", "pattern": "x", "input": _PATCH}
    assert found(used(name, given, "error", failed=True)) == []
    assert found(used(name, given, None)) == []


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cat a.py b.py", [("file_read", "a.py"), ("file_read", "b.py")]),
        ("sed -n '1,20p' src/a.py", [("file_read", "src/a.py")]),
        ("nl -ba 'src/my file.py' | sed -n '1,9p'", [("file_read", "src/my file.py")]),
        ("head -n 20 a && tail -5 b", [("file_read", "a"), ("file_read", "b")]),
        ("sed -i 's/a/b/' a.py", [("file_edit", "a.py")]),
        ("sed -i '' -e 's/a/b/' a.py", [("file_edit", "a.py")]),
        ("sed -i '' 's/a/b/' a.py b.py", [("file_edit", "a.py"), ("file_edit", "b.py")]),
        ("mv src/a.py lib", [("file_edit", "src/a.py"), ("file_edit", "lib/a.py")]),
        ("cd src && cp a.py ..", [("file_write", "a.py")]),
        ("mv Makefile make.old", [("file_edit", "Makefile"), ("file_edit", "make.old")]),
        ("rg -n 'def x|y' src tests", [("file_search", "def x|y in src tests")]),
        ("grep -rn --include '*.py' x .", [("file_search", "x in .")]),
        ("rg -g '*.py' TODO", [("file_search", "TODO in .")]),
        ("ls | grep x", []),
        ("git log | rg fix", []),
        ("find src -name '*.py' -type f", [("file_glob", "*.py in src")]),
        ("rg --files -g '*.md'", [("file_glob", "*.md")]),
        ("cat > a.txt <<'EOF'\ncat b.txt\nEOF", [("file_write", "a.txt")]),
        ("echo x >> log.txt", [("file_edit", "log.txt")]),
        ("printf x | tee -a b | tee c", [("file_edit", "b"), ("file_write", "c")]),
        ("rm old.py && mv a.py b.py && cp b.py c.py",
         [("file_edit", "old.py"), ("file_edit", "a.py"), ("file_edit", "b.py"),
          ("file_write", "c.py")]),
        ("rm -rf build", []),
        ("cat 'app/(auth)/[id]/[...slug].ts'", [("file_read", "app/(auth)/[id]/[...slug].ts")]),
        ("cat [a-z].py *.js", []),
        ("cat *.py $FILE > /dev/null", []),
        ("pytest > out.log 2>&1", []),
        ("cd src && cat a.py ../b.py /c.py",
         [("file_read", "src/a.py"), ("file_read", "b.py"), ("file_read", "/c.py")]),
        ("(cd src && cat a.py); cat a.py", [("file_read", "src/a.py"), ("file_read", "a.py")]),
        ("cd src; (cat a.py); rg x", [("file_read", "src/a.py"), ("file_search", "x in src")]),
        ("cd $X && cat a.py", [("file_read", "a.py")]),
        ("ssh host cat a.py", []),
    ],
)  # fmt: skip
def test_files_of_a_shell(command: str, expected: list[tuple[str, str]]) -> None:
    types = ("file_read", "file_write", "file_edit", "file_search", "file_glob")
    assert told(ran(command), *types) == expected


@pytest.mark.parametrize("piece", [" ", "\n", "1. \n", "/.a", "</file>", "(End of file", "- [x] "])
def test_long_outputs_and_paths_take_linear_time(piece: str) -> None:
    text = piece * 200_000
    assert shown(f"<file>\n{text}") is not None
    for name in ("Read", "Write", "TodoWrite", "ExitPlanMode", "apply_patch", "TaskCreate"):
        given = {"file_path": f"{text}/CLAUDE.md", "content": text, "todos": text, "plan": text,
                 "input": f"*** Begin Patch\n{text}", "subject": text}  # fmt: skip
        found(used(name, given, text))
        found(used(name, {"file_path": "CLAUDE.md", **given}, text))
        found(used(name, given, f"User has approved. feedback: {text}"))


def test_rules_written_by_a_shell_are_told_with_their_text() -> None:
    one = ran("cat > AGENTS.md <<'EOF'\nBe brief.\nEOF")
    assert told(one) == [
        ("rule", "AGENTS.md"), ("rule_content", "Be brief."), ("file_write", "AGENTS.md"),
    ]  # fmt: skip
    several = ran("cat AGENTS.md && git status", "Be brief.\nclean")
    assert told(several, "rule", "rule_content") == [("rule", "AGENTS.md")]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("CLAUDE.local.md", True), (r"C:\w\CLAUDE.md", True), ("/w/agents.md", True),
        (".cursorrules", True), (".cursor/rules/a.mdc", True), (".clinerules/a.md", True),
        (".kilocode/rules/a.md", True), (".kilo/rules/a.md", True), (".continue/rules/a.md", True),
        (".github/instructions/py.instructions.md", True), ("memory-bank/active.md", True),
        ("/h/.codex/memories/m.md", True), (".claude/settings.json", True),
        ("NOTCLAUDE.md", False), ("CLAUDE.md.bak", False), ("docs/memory/alloc.md", False),
        ("/h/.claude/projects/-w/1.jsonl", False), ("/h/.claude/plans/p.md", False),
        ("/h/.claude/skills/a/run.py", False), ("w/.claude/worktrees/b/src/readme.md", False),
        ("", False),
    ],
)  # fmt: skip
def test_rule_files(path: str, expected: bool) -> None:
    assert is_rule(path) is expected


def test_plan_files() -> None:
    assert is_plan("/h/.claude/plans/a.md")
    assert is_plan(r"C:\h\.claude\plans\a.md")
    assert is_plan("/w/.opencode/plans/a.md")
    assert not is_plan("docs/plans/a.md")


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("     1→a\n     2→\n     3→  b\n\n<system-reminder>x\n</system-reminder>\n", "a\n\n  b"),
        ("7\ta\n8\tb", "a\nb"),
        ("<file>\n00001| a\n00002| b\n\n(End of file - total 2 lines)\n</file>", "a\nb"),
        ("<path>/w/a</path>\n<type>file</type>\n<content>\n1: a\n2: b\n</content>", "a\nb"),
        (_CODEX, "a"),
        ("1. one\n2. two\n", "one\ntwo"),
        ("1. one\n1. two", "1. one\n1. two"),
        ("1. one\ntext\n2. two", "1. one\ntext\n2. two"),
        ("", ""),
    ],
)  # fmt: skip
def test_what_was_shown_of_a_file(output: str, text: str) -> None:
    assert shown(output) == text
