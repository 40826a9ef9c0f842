"""scan --audit asks every plugin; files may excuse a line, transcripts never."""

from __future__ import annotations

import json
from pathlib import Path

from gitsession.environment import Environment
from gitsession.redaction.audit import baseline_hash
from gitsession.repository import Repository
from tests.cli.conftest import Cli
from tests.operations.conftest import LiveSession

TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
ENTROPY = "c3VwZXIgbG9uZyBzdHJpbmcgc2hvdWxkIGNhdXNl"


def test_only_the_audit_names_bare_entropy(
    repository: Repository, live: LiveSession, environment: Environment
) -> None:
    file = Path(environment.cwd) / "notes.txt"
    file.write_text(f'one\nvalue = "{ENTROPY}"\n')
    assert not repository.scan([str(file)])
    [finding] = repository.scan([str(file)], audit=True)
    assert finding.place.endswith("notes.txt:2") and "entropy" in finding.rule
    live.turn(f"look at '{ENTROPY}' here", "ok")
    repository.save()
    assert not repository.scan(everything=True)
    assert {one.placeholder for one in repository.scan(everything=True, audit=True)} == {
        finding.placeholder
    }
    assert Cli(environment)("scan", "--all", "--audit").code == 1


def test_pragmas_and_baselines_count_in_files_alone(
    repository: Repository, live: LiveSession, environment: Environment
) -> None:
    folder = Path(environment.cwd)
    file = folder / "config.py"
    file.write_text(f'KEY = "{TOKEN}"  # pragma: allowlist secret\n')
    assert not repository.scan([str(file)])
    file.write_text(f'KEY = "{TOKEN}"\n')
    assert repository.scan([str(file)])
    row = {"type": "GitHub Token", "hashed_secret": baseline_hash(TOKEN), "line_number": 1}
    (folder / ".secrets.baseline").write_text(json.dumps({"results": {"config.py": [row]}}))
    assert not repository.scan([str(file)])
    live.turn(f'KEY = "{TOKEN}"  # pragma: allowlist secret', "ok")
    repository.save()
    assert repository.findings("HEAD")
