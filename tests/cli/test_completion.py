"""The scripts complete the program by both of its names, and as a verb of git."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import Cli

_TRY = """
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
case "$1" in
  git) _git_session ;;
  *) function=$(complete -p "$1" | sed 's/.*-F \\([^ ]*\\).*/\\1/')
     "$function" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}" ;;
esac 2>/dev/null
echo "${COMPREPLY[*]}|${#COMP_WORDS[@]}"
"""


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("gitsession checko", "checkout"), ("git-session checko", "checkout"),
        ("git session checko", "checkout"), ("git -C . session checko", "checkout"),
        ("git session hooks ins", "install"), ("git session log --onel", "--oneline"),
        ("git session log session --onel", "--oneline"),
    ],
)  # fmt: skip
def test_bash_completes_it_as_git_calls_it(
    cli: Cli, tmp_path: Path, typed: str, completed: str
) -> None:
    """git's completion calls `_git_session` with the words of the whole line."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash")
    script = tmp_path / "script"
    script.write_text(cli("completion", "bash").out)
    words = typed.split()
    done = subprocess.run(
        [bash, "--norc", "-c", _TRY, "try", str(script), *words],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == f"{completed}|{len(words)}\n", done.stderr


def test_zsh_and_fish_know_the_other_name(cli: Cli) -> None:
    zsh = cli("completion", "zsh").out
    assert zsh.startswith("#compdef gitsession git-session\n")
    assert "compdef _shtab_gitsession -N gitsession git-session\n" in zsh
    assert "complete -c git-session -w gitsession\n" in cli("completion", "fish").out


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_shell_can_read_it(cli: Cli, tmp_path: Path, shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"no {shell}")
    script = tmp_path / "script"
    script.write_text(cli("completion", shell).out)
    subprocess.run([program, "-n", str(script)], check=True, capture_output=True)
