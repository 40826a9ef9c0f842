"""The scores of the redaction kit: recall by tier and context, negatives, disguises, cut tokens.

Needs the kit's folder (GITSESSION_REDACTION_KIT, else ../shared/redaction beside the project); the
secrets are made up from a seed at run time.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
_KIT = Path(os.environ.get("GITSESSION_REDACTION_KIT", _ROOT.parent / "shared" / "redaction"))

_BARS = {"structured": 99.8, "contextual": 99.3, "free prose": 98.0, "wrapped lines": 92.0}
"""Per cent of the secrets of each sort, on every seed."""

pytestmark = pytest.mark.skipif(not _KIT.is_dir(), reason="no redaction kit")


def kit(tmp_path: Path, script: str, *arguments: str) -> str:
    """What a script of the kit prints about our functions; fails where the script does."""
    variables = {
        "PATH": os.environ.get("PATH", os.defpath), "PYTHONPATH": str(_ROOT),
        "HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, str(_KIT / script), *arguments],
        env=variables, cwd=tmp_path, capture_output=True, text=True, timeout=250, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("seed", ["31337", "8080"])
def test_recall_and_negatives(tmp_path: Path, seed: str) -> None:
    told = kit(tmp_path, "harness.py", "gitsession:redact", "--seed", seed, "--gates")
    assert "0 of 42 kinds" in told
    for tier, bar in _BARS.items():
        row = next(line for line in told.splitlines() if line.startswith(tier))
        assert float(row[len(tier) :].split()[1]) >= bar, told


def test_json_stays_json(tmp_path: Path) -> None:
    told = kit(
        tmp_path, "harness.py", "gitsession:redact_json", "--mode", "json", "--seed", "5150",
        "--gates",
    )  # fmt: skip
    assert "records broken, 0 with a broken inner document" in told
    assert "JSON: 0 of" in told


def test_no_disguise_that_must_be_seen_survives(tmp_path: Path) -> None:
    assert 'rows "must" with survivors: none' in kit(tmp_path, "attacks.py", "gitsession:redact")


def test_tokens_cut_by_a_border(tmp_path: Path) -> None:
    told = kit(tmp_path, "split.py", "gitsession:redact_all")
    line = next(line for line in told.splitlines() if line.startswith("cut tokens"))
    whole, _, gone = line.partition(", with the border scan ")
    assert int(gone) >= int(whole.split()[2].rstrip(";")) - 1, told
    assert ", 0 false joins" in told
