"""`snapshot --hook AGENT`: what the line for a session's start calls. The agent waits for it.

It answers with one line of JSON or with nothing, always with 0, and after some seconds it gives up.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time

from gitsession.cli.hook import plain_name, said, where, why
from gitsession.errors import StoreNotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from gitsession.cli.context import Context

SECONDS = 3.0
"""What an agent waits at most; its own patience (see `agents.hooks`) is longer."""


class OutOfTime(BaseException):
    """Not an Exception: nothing on the way takes it for a failure that it could go on after."""


def run_start_hook(agent: str, context: Context) -> int:
    """Answer the agent that tells on standard input which session starts, and why. Whatever goes
    wrong is a line in the log, never in the answer."""
    begun = time.monotonic()
    agent = plain_name(agent)
    text = ""
    try:
        with _limit(SECONDS, lambda: _log(context, begun, agent, "failed", "is stuck")):
            text = _text(agent, context, begun)
        _answer(text, context)
    except OutOfTime:
        _log(context, begun, agent, "failed", f"took more than {SECONDS:.0f} seconds")
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the agent must not see it
        _log(context, begun, agent, "failed", why(error, context))
    return 0


def _text(agent: str, context: Context, begun: float) -> str:
    """What to tell the agent, "" for nothing; why that is so stands in the log."""
    from gitsession.config import load_config
    from gitsession.operations.hooking import hook_call, start_cases

    call = hook_call.parse(agent, said(context, hook_call.LARGEST))
    event = f"{call.event}:{call.source}"
    if not start_cases.may_give(load_config(context.environment), call.source):
        _log(context, begun, agent, event, "nothing")
        return ""
    context.environment = where(context, call)
    try:
        return context.repository().snapshot_for(call)
    except StoreNotFound:
        _log(context, begun, agent, event, "no-store")
        return ""


def _answer(text: str, context: Context) -> None:
    """The form that Claude Code began with; the others took it over."""
    if text:
        import json

        told = {"hookEventName": "SessionStart", "additionalContext": text}
        context.terminal.write(json.dumps({"hookSpecificOutput": told}) + "\n")


def _log(context: Context, begun: float, *words: str) -> None:
    from gitsession.operations.hooking import hook_log

    hook_log.write(context.environment, *words, f"{(time.monotonic() - begun) * 1000:.0f}ms")


@contextlib.contextmanager
def _limit(seconds: float, at_last: Callable[[], None]) -> Iterator[None]:
    """OutOfTime after that many seconds; a second later the process ends wherever it is."""
    if not hasattr(signal, "setitimer"):  # the agent's own patience is the limit there
        yield
        return
    passed: list[bool] = []

    def out(_: int, __: FrameType | None) -> None:
        if passed:
            at_last()
            os._exit(0)
        passed.append(True)
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, out)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
