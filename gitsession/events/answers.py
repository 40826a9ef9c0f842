"""An agent's question and the user's answer, in whatever form the agent records them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from gitsession.events.tools import done
from gitsession.events.used import Used

_LONGEST = 40_000
_SAID = re.compile(
    r"\A(?:User (?:responded|selected|answered|has answered)[^:\n]{0,80}:|Answer:|User:)\s*"
)


def answers(used: Used) -> Iterator[tuple[str, str]]:
    """Yield pairs of question and answer; none if nobody answered."""
    output = used.output[:_LONGEST].strip()
    if not done(used) or not output:
        return
    asked = _questions(used)
    told = _of_json(output) if output.startswith("{") else _of_pairs(asked, output)
    if told:
        yield from told
    elif asked:
        yield " / ".join(asked), _SAID.sub("", output)


def _questions(used: Used) -> list[str]:
    given = used.input.get("questions")
    if isinstance(given, Sequence) and not isinstance(given, str):
        asked = [one.get("question") if isinstance(one, Mapping) else one for one in given]
        return [one for one in asked if isinstance(one, str) and one]
    return [used.text] if used.text else []


def _of_pairs(asked: list[str], output: str) -> list[tuple[str, str]]:
    """Return the pairs in a sentence that contains `"question"="answer"` for each question."""
    places = sorted(
        (at, question) for question in dict.fromkeys(asked)
        if (at := output.find(f'"{question}"="')) >= 0
    )  # fmt: skip
    ends = [at for at, _ in places[1:]] + [len(output)]
    return [
        (question, output[at + len(question) + 4 : end].rpartition('"')[0])
        for (at, question), end in zip(places, ends, strict=False)
    ]


def _of_json(output: str) -> list[tuple[str, str]]:
    try:
        value = json.loads(output)
    except (ValueError, RecursionError):
        return []
    given = value.get("answers") if isinstance(value, Mapping) else None
    if not isinstance(given, Mapping):
        return []
    return [(str(question), _words(said)) for question, said in given.items()]


def _words(said: object) -> str:
    if isinstance(said, Mapping):
        said = said.get("answers", said.get("answer", ""))
    if isinstance(said, Sequence) and not isinstance(said, str):
        return ", ".join(str(one) for one in said)
    return str(said)
