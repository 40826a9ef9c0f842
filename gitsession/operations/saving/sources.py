"""Which native sessions a save or an import means."""

from __future__ import annotations

from gitsession.agents import registry
from gitsession.errors import GitSessionError, NotFound, SourceUnreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from gitsession.agents.base import Agent, Source
    from gitsession.environment import Environment


def find_sources(
    environment: Environment, names: tuple[str, ...], agent: str, everything: bool
) -> list[Source]:
    """Return the sources that `save` means: all, the named, or this directory's newest session."""
    if agent:
        agents = [registry.get(agent)]
    elif everything or names:
        agents = list(registry.all_agents(installed=True))
    else:  # adapters are imported, and those of other packages listed, only where they may matter
        agents = list(registry.agents_at_home(environment))
    if everything:
        return [source for each in agents for source in each.find(environment)]
    if names:
        return [_named(environment, agents, name) for name in names]
    newest = _newest(environment, agents)
    if newest is None:
        raise NotFound(
            "no agent session was found for this directory",
            hint="`gitsession save --all` saves every session on this machine, "
            "`gitsession agents` shows where gitsession looks for them",
        )
    return [newest]


def _newest(environment: Environment, agents: Iterable[Agent]) -> Source | None:
    """Return the session of this directory that changed last, of any agent."""
    from gitsession.agents.base import newest_in

    newest = None
    for agent in agents:
        after = newest.mtime if newest is not None else -1
        newest = newest_in(agent, environment, environment.cwd, after) or newest
    return newest


def _named(environment: Environment, agents: list[Agent], name: str) -> Source:
    found = [source for each in agents for source in each.find(environment, native_id=name)]
    exact = [source for source in found if source.native_id == name]
    found = exact or found
    if not found:
        raise NotFound(
            "no native session has that id", hint="`gitsession save --all --dry-run` lists them"
        )
    if len(found) > 1:
        from gitsession.errors import Ambiguous

        raise Ambiguous(
            "more than one native session id starts like that",
            candidates=tuple(f"{source.agent} {source.native_id}" for source in found),
        )
    return found[0]


def files_as_sources(paths: Iterable[str], format_name: str) -> list[Source]:
    """Return the sessions in files and folders given by hand; raises SourceUnreadable or NotFound
    for the first file that is none, with only what is wrong with it."""
    from pathlib import Path

    sources = []
    for name in paths:
        path = Path(name)
        if path.is_dir():
            files = [each for each in sorted(path.rglob("*")) if each.is_file()]
            found = [source for each in files for source in _recognised(each, format_name)]
            if not found:
                raise SourceUnreadable("no agent session was found in that folder")
        else:
            found = _recognised(path, format_name)
            if not found:
                raise _why_not(path)
        sources.extend(found)
    return sources


def _recognised(path: Path, format_name: str) -> list[Source]:
    """Return the sessions in a file: an export or a database holds several."""
    if format_name:
        from gitsession.agents.base import recognise_all

        return recognise_all(registry.get(format_name), path)
    return registry.recognise_all(path)


def _why_not(path: Path) -> GitSessionError:
    from gitsession.files import is_regular

    if not path.exists():
        return NotFound(f"there is no file {path}", hint="check the path")
    if not is_regular(path):
        return SourceUnreadable("that is not a regular file", hint="give a session file")
    try:
        size = path.stat().st_size
        with path.open("rb") as stream:
            stream.read(1)
    except OSError:
        return SourceUnreadable("the file cannot be read", hint="check its permissions")
    if not size:
        return SourceUnreadable("the file is empty")
    return SourceUnreadable(
        "the file is not a session of any supported agent",
        hint="`gitsession agents` lists them; --format NAME selects one",
    )
