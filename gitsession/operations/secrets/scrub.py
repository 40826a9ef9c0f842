"""scrub: remove a value from every version, tag, name and record, drop the old objects, and keep
the value out from then on. It cannot be undone."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

from gitsession.errors import Conflict, FormatError, NotFound, UsageError
from gitsession.model.history import REMOTES
from gitsession.model.report import Scrubbed, ScrubPlan
from gitsession.operations import denied, read_messages
from gitsession.operations.searching import search_index
from gitsession.operations.secrets import mended, missed, outside
from gitsession.operations.secrets.removal import Removal
from gitsession.redaction.spellings import SHORTEST
from gitsession.store import rewritten
from gitsession.store.drop import alone, drop_unreachable
from gitsession.store.names import REMOTE_TAGS
from gitsession.store.rewrite import Rewriter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.environment import Environment
    from gitsession.operations.workspace import Workspace

_AGENTS = (
    "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI", "GEMINI_CLI", "QWEN_CODE",
    "OPENCODE", "KILO", "CURSOR_AGENT", "PI_CODING_AGENT", "AI_AGENT", "CLINE_ACTIVE",
    "GOOSE_TERMINAL", "VIBE_APP_SERVER_BIN",
)  # fmt: skip
"""Variables that agents set for the commands they run."""
_SHARED = "refs/gitsession/shared/"


def refuse_inside_agent(environment: Environment) -> None:
    """Raises Conflict inside an agent: what it reads, the value too, goes into its session."""
    found = [name for name in _AGENTS if environment.get(name)]
    if found:
        raise Conflict(
            f"scrub does not run inside an agent ({found[0]} is set), which would read the value",
            hint="open a terminal of your own and run it there",
        )


def value_from(workspace: Workspace, text: str) -> bytes:
    """Return the value that a text means: the text itself, or the value behind a placeholder that
    `scan --all` named. Raises UsageError, NotFound."""
    if text.startswith("__REDACTED_"):
        found = missed.values(workspace).get(text)
        if found is None:
            raise NotFound(
                "no unmasked value in the store has that placeholder",
                hint="`gitsession scan --all` lists those that do; --stdin takes a value",
            )
        return found
    value = text.encode("utf-8", "surrogateescape").strip(b"\r\n")
    if len(value) < SHORTEST:
        raise UsageError(
            f"a value needs {SHORTEST} bytes or more: shorter ones occur everywhere",
            hint="the value was not stored or printed",
        )
    return value


def plan(workspace: Workspace, values: Mapping[bytes, str]) -> ScrubPlan:
    """Return where the values occur: in objects, in the refs of which remotes, in files of agents.
    Writes nothing."""
    removal = Removal(values)
    removal.look(workspace.store)
    return ScrubPlan(
        placeholders=tuple(dict.fromkeys(values.values())),
        objects=dict(removal.kinds),
        total=removal.total,
        remotes=tuple(outside.remotes(workspace, removal)),
        natives=tuple(outside.native_files(workspace, removal)),
    )


def missed_values(workspace: Workspace) -> dict[bytes, str]:
    """Return what today's rules find unmasked in this user's own stored versions."""
    return {value: name for name, value in missed.values(workspace, own=True).items()}


def named(workspace: Workspace, value: bytes) -> dict[bytes, str]:
    """Return a value with the placeholder that will replace it."""
    return {value: workspace.redactor().named(value)}


def scrub(
    workspace: Workspace, values: Mapping[bytes, str], deny: bool = True, verb: str = "scrub"
) -> Scrubbed:
    """Remove the values from everything here. Raises StoreBusy, FormatError, Conflict.

    If it is killed midway, simply run it again: refs name old versions or new ones, all of them
    whole.
    """
    store = workspace.store
    if deny:  # first of all: no save may write the value again
        rules = {value: _rule(name) for value, name in values.items()}
        denied.add(workspace.environment, workspace.key, rules)
        workspace.forget_scanners()
    with alone(store, workspace.config["lock.timeout"]):
        removal = Removal(values)
        removal.look(store)
        refs = store.refs()
        rewriter = Rewriter(store, removal)
        rewriter.run(identity for ref, identity in refs.items() if not mended.is_dropped(ref))
        lost = dict(_at_remotes(refs, rewriter))
        if rewriter.ids:
            rewritten.remember(store, rewriter.ids, lost)
        moved = mended.refs(store, rewriter, removal, lost)
        mended.records(workspace, removal, moved)
        mended.settings(store, removal)
        for name in set(values.values()):
            store.records.remove("allowed", name)
        mended.start_log_anew(workspace, verb)
        read_messages.forget_all(workspace)
        search_index.forget(workspace)
        drop_unreachable(store)
        left = removal.left_in(store)
    if left:
        raise FormatError(
            f"the value is still in {len(left)} places of the store",
            hint="nothing more can be done automatically; check them by hand",
            candidates=tuple(left[:20]),
        )
    return Scrubbed(
        placeholders=tuple(dict.fromkeys(values.values())),
        versions=len(rewriter.ids),
        contents=rewriter.blobs,
        checked=removal.checked,
        time=int(time.time()),
        remotes=tuple(sorted({ref.split("/")[_REMOTE_AT[_prefix(ref)]] for ref in lost})),
        natives=tuple(outside.native_files(workspace, removal)),
    )


_REMOTE_AT = {REMOTES: 2, REMOTE_TAGS: 3}


def _prefix(ref: str) -> str:
    return REMOTES if ref.startswith(REMOTES) else REMOTE_TAGS


def _rule(placeholder: str) -> str:
    return placeholder.removeprefix("__REDACTED_")[: -len("_01234567__")]


def _at_remotes(refs: Mapping[str, str], rewriter: Rewriter) -> Iterator[tuple[str, str]]:
    """Yield the remote-tracking refs of the old history, which must not pass for the new one."""
    for ref, identity in refs.items():
        if ref.startswith((REMOTES, REMOTE_TAGS)) and identity in rewriter.ids:
            yield ref, identity
