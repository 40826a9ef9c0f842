"""Which facts of real sessions are still in a context: our default strategy compared with every
other one.

The questions are in `bench/facts/*.yaml`. A fact counts as kept if each of its needles occurs in a
message of the context, ignoring case and runs of white space.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from gitsession.agents import registry
from gitsession.context.build import build
from gitsession.context.diagnose import missing_facts
from gitsession.context.entry import Context
from gitsession.context.tokens import Counter, Tiktoken
from gitsession.model.session import Session

FOLDER = Path(__file__).parent / "facts"
STRATEGIES = ("default", "claw", "opencode", "lobe", "recent")
BUDGETS = (8_000, 32_000)
KINDS = ("requirement", "decision", "confirmation", "cause", "file", "result")


@dataclass(frozen=True)
class Fact:
    """Something that a user would need later: the question, and the few words that answer it."""

    ask: str
    kind: str
    needles: tuple[str, ...]

    def kept(self, context: Context) -> bool:
        return not missing_facts(context, self.needles)


@dataclass(frozen=True)
class FactSet:
    """The facts of one session: its `path` below the folder of samples, and the `sha256` of its
    bytes."""

    name: str
    path: str
    sha256: str
    facts: tuple[Fact, ...]

    def session(self, samples: Path) -> Session | None:
        """Return the session with its messages, None if the file is missing or different."""
        path = samples / self.path
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != self.sha256:
            return None
        source = registry.recognise_all(path)[0]
        agent = registry.get(source.agent)
        parts = list(agent.read(source, None))
        records = tuple(record for part in parts for record in part.stream().records)
        whole = parts[-1]._replace(streams=(parts[-1].stream()._replace(records=records, first=0),))
        return whole._replace(messages=agent.messages(whole))


def fact_sets() -> Iterator[FactSet]:
    """Yield every set of questions, by name."""
    for path in sorted(FOLDER.glob("*.yaml")):
        given = yaml.safe_load(path.read_text("utf-8"))
        facts = tuple(
            Fact(one["ask"], one["kind"], tuple(one["needles"])) for one in given["facts"]
        )
        yield FactSet(path.stem, given["session"], given["sha256"], facts)


@dataclass(frozen=True)
class Score:
    """What one strategy kept of one session within one budget."""

    name: str
    strategy: str
    budget: int
    kept: tuple[Fact, ...]
    asked: tuple[Fact, ...]
    size: int


def scores(sets: Iterable[FactSet], samples: Path, counter: Counter) -> Iterator[Score]:
    """Yield a score for every session, strategy and budget. `size` is the whole session in
    tokens."""
    for one in sets:
        session = one.session(samples)
        if session is None:
            continue
        whole = build(session, 10_000_000, "recent", counter=counter).tokens
        for budget in BUDGETS:
            for strategy in STRATEGIES:
                context = build(session, budget, strategy, counter=counter)
                kept = tuple(fact for fact in one.facts if fact.kept(context))
                yield Score(one.name, strategy, budget, kept, one.facts, whole)


def main(scratch: Path, samples: Path) -> str:
    """Return the tables: in total, by kind of fact, by session."""
    found = list(scores(fact_sets(), samples, Tiktoken("o200k_base", scratch)))
    if not found:
        return "no session of the fact set is there (GITSESSION_SAMPLES)"
    asked = sum(len(s.asked) for s in found if (s.strategy, s.budget) == ("default", BUDGETS[0]))
    sessions = len({score.name for score in found})
    return "\n".join(
        [
            f"{asked} facts of {sessions} sessions, tokens by o200k_base\n",
            *_table(
                ["facts kept"], [([f"{budget:,} tokens"], found, budget) for budget in BUDGETS]
            ),
            "",
            *_table(["kind", "budget"], _by_kind(found)),
            "",
            *_table(["session (tokens)", "budget"], _by_session(found)),
        ]
    )


Row = tuple[list[str], Sequence[Score], int]


def _by_kind(found: Sequence[Score]) -> list[Row]:
    rows: list[Row] = []
    for kind in KINDS:
        only = [_of_kind(score, kind) for score in found]
        rows += [([kind, f"{budget:,}"], only, budget) for budget in BUDGETS]
    return rows


def _of_kind(score: Score, kind: str) -> Score:
    kept = tuple(fact for fact in score.kept if fact.kind == kind)
    asked = tuple(fact for fact in score.asked if fact.kind == kind)
    return Score(score.name, score.strategy, score.budget, kept, asked, score.size)


def _by_session(found: Sequence[Score]) -> list[Row]:
    rows: list[Row] = []
    for name in sorted({score.name for score in found}):
        only = [score for score in found if score.name == name]
        rows += [([f"{name} ({only[0].size:,})", f"{b:,}"], only, b) for b in BUDGETS]
    return rows


def _table(titles: list[str], rows: Sequence[Row]) -> list[str]:
    head = [*titles, *STRATEGIES]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for names, found, budget in rows:
        shares = [_share(found, strategy, budget) for strategy in STRATEGIES]
        lines.append(f"| {' | '.join([*names, *shares])} |")
    return lines


def _share(found: Sequence[Score], strategy: str, budget: int) -> str:
    these = [s for s in found if (s.strategy, s.budget) == (strategy, budget)]
    kept, asked = sum(len(s.kept) for s in these), sum(len(s.asked) for s in these)
    return f"{100 * kept / asked:.0f} %" if asked else "-"
