"""What differs from a version in the place where its session is to continue: system prompt,
instruction files, the folder itself. Every checkout reports it; `--strict` refuses for the first
two."""

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
"""How many digits of a hash are shown."""


def look(
    session: Session,
    folder: str,
    environment: Environment,
    prompt: str = "",
    clean: Callable[[str], str] = str,
) -> tuple[Difference, ...]:
    """Return the differences between now and a version; `prompt` is the current system prompt ("":
    not given), `clean` removes secrets from it, as was done with the stored one."""
    whole = session._replace(messages=registry.get(session.info.agent).messages(session))
    branch = project.current_branch(folder)
    return (
        *_prompts(whole, prompt, clean),
        *_instructions(session, folder),
        *(Difference(said) for said in hints(whole, folder, branch)),
        *_code(session, folder, environment),
    )


def _code(session: Session, folder: str, environment: Environment) -> Iterator[Difference]:
    """Report a commit that a rebase or squash replaced as unknown; do not guess its successor."""
    code = session.info.code
    if code and project.has_commit(folder, code, environment) is False:
        yield Difference(
            f"the code was at commit {code[:_SHOWN]}, which the repository here does not have"
        )


def refuse(found: tuple[Difference, ...]) -> None:
    """Raises Conflict for the first difference that `--strict` refuses."""
    first = next((one for one in found if one.strict), None)
    if first is not None:
        raise Conflict(
            first.error or first.said, hint="without --strict, checkout continues with a warning"
        )


def _prompts(session: Session, prompt: str, clean: Callable[[str], str]) -> Iterator[Difference]:
    if not prompt:
        return
    before, now = prompt_hash(session), hash_of(prompt)
    if before and before not in (now, hash_of(clean(prompt))):
        yield Difference(
            f"the system prompt differs: {before[:_SHOWN]} then, {now[:_SHOWN]} now", True
        )
    elif not before:
        yield Difference("this version has no system prompt to compare with")


def _instructions(session: Session, folder: str) -> Iterator[Difference]:
    """Compare the files in force then and now; a version without any yields nothing."""
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
    error = "the instruction files differ from that version's"
    return Difference(f"the instruction file {name} {how}", True, error)
