"""Sessions of the files of an agent, written for a user, to be continued by the real one."""

from __future__ import annotations

import json
from pathlib import Path

from gitsession.agents.base import Agent, Target, Written
from gitsession.environment import Environment
from gitsession.files import make_private
from tests.agents.contract import the_source, whole

from .conftest import Model, User, conversation


def place(user: User, agent: Agent, file: Path, *, foreign: bool = False) -> Written:
    """Write the session in a file as a checkout would; nothing else is taken along."""
    stored = whole(agent.read(the_source(agent, file)))
    environment = Environment({}, user.home, str(user.project))
    target = Target(str(user.project), title="Named", foreign=foreign)
    written = agent.write(stored, target, environment)
    for path, data in written.files.items():
        make_private(path.parent)
        path.write_bytes(data)
    return written


def sent(model: Model) -> str:
    """The conversation of the newest request, without what the agent puts in by itself."""
    return json.dumps(conversation(model.calls()[-1]), ensure_ascii=False)


def results(model: Model) -> int:
    """How many tool results the newest request holds."""
    return sum(count for _, _, count in conversation(model.calls()[-1]))
