"""Summaries from a user's command that reads text on standard input and prints the summary."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from gitsession.context.claw import tidy
from gitsession.errors import GitSessionError, UsageError
from gitsession.files import make_private, replace

TIMEOUT = 300.0
_LARGEST = 1 << 20

PROMPT = """\
Summarise the conversation below for a colleague who goes on with it. Keep every decision, \
requirement, number, name and path. Use the sections Objective, Important Details, Work State \
(Completed, Active, Blocked), Next Move, Relevant Files. Answer with the summary alone.

"""


class Summarizer:
    """A command as a function from text to summary.

    `command` is split as a shell would do it, but run without a shell. `mac` is a keyed hash of
    bytes; it names the file in `cache` that holds an earlier answer. `clean` removes secrets from
    the command's output before it is kept.
    """

    def __init__(
        self,
        command: str,
        cache: Path,
        mac: Callable[[bytes], str],
        *,
        clean: Callable[[str], str] = str,
        variables: dict[str, str] | None = None,
        timeout: float = TIMEOUT,
    ) -> None:
        self._command = _split(command)
        self._cache, self._mac, self._clean = cache, mac, clean
        self._variables, self._timeout = variables, timeout

    def __call__(self, text: str) -> str:
        """Return a summary of `text`. Raises GitSessionError if the command fails; then nothing is
        kept."""
        given = (PROMPT + text).encode("utf-8", "replace")
        name = self._mac("\0".join(self._command).encode() + b"\0" + given)
        path = self._cache / f"{name}.txt"
        try:
            return path.read_text("utf-8")
        except (OSError, ValueError):
            pass
        summary = self._clean(tidy(self._run(given).decode("utf-8", "replace")))
        if not summary.strip():
            raise GitSessionError("the summarizer gave no text", hint=_HINT)
        self._keep(path, summary)
        return summary

    def _run(self, given: bytes) -> bytes:
        try:
            done = subprocess.run(
                self._command, input=given, capture_output=True, timeout=self._timeout,
                env=self._variables, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise GitSessionError(
                f"the summarizer gave no answer in {self._timeout:g} seconds", hint=_HINT
            ) from None
        except OSError as error:
            reason = error.strerror or "it cannot be run"
            raise GitSessionError(
                f"the summarizer cannot be started: {reason}", hint=_HINT
            ) from None
        if done.returncode:
            raise GitSessionError(f"the summarizer ended with {done.returncode}", hint=_HINT)
        return done.stdout[:_LARGEST]

    def _keep(self, path: Path, summary: str) -> None:
        try:
            make_private(self._cache)
            replace(path, summary.encode("utf-8", "replace"))
        except OSError:
            return  # without a writable cache, only slower


_HINT = (
    "gitsession config context.summarizer shows the command; without one a local summary is made"
)


def _split(command: str) -> Sequence[str]:
    try:
        words = shlex.split(command)
    except ValueError:
        words = []
    if not words:
        raise UsageError("the summarizer is no command", hint=_HINT)
    return words
