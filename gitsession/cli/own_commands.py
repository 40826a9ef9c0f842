"""Commands of ours in a text, completed with the user's options for store and folder: a command
pasted from a hint uses the same store and folder."""

from __future__ import annotations

PROGRAM = "gitsession"
_ANYWHERE = ("hooks", "config", "completion", "help")
"""Verbs about the user and the agents, which do not depend on store or folder."""


def program(store: str, directory: str) -> str:
    """Return how to call the program so that it works where this run does: its name, with `-C DIR`
    and `--store DIR` as given."""
    if not store and not directory:
        return PROGRAM
    import shlex

    words = [PROGRAM]
    for name, value in (("-C", directory), ("--store", store)):
        if value:
            words += [name, shlex.quote(value)]
    return " ".join(words)


def repeated(text: str, called: str) -> str:
    """Return `text`, our own words, with each `gitsession VERB` in it called as `called`."""
    if called == PROGRAM or f"{PROGRAM} " not in text:
        return text
    import re

    from gitsession.cli.verbs import SUMMARIES

    verbs = "|".join(verb for verb in SUMMARIES if verb not in _ANYWHERE)
    named = rf"\b{PROGRAM} (?=(?:{verbs})(?![\w-]))"
    return re.sub(named, lambda _: called + " ", text)
