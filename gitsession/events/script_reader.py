"""Reads a shell command from left to right: words, quotes, substitutions, heredocs."""

from __future__ import annotations

import re
from typing import NamedTuple

from gitsession.events.simple import Draft, Redirect

_DEEPEST = 12
_PLAIN = re.compile(r"[^\s\\'\"`$;&|()<>]+")
_IN_QUOTES = re.compile(r"[^\\\"`$]+")
_BLANKS = re.compile(r"(?:[^\S\n]|\\\r?\n)+")
_OPERATOR = re.compile(r"&&|\|\||;;&?|;&|\|&|[;&|()\n]")
_REDIRECT = re.compile(r"\d{0,9}(<<<|<<-?|<>|<&|<(?!\()|>>|>\||>&|>(?!\())|(&>>?)")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_MEANINGS = {"n": "\n", "t": "\t", "r": "\r"}
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]{0,99}\])?\+?=")


class TooDeep(Exception):
    """The nesting is deeper than anybody writes; the rest cannot be told apart from values, so it
    is left out."""


class _Document(NamedTuple):
    """A heredoc whose text is still to come."""

    draft: Draft
    place: int
    end: str
    tabs: bool


class Script:
    """A text read from left to right; the methods take and return positions in it."""

    def __init__(self, text: str, backslash: bool, scope: tuple[int, ...]) -> None:
        self._text, self._backslash, self._scope = text, backslash, scope
        self.drafts: list[Draft] = []
        self.spans: list[tuple[int, int]] = []
        self._documents: list[_Document] = []

    def run(self, at: int) -> int:
        """Read the commands of the whole text."""
        return self._commands(at, "")

    def _inside(self, at: int) -> int:
        """Read the commands of a subshell; return the position after its closing bracket."""
        around = self._scope
        if len(around) >= _DEEPEST:
            raise TooDeep
        self._scope = (*around, at)
        at = self._commands(at, ")")
        self._scope = around
        return at

    def _commands(self, at: int, closing: str) -> int:
        text, draft = self._text, self._begin()
        while at < len(text):
            blank = _BLANKS.match(text, at)
            redirect = _REDIRECT.match(text, at)
            operator = _OPERATOR.match(text, at)
            if blank:
                at = blank.end()
            elif closing and text.startswith(closing, at):
                return at + 1
            elif redirect:
                at = self._redirect(draft, redirect)
            elif operator:
                at = self._operator(operator)
                draft = self._begin(piped=operator[0] in ("|", "|&"))
            elif text[at] == "#":
                at = _or_end(text.find("\n", at), text)
            else:
                at, word, assigned = self._word(at)
                if assigned and not draft.sets and text.startswith("=", self.spans[-1][0]):
                    self.spans.pop()  # `test a==b`, `pip install a==1`
                draft.add(word, assigned=assigned)
        return at

    def _begin(self, *, piped: bool = False) -> Draft:
        self.drafts.append(Draft(self._scope, piped=piped))
        return self.drafts[-1]

    def _operator(self, found: re.Match[str]) -> int:
        if found[0] == "(":
            return self._inside(found.end())
        return self._take_documents(found.end()) if found[0] == "\n" else found.end()

    def _redirect(self, draft: Draft, found: re.Match[str]) -> int:
        operator = found[1] or found[2]
        at = found.end()
        blank = _BLANKS.match(self._text, at)
        at, target, _ = self._word(blank.end() if blank else at)
        draft.redirects.append(Redirect(operator, target))
        if operator in ("<<", "<<-"):
            place = len(draft.redirects) - 1
            self._documents.append(_Document(draft, place, target, operator == "<<-"))
        return at

    def _take_documents(self, at: int) -> int:
        """Read the heredocs that begin at this line."""
        waiting, self._documents = self._documents, []
        for document in waiting:
            start, text = at, self._text
            stop = len(text)
            while at < len(text):
                line_end = _or_end(text.find("\n", at), text)
                line = text[at:line_end].rstrip("\r")
                stop, at = at, min(line_end + 1, len(text))
                if (line.lstrip("\t") if document.tabs else line) == document.end:
                    break
            else:
                stop = len(text)
            operator = document.draft.redirects[document.place].operator
            document.draft.redirects[document.place] = Redirect(operator, text[start:stop])
        return at

    def _word(self, at: int) -> tuple[int, str, bool]:
        """Read one word at this position: return its end, its text, and whether it is an
        assignment. The text is empty if there is no word."""
        known = len(self.drafts)
        pieces: list[str] = []
        assigned = ASSIGNMENT.match(self._text, at)
        try:
            at = self._pieces(at, pieces, assigned.end() if assigned else -1)
        finally:
            if assigned:
                del self.drafts[known:]
                self.spans.append((assigned.end(), at))
        return at, "".join(pieces), assigned is not None

    def _pieces(self, at: int, pieces: list[str], value: int) -> int:
        """Read the pieces of one word; a list in brackets may begin at `value`."""
        text, begin = self._text, at
        while at < len(text):
            plain = _PLAIN.match(text, at)
            if plain:
                pieces.append(plain[0])
                at = plain.end()
            elif text[at] == "(" and at == value:
                at = self._raw(at, self._inside(at + 1), pieces)
            elif text[at] in "<>" and text.startswith("(", at + 1) and at == begin:
                at = self._raw(at, self._inside(at + 2), pieces)
            elif text[at].isspace() or text[at] in ";&|()<>":
                break
            else:
                at = self._special(at, pieces, quoted=False)
        return at

    def _special(self, at: int, pieces: list[str], *, quoted: bool) -> int:
        """Read what a backslash, a quote, a dollar or a backtick begins."""
        text, sign = self._text, self._text[at]
        following = text[at + 1 : at + 2]
        if sign == "\\":
            return self._escaped(at, pieces, quoted=quoted)
        if sign == "'" or (sign == "$" and following == "'" and not quoted):
            start = at + len(sign) + (sign == "$")
            return self._single(start, pieces, escapes=sign == "$")
        if sign == '"':
            return self._double(at + 1, pieces)
        if sign == "`" and self._backslash:
            return self._raw(at, self._backtick(at + 1), pieces)
        if following == "(" and text.startswith("((", at + 1):
            return self._raw(at, _matching(text, at + 1, "()"), pieces)
        if following == "(":
            return self._raw(at, self._inside(at + 2), pieces)
        if following == "{":
            return self._raw(at, _matching(text, at + 1, "{}"), pieces)
        pieces.append(sign)
        return at + 1

    def _raw(self, at: int, end: int, pieces: list[str]) -> int:
        pieces.append(self._text[at:end])
        return end

    def _escaped(self, at: int, pieces: list[str], *, quoted: bool) -> int:
        following = self._text[at + 1 : at + 2]
        plain = not self._backslash or not following
        if plain or (quoted and following not in '$`"\\\n'):
            pieces.append("\\")
            return at + 1
        pieces.append("" if following == "\n" else following)
        return at + 2

    def _single(self, at: int, pieces: list[str], *, escapes: bool) -> int:
        text = self._text
        end = at
        while end < len(text) and text[end] != "'":
            end += 2 if escapes and text[end] == "\\" else 1
        word = text[at:end]
        pieces.append(_ESCAPED.sub(_unescaped, word) if escapes else word)
        return end + 1

    def _double(self, at: int, pieces: list[str]) -> int:
        text = self._text
        while at < len(text) and text[at] != '"':
            plain = _IN_QUOTES.match(text, at)
            if plain:
                pieces.append(plain[0])
                at = plain.end()
            else:
                at = self._special(at, pieces, quoted=True)
        return at + 1

    def _backtick(self, at: int) -> int:
        text = self._text
        end = at
        while end < len(text) and text[end] != "`":
            end += 2 if text[end] == "\\" else 1
        if len(self._scope) >= _DEEPEST:
            raise TooDeep
        inner = Script(text[at:end], self._backslash, (*self._scope, at))
        inner.run(0)
        self.drafts += inner.drafts
        self.spans += [(at + start, at + stop) for start, stop in inner.spans]
        return end + 1


def _unescaped(found: re.Match[str]) -> str:
    return _MEANINGS.get(found[1], found[1])


def _or_end(at: int, text: str) -> int:
    return at if at >= 0 else len(text)


def _matching(text: str, at: int, pair: str) -> int:
    """Return the position after the bracket that closes the one at `at`."""
    depth = 0
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == pair[0]:
            depth += 1
        elif text[at] == pair[1]:
            depth -= 1
            if not depth:
                return at + 1
        at += 1
    return len(text)
