"""delete names what began in the session that goes."""

from __future__ import annotations

from pathlib import Path

from tests.opencode_builder import OPENCODE_ID, OpenCode

from .conftest import Cli


def test_OC24_delete_lists_the_children_first(cli: Cli) -> None:
    path = Path(cli.environment.home) / ".local" / "share" / "opencode" / "opencode.db"
    cwd = cli.environment.cwd
    child = OpenCode("ses_ccccccccccccnewchild000000", cwd).ask("look for it")
    child.assistant("stop", {"type": "text", "text": "found"})
    child.more = {"parentID": OPENCODE_ID}
    for session in (OpenCode(cwd=cwd).turn(1), child):
        session.save(path)
        assert cli("save", session.session_id).code == 0
    kept = cli("delete", "question-1", stdin="n\n")
    assert kept.code == 2  # nobody there to ask
    assert "look-for-it" in kept.err and "was forked from it and stays" in kept.err
    done = cli("--json", "delete", "question-1", "--yes")
    assert done.json["session"].startswith("question-1")
    assert "look-for-it" in cli("list").out
