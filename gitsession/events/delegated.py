"""Delegated work: subagents and their findings, skills."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from gitsession.events.short import between, line, short
from gitsession.events.tools import done
from gitsession.events.used import Found, Used

_FINDING, _TASK, _SUMMARY = 500, 400, 200
_STILL_RUNS = re.compile(
    r"\A\s*(?:Async agent launched|Spawned successfully|Agent (?:started|launched)|Started "
    r"subagent|You are the newly spawned agent|(?:collab )?spawn failed"
    r"|\{\"(?:agent_id|task_name|agent_path)\")"
)
_ID = re.compile(r'"(?:agent_id|agent_path|task_name)":\s*"([^"]+)"|\bagentId: (\w+)')
_WAITS = frozenset(("wait_agent", "wait", "TaskOutput", "AgentOutputTool"))
_TRAILER = re.compile(r"(?:\nagentId: \w+ \(|<usage>)")
_TRAILER_LENGTH = 1_000
_NOTICES = ("<subagent_notification>", "<task-notification>")


class Delegated:
    """Subagents by id: the end of each is reported once, where it is mentioned first."""

    def __init__(self) -> None:
        self._tasks: dict[str, str] = {}
        self._told: set[str] = set()

    def see(self, used: Used) -> Iterator[Found]:
        """Yield a launch, or a completion if the result follows the call directly; the use of a
        skill; or the completions that a waiting call reports."""
        if used.kind == "subagent":
            yield from self._called(used)
        elif used.kind == "skill" and used.text and not used.failed:
            yield Found("skill", "skill", 2, short(used.text, _SUMMARY))
        elif used.call.call.name in _WAITS and done(used):
            for agent, finding in _reported(used.output):
                yield from self._completed(self._tasks.get(agent, ""), finding)

    def of_note(self, text: str) -> Iterator[Found]:
        """Yield what the program itself reports about a subagent that ran in the background."""
        if not text.startswith(_NOTICES):
            return
        result = between(text, "result")
        if result and between(text, "status") == "completed":
            task = self._tasks.get(between(text, "task-id")) or line(between(text, "summary"))
            yield from self._completed(task, result)
        for agent, finding in _reported(text[text.find("{") : text.rfind("}") + 1]):
            yield from self._completed(self._tasks.get(agent, ""), finding)

    def _called(self, used: Used) -> Iterator[Found]:
        task = line(used.text or _first(used.input), _TASK)
        end = _TRAILER.search(used.output, max(0, len(used.output) - _TRAILER_LENGTH))
        found = used.output[: end.start() if end else None].strip()
        if done(used) and found and not _STILL_RUNS.match(found):
            yield from self._completed(task, found)
            return
        agent = _ID.search(used.output[:1_000])
        if agent:
            self._tasks[agent[1] or agent[2]] = task
        yield Found("subagent_launched", "subagent", 3, f"[launched] {task}")

    def _completed(self, task: str, finding: str) -> Iterator[Found]:
        if finding in self._told:
            return
        self._told.add(finding)
        told = " → ".join(filter(None, (task, line(finding, _SUMMARY))))
        yield Found("subagent_completed", "subagent", 2, f"[completed] {told}")
        yield Found("agent_finding", "agent-finding", 2, finding[:_FINDING])


def _first(given: Mapping[str, object]) -> str:
    return next((one for one in given.values() if isinstance(one, str) and one), "")


def _reported(output: str) -> Iterator[tuple[str, str]]:
    """Yield ids and last words of the finished agents in a report by Codex."""
    if '"completed"' not in output:
        return
    try:
        told = json.loads(output)
    except (ValueError, RecursionError):
        return
    if not isinstance(told, Mapping) or not isinstance(told.get("status"), Mapping):
        return
    agent = told.get("agent_path")
    states = {agent: told["status"]} if isinstance(agent, str) else told["status"]
    for name, state in states.items():
        said = state.get("completed") if isinstance(state, Mapping) else None
        if isinstance(said, str) and said.strip():
            yield str(name), said.strip()
