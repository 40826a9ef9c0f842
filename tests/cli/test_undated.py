"""Sessions of an agent that writes no times down."""

from __future__ import annotations

import json
from pathlib import Path

from .conftest import Cli


def test_CL1_a_session_without_a_time_is_undated_and_not_of_1970(cli: Cli) -> None:
    folder = Path(cli.environment.cwd) / ".port_sessions"
    folder.mkdir()
    stored = {"session_id": "abc", "messages": ["hello", "world"], "input_tokens": 12,
              "output_tokens": 34}  # fmt: skip
    (folder / "abc.json").write_text(json.dumps(stored, indent=2))
    evil = {**stored, "session_id": "../evil"}
    (folder / "evil.json").write_text(json.dumps(evil, indent=2))
    assert cli("import", str(folder)).code == 0
    assert cli("import", str(folder / "evil.json")).code == 16
    for argv in (("list", "--all"), ("log", "abc"), ("log", "abc", "--oneline"), ("branch", "-l")):
        done = cli(*argv)
        assert "undated" in done.out.lower() and "1970" not in done.out, done
        assert "years ago" not in done.out
    assert cli("list", "--all", "--json").json["sessions"][0]["native_id"] == "abc"
