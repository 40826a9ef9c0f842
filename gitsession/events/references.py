"""Links and issue numbers, reported where a session mentions them first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitsession.events.short import short
from gitsession.events.used import Found, Used

_LINK = re.compile(r"https?://[^\s<>\"'`\\|{}\[\]]+")
_ISSUE = re.compile(r"(?<![\w/&#=:\"'])(?<!Image )#[1-9]\d{0,4}\b(?![\"'-])")
_HERE = re.compile(
    r"https?://(?:[^/@\s]*@)?(?:"
    r"localhost|127\.|0\.0\.0\.0|\[|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|[^./]*(?:[/:]|$)"
    r"|[^/:\s]*\.(?:local|internal|test|example|invalid|localhost)(?=[/:]|$)|[^/]*\$"
    r"|(?:www\.)?example\.(?:com|org|net)|www\.w3\.org/|[^/]*/grounding-api-redirect/"
    r"|claude\.(?:com|ai)/(?:claude-)?code\b)",
    re.IGNORECASE,
)
"""This machine, its network, made-up names, and URLs that are not a page somebody chose."""
_ENDS = ".,;:!?*_~"
_PICTURE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|ico|css|woff2?)(?:[?#].*)?$", re.IGNORECASE)
_MOST = 20
_LONGEST = 500
_SCANNED = 20_000
_ANSWERS = frozenset(("fetch", "web_search", "mcp"))
_TALKS = re.compile(r"\bgh (?:pr|issue|api|run|release)\b|\bgit (?:commit|log|push)\b|\bglab ")


class References:
    """Finds references that were not mentioned before."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def of_prompt(self, text: str) -> Iterator[Found]:
        yield from self._new(list(_links(text)), text)

    def of_call(self, used: Used) -> Iterator[Found]:
        """Yield references in the input of a tool and, for tools that access the outside, in its
        output."""
        if used.kind == "shell":
            talks = bool(_TALKS.search(used.command))
            text = f"{used.command}\n{used.output[:_SCANNED]}" if talks else used.command
            yield from self._new(_pages(text), text if talks else "")
        elif used.kind in _ANSWERS:
            given = " ".join(str(one) for one in used.input.values())
            text = f"{given}\n{used.output[:_SCANNED]}"
            yield from self._new(_pages(text), text if used.kind == "mcp" else "")

    def _new(self, links: list[str], said: str) -> Iterator[Found]:
        """Yield the new ones among these links and the issues mentioned in `said`."""
        issues = _ISSUE.findall(_LINK.sub(" ", said)) if "#" in said else []
        new = [one for one in dict.fromkeys(links + issues) if one not in self._known][:_MOST]
        self._known.update(new)
        if new:
            yield Found("external_ref", "external-ref", 3, short(", ".join(new)))


def _pages(text: str) -> list[str]:
    """Return links, without the images and fonts of pages."""
    return [link for link in _links(text) if not _PICTURE.search(link)]


def _links(text: str) -> Iterator[str]:
    for link in _LINK.findall(text) if "://" in text else ():
        link = link.rstrip(_ENDS)
        while link.endswith(")") and link.count(")") > link.count("("):
            link = link[:-1].rstrip(_ENDS)
        if len(link) <= _LONGEST and not _HERE.match(link):
            yield link
