"""The rules for tool calls, in the order of their events.

A caller needs only `for rule in TOOL_RULES: for found in rule(use(call)): …`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gitsession.events.files import files
from gitsession.events.git import git
from gitsession.events.plans import plan
from gitsession.events.shell import cwd, env
from gitsession.events.shell_files import shell_files
from gitsession.events.tasks import tasks_found
from gitsession.events.used import Found, Used

TOOL_RULES: tuple[Callable[[Used], Iterator[Found]], ...] = (
    cwd,
    files,
    shell_files,
    env,
    git,
    tasks_found,
    plan,
)
