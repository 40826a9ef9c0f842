"""What is not as a version has it where its session is to go on: system prompt, instruction files,
and the folder itself. Told at every checkout; with `--strict` the first two refuse it."""

from __future__ import annotations

from collections import namedtuple

from gitsession import project
from gitsession.agents import registry
from gitsession.context.instructions import digest, discover, hash_of
from gitsession.context.surroundings import hints, prompt_hash
from gitsession.errors import Conflict
from gitsession.model.record import SYSTEM_PROMPT
from gitsession.operations.placeholders import stands_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import NamedTuple

    from gitsession.environment import Environment
    from gitsession.model.session import Session

    class Difference(NamedTuple):
        said: str
        strict: bool = False
        error: str = ""
else:
    Difference = namedtuple("Difference", "said strict error", defaults=(False, ""))
    Difference.__doc__ = """One sentence; whether `--strict` refuses for it, and in which words that
    quote nothing of the session."""

_SHOWN = 12
"""Digits of a hash that are shown."""


def look(
    session: Session,
    folder: str,
    environment: Environment,
    prompt: str = "",
    clean: Callable[[str], str] = str,
) -> tuple[Difference, ...]:
    """How things differ from what a version knows; `prompt` is the system prompt of now ("": not
    given), `clean` takes secrets out of it, as was done with the one that is known."""
    whole = session._replace(messages=registry.get(session.info.agent).messages(session))
    branch = project.current_branch(folder)
    return (
        *_prompts(whole, prompt, clean),
        *_instructions(session, folder),
        *(Difference(said) for said in hints(whole, folder, branch)),
        *_code(session, folder, environment),
    )


def _code(session: Session, folder: str, environment: Environment) -> Iterator[Difference]:
    """A commit that a rebase or a squash has replaced is told as unknown, never guessed at."""
    code = session.info.code
    if code and project.has_commit(folder, code, environment) is False:
        yield Difference(
            f"the code was at commit {code[:_SHOWN]}, which the repository here does not have"
        )


def refuse(found: tuple[Difference, ...]) -> None:
    """Raises Conflict for the first difference that `--strict` is about."""
    first = next((one for one in found if one.strict), None)
    if first is not None:
        raise Conflict(
            first.error or first.said, hint="gitsession checkout without --strict goes on and warns"
        )


def _prompts(session: Session, prompt: str, clean: Callable[[str], str]) -> Iterator[Difference]:
    if not prompt:
        return
    before, now = prompt_hash(session), hash_of(prompt)
    if before and before not in (now, hash_of(clean(prompt))):
        yield Difference(
            f"the system prompt is another one: {before[:_SHOWN]} then, {now[:_SHOWN]} now", True
        )
    elif not before:
        yield Difference("this version knows no system prompt to compare with")


def _instructions(session: Session, folder: str) -> Iterator[Difference]:
    """Files in force then and now. A version that knows none says nothing."""
    stored = {
        file.path: file.content
        for file in session.instructions
        if file.content is not None and file.path != SYSTEM_PROMPT
    }
    if not stored:
        return
    found = {one.name: one for one in discover(folder)}
    for name, content in stored.items():
        one = found.get(name)
        text = content.decode("utf-8", "replace")
        if one is None:
            yield _file(name, "is gone")
        elif digest(text) != one.digest and not stands_for(content, one.text.encode()):
            yield _file(
                name, f"has changed: {digest(text)[:_SHOWN]} then, {one.digest[:_SHOWN]} now"
            )
    yield from (_file(name, "is new") for name in found if name not in stored)


def _file(name: str, how: str) -> Difference:
    error = "the instruction files are not those of that version"
    return Difference(f"the instruction file {name} {how}", True, error)
