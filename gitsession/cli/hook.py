"""`save --auto --hook AGENT`: what the line in an agent's settings calls. Silent, and always 0."""

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
    """Save the session that standard input tells of. Whatever goes wrong goes to the log and to
    the next `status`, never to the agent."""
    begun = time.monotonic()
    _leave_the_agent()
    agent = plain_name(agent)
    try:
        _run(agent, context)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the agent must not see it
        _tell(agent, context, error, begun)
    return 0


def plain_name(agent: str) -> str:
    """An agent's name as it may stand in the log: nothing that could be a token of somebody."""
    most = _LONGEST_WITH_DIGITS if any(map(str.isdigit, agent)) else _LONGEST_NAME
    plain = agent.isascii() and agent.replace("-", "").isalnum()
    return agent if plain and len(agent) <= most else "unknown"


def _leave_the_agent() -> None:
    """A session of its own, so that an agent that ends its process group does not end this."""
    with contextlib.suppress(OSError, AttributeError):
        os.setsid()  # a group's leader cannot, and some systems have no sessions


def _run(agent: str, context: Context) -> None:
    from gitsession.operations.hooking import hook_call, hook_log
    from gitsession.operations.paused import is_paused

    call = hook_call.parse(agent, said(context, hook_call.LARGEST))
    if is_paused(context.environment, agent):  # before a store is made for nothing
        hook_log.write(context.environment, agent, call.event, "paused")
        return
    context.environment = where(context, call)
    context.repository(create=True).save_call(call)


def said(context: Context, most: int) -> bytes:
    """What the agent says on standard input, one byte more than is allowed at most."""
    stream = getattr(context.terminal.stdin, "buffer", None)
    if context.terminal.stdin.isatty():
        return b""
    data: bytes | str = (
        stream.read(most + 1) if stream is not None else context.terminal.stdin.read(most + 1)
    )
    return data.encode() if isinstance(data, str) else data


def where(context: Context, call: HookCall) -> Environment:
    """The user's environment, in the folder that the agent works in: it may have a store bound."""
    here = context.environment
    if call.cwd and os.path.isdir(call.cwd):
        return here.at(call.cwd)
    return here


def _tell(agent: str, context: Context, error: BaseException, begun: float) -> None:
    """A line in the log, and a failure for the next `status`; both as far as the disk lets us."""
    from gitsession.operations import failures
    from gitsession.operations.hooking import hook_log

    text = why(error, context)
    failures.note_outside(context.environment, f"{agent}/hook", text)
    milliseconds = f"{(time.monotonic() - begun) * 1000:.0f}ms"
    hook_log.write(context.environment, agent, "failed", milliseconds, text)


def why(error: BaseException, context: Context) -> str:
    """Why a call of a hook failed, for the log; what is a bug goes to the log of those, too."""
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
    """The text without what looks like a secret; without the key nothing is repeated."""
    try:
        from gitsession.config import load_key
        from gitsession.redaction import Redactor

        return Redactor(load_key(context.environment)).clean(text)
    except Exception:  # noqa: BLE001 - the key may be what is wrong
        return "the store could not be opened"
