"""context, diagnose, verify-facts: a version as a model would see it. Writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gitsession import snapshot
from gitsession.context import tokens
from gitsession.context.build import build
from gitsession.context.detect import Detector
from gitsession.context.diagnose import Diagnosis, missing_facts
from gitsession.context.diagnose import diagnose as look
from gitsession.context.known_counts import KnownCounts
from gitsession.context.limits import limits
from gitsession.context.tail import Limits, overflows, usable
from gitsession.context.wishes import Wishes
from gitsession.errors import UsageError
from gitsession.model.message import Message, Usage
from gitsession.operations import read_messages, show
from gitsession.operations.marking import key_marks
from gitsession.operations.saving import instruction_files

if TYPE_CHECKING:
    from pathlib import Path

    from gitsession.context.entry import Context
    from gitsession.model.history import Version
    from gitsession.model.session import Session
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved

_OWN_LIMITS = "limits.yaml"
_VERDICTS = "key-messages.counts"


@dataclass(frozen=True, slots=True)
class View:
    """How a version is to be shown. `budget` 0 means what the session's model takes; `keys` are
    messages that stay whole in addition to those marked by tags; `system_prompt` replaces the
    session's own; `count` is LobeChat's history count; `local` makes summaries without the user's
    command; without `instructions` a request holds no instruction files."""

    budget: int = 0
    strategy: str = "default"
    recent: int = 0
    count: int = 0
    keys: tuple[int, ...] = ()
    system_prompt: str = ""
    estimator: str = ""
    model: str = ""
    local: bool = False
    instructions: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """A diagnosis, and the first version that contains the message stating the fact."""

    diagnosis: Diagnosis
    context: Context
    version: Version | None = None


@dataclass(frozen=True, slots=True)
class Fill:
    """Tokens that the newest answer used, and how many are usable; whether it states its usage, and
    whether a compaction is due (OpenCode's rule)."""

    used: int
    usable: int
    stated: bool
    over: bool


def context(workspace: Workspace, found: Resolved, view: View) -> Context:
    """Return the context of a version (`REV:N`: of the conversation up to message N)."""
    with read_messages.unswept():
        session = session_of(workspace, found)
        return of_session(workspace, found, session, view, view.system_prompt)


def fill(workspace: Workspace, found: Resolved, view: View) -> Fill:
    """Return how full the model was when the newest answer came, by the usage that the answer
    states. The limits are the model's; a `view.budget` replaces what is usable."""
    session = session_of(workspace, found)
    usage = next((m.usage for m in reversed(session.messages) if m.usage is not None), None)
    known = limits(model_of(session, view), own_limits(workspace))
    bounds = Limits(context=view.budget) if view.budget else known
    used = usage or Usage()
    return Fill(used.total, usable(bounds), usage is not None, overflows(used, bounds))


def diagnose(workspace: Workspace, found: Resolved, fact: str, view: View) -> Answer:
    """Return why a fact is not in the context, or where it is. Raises UsageError."""
    if not fact.strip():
        raise UsageError("no fact to look for", hint='--fact "JWT"')
    session = session_of(workspace, found)
    session = session._replace(instructions=instruction_files.shown(workspace, found.commit))
    built = of_session(workspace, found, session, view, view.system_prompt)
    keys = _keys(workspace, found, session, view)
    diagnosis = look(session, built, fact, keys=keys, prompt=own_prompt(session))
    version = None
    if diagnosis.message:
        version = version_of_message(workspace, found, session.messages[diagnosis.message - 1])
    return Answer(diagnosis, built, version)


def verify_facts(
    workspace: Workspace, found: Resolved, facts: Iterable[str], view: View
) -> tuple[str, ...]:
    """Return those facts (one per line) that the context does not contain."""
    return missing_facts(context(workspace, found, view), facts)


def session_of(workspace: Workspace, found: Resolved) -> Session:
    """Return the session of a revision with its messages, up to the one that the revision names."""
    session = read_messages.session_of(workspace, found.commit)
    if found.message:
        show.message(session, found.message)
        session = session._replace(messages=session.messages[: found.message])
    return session


def counter(workspace: Workspace, name: str = "") -> tokens.Counter:
    """Return the counter with that name, else the configured one."""
    wanted = name or workspace.config["context.estimator"]
    return tokens.counter(wanted, _counts(workspace), workspace.key)


def _counts(workspace: Workspace) -> Path:
    """Return the folder that caches the token counts of texts."""
    return workspace.environment.cache_dir / "tiktoken"


def of_session(
    workspace: Workspace, found: Resolved, session: Session, view: View, system: str
) -> Context:
    detector = Detector(KnownCounts(_counts(workspace) / _VERDICTS, workspace.key))
    wishes = Wishes(
        recent=view.recent,
        count=view.count,
        summarize=None if view.local else _summarizer(workspace, found),
        kind_of=detector.kind_of,
    )
    counting = counter(workspace, view.estimator)
    built = build(
        session,
        view.budget or budget_of(workspace, session, view),
        view.strategy,
        counter=counting,
        keys=_keys(workspace, found, session, view),
        system=system,
        wishes=wishes,
    )
    if isinstance(counting, tokens.Tiktoken):
        counting.remember()
    detector.remember()
    return built


def _keys(workspace: Workspace, found: Resolved, session: Session, view: View) -> tuple[int, ...]:
    for number in view.keys:
        show.message(session, number)  # raises if there is none
    return (*view.keys, *key_marks.numbers(workspace, found, session))


def model_of(session: Session, view: View) -> str:
    return view.model or (session.info.models[-1] if session.info.models else "")


def budget_of(workspace: Workspace, session: Session, view: View) -> int:
    return usable(limits(model_of(session, view), own_limits(workspace)))


def own_limits(workspace: Workspace) -> Path:
    return workspace.environment.config_dir / _OWN_LIMITS


def own_prompt(session: Session) -> str:
    """Return the system prompt that the session itself begins with, "" if there is none."""
    first = session.messages[0] if session.messages else None
    return first.text if first is not None and first.role == "system" else ""


def _summarizer(workspace: Workspace, found: Resolved) -> Callable[[str], str] | None:
    """Return the user's summarizer command; None for somebody else's session: it gets none."""
    command = workspace.config["context.summarizer"]
    if not command or not workspace.store.is_own(found.commit):
        return None
    from gitsession.context.summarizer import Summarizer

    return Summarizer(
        command,
        workspace.environment.cache_dir / "summaries",
        workspace.mac,
        clean=lambda text: str(workspace.redactor().clean(text)),
        variables=dict(workspace.environment.variables),
    )


def version_of_message(workspace: Workspace, found: Resolved, message: Message) -> Version | None:
    """Return the oldest version in the history of `found` that holds a message's record; None if
    that is not known."""
    if message.record < 0:
        return None
    line = list(workspace.store.log([found.commit], limit=0))[::-1]
    first, last = 0, len(line) - 1
    while first < last:
        middle = (first + last) // 2
        head = snapshot.decode_head(workspace.store.tree(line[middle].tree))
        if head.session.stream(message.stream).count > message.record:
            last = middle
        else:
            first = middle + 1
    return line[first] if line else None
