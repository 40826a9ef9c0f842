"""A real shell reads commands as we do: which words it runs, for commands made at random."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from gitsession.events.script import parse

_BASH = shutil.which("bash")
_PIECES = (
    "a", "b", " ", " ", "'", '"', "\\", "#", "\n", "=", "}", "-", " && run ", " ; run ", "\n run ",
    "$'x\\'y'", "<<E\nq '\"\nE\n", "<<-E\n\tq\n\tE\n", "(run d)", " 1>&2 ", " >/dev/null ",
)  # fmt: skip
"""No pipes: what runs at once tells of itself at once."""
_SCRIPT = """exec 9>told
run() {{ {{ printf '%s\\0' run "$@"; printf '\\1'; }} >&9; }}
{command}"""


def commands(number: int) -> list[str]:
    made = random.Random(20)
    texts = ("".join(made.choices(_PIECES, k=made.randint(1, 9))) for _ in range(number))
    return [f"run {text} end" for text in texts]


def by_bash(command: str, folder: Path) -> list[tuple[str, ...]] | None:
    """The words of each `run` that bash ran; None for a command that it does not take."""
    assert _BASH
    answer = subprocess.run(
        [_BASH, "--norc", "-c", _SCRIPT.format(command=command)],
        stdin=subprocess.DEVNULL, capture_output=True, cwd=folder, env={"PATH": ""}, check=False,
    )  # fmt: skip
    if answer.stderr:
        return None
    runs = (folder / "told").read_bytes().decode().split("\1")[:-1]
    return sorted(tuple(run.split("\0")[:-1]) for run in runs)


@pytest.mark.skipif(_BASH is None, reason="no bash here")
def test_random_commands_run_what_bash_runs(tmp_path: Path) -> None:
    compared = 0
    for command in commands(300):
        ran = by_bash(command, tmp_path)
        if ran is not None:
            ours = [one.words for one in parse(command) if one.words[:1] == ("run",)]
            assert sorted(ours) == ran, command
            compared += 1
    assert compared > 50
