"""`snapshot --hook AGENT`: called by the entry for a session's start. The agent waits for it.

It prints one line of JSON or nothing, always exits 0, and gives up after some seconds.
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
"""The longest time an agent waits; the agent's own timeout (see `agents.hooks`) is longer."""


class OutOfTime(BaseException):
    """Raised when time is up. Not an Exception, so that no handler on the way swallows it."""


def run_start_hook(agent: str, context: Context) -> int:
    """Answer the agent that describes on standard input which session starts, and why. Whatever
    goes wrong is a line in the log, never part of the answer."""
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
    """Return what to tell the agent, "" for nothing; the reason is in the log."""
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
    """Print the answer in the form that Claude Code introduced and the others adopted."""
    if text:
        import json

        told = {"hookEventName": "SessionStart", "additionalContext": text}
        context.terminal.write(json.dumps({"hookSpecificOutput": told}) + "\n")


def _log(context: Context, begun: float, *words: str) -> None:
    from gitsession.operations.hooking import hook_log

    hook_log.write(context.environment, *words, f"{(time.monotonic() - begun) * 1000:.0f}ms")


@contextlib.contextmanager
def _limit(seconds: float, at_last: Callable[[], None]) -> Iterator[None]:
    """Raise OutOfTime after that many seconds; one second later, end the process wherever it is."""
    if not hasattr(signal, "setitimer"):  # there, the agent's own timeout is the limit
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
