"""`save --auto --hook AGENT`: called by an agent's settings. Silent; always exits 0."""

from __future__ import annotations

import contextlib
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.cli.context import Context
    from gitsession.environment import Environment
    from gitsession.operations.hooking.hook_call import HookCall

_LONGEST_NAME, _LONGEST_WITH_DIGITS = 20, 12


def run_hook(agent: str, context: Context) -> int:
    """Save the session described on standard input. Whatever goes wrong goes to the log and the
    next `status`, never to the agent."""
    begun = time.monotonic()
    _leave_the_agent()
    agent = plain_name(agent)
    try:
        _run(agent, context)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the agent must not see it
        _tell(agent, context, error, begun)
    return 0


def plain_name(agent: str) -> str:
    """Return an agent's name as it may appear in the log: nothing that could be someone's token."""
    most = _LONGEST_WITH_DIGITS if any(map(str.isdigit, agent)) else _LONGEST_NAME
    plain = agent.isascii() and agent.replace("-", "").isalnum()
    return agent if plain and len(agent) <= most else "unknown"


def _leave_the_agent() -> None:
    """Start a session of our own, so that an agent that ends its process group does not end us."""
    with contextlib.suppress(OSError, AttributeError):
        os.setsid()  # a group leader cannot, and some systems have no sessions


def _run(agent: str, context: Context) -> None:
    from gitsession.operations.hooking import hook_call, hook_log
    from gitsession.operations.paused import is_paused

    call = hook_call.parse(agent, said(context, hook_call.LARGEST))
    if is_paused(context.environment, agent):  # before a store is created for nothing
        hook_log.write(context.environment, agent, call.event, "paused")
        return
    context.environment = where(context, call)
    context.repository(create=True).save_call(call)


def said(context: Context, most: int) -> bytes:
    """Return what the agent wrote to standard input, at most one byte more than allowed."""
    stream = getattr(context.terminal.stdin, "buffer", None)
    if context.terminal.stdin.isatty():
        return b""
    data: bytes | str = (
        stream.read(most + 1) if stream is not None else context.terminal.stdin.read(most + 1)
    )
    return data.encode() if isinstance(data, str) else data


def where(context: Context, call: HookCall) -> Environment:
    """Return the user's environment in the agent's working folder, which may have a bound store."""
    here = context.environment
    if call.cwd and os.path.isdir(call.cwd):
        return here.at(call.cwd)
    return here


def _tell(agent: str, context: Context, error: BaseException, begun: float) -> None:
    """Log the failure and record it for the next `status`, as far as the disk allows."""
    from gitsession.operations import failures
    from gitsession.operations.hooking import hook_log

    text = why(error, context)
    failures.note_outside(context.environment, f"{agent}/hook", text)
    milliseconds = f"{(time.monotonic() - begun) * 1000:.0f}ms"
    hook_log.write(context.environment, agent, "failed", milliseconds, text)


def why(error: BaseException, context: Context) -> str:
    """Return why a hook call failed, for the log; a bug is also written to the bug log."""
    from gitsession.operations.hooking.automatic import reason
    from gitsession.operations.hooking.hook_call import BrokenCall

    if isinstance(error, BrokenCall):
        return str(error)
    text = _cleaned(reason(error), context)
    if text.startswith("this is a bug"):
        from gitsession.cli.failure import write_bug_log

        write_bug_log(error, context.environment)
    return text


def _cleaned(text: str, context: Context) -> str:
    """Return the text without what looks like a secret; without a key, a fixed sentence instead."""
    try:
        from gitsession.config import load_key
        from gitsession.redaction import Redactor

        return Redactor(load_key(context.environment)).clean(text)
    except Exception:  # noqa: BLE001 - the key may be what is wrong
        return "the store could not be opened"
