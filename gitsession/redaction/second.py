"""The second detector: typed plugins of detect-secrets, asked about single windows of text.

A plugin is imported and asked only where its own literal precedes enough token characters and
nothing was found yet. Only `analyze_string` is called: no settings, no network, no entropy or
keyword plugin. It returns values without offsets, often partial ones; they are located in the
window and extended to the whole token.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module

from gitsession.redaction.patterns import Lazy, Span
from gitsession.redaction.shapes import is_code, is_filler

_Q = rb"[\x22\x27]?\s{0,3}(?:=>|:=|[=:,(]|\s)\s{0,3}[\x22\x27]?"
_HEX_64 = rb"[0-9a-fA-F]{64}(?![0-9a-fA-F])"
_NAME = rb"[\w\-]{0,24}?(?:key|pwd|pass|password|token)" + _Q
# Literal, plugin, rule, what must match at the literal before the plugin is asked.
_ROWS: tuple[tuple[bytes, str, str, bytes], ...] = (
    (b"akc", "artifactory.ArtifactoryDetector", "artifactory-token",
     rb"(?<![A-Za-z0-9])AKC[a-zA-Z0-9]{20,}"),
    (b"cloudant", "cloudant.CloudantDetector", "cloudant-key",
     rb"(?i)cloudant" + _NAME + rb"(?:" + _HEX_64 + rb"|[a-z]{24}(?![a-z]))"),
    (b"softlayer", "softlayer.SoftlayerDetector", "softlayer-key",
     rb"(?i)softlayer(?:" + _NAME + rb"|\.com/soap/v3(?:\.1)?/)[a-z0-9]{64}(?![a-z0-9])"),
    (b"ibm", "ibm_cloud_iam.IbmCloudIamDetector", "ibm-cloud-key",
     rb"(?i)ibm" + _NAME + rb"[a-zA-Z0-9_\-]{44}(?![a-zA-Z0-9_\-])"),
    (b"cloud_iam", "ibm_cloud_iam.IbmCloudIamDetector", "ibm-cloud-key",
     rb"(?i)cloud_iam" + _NAME + rb"[a-zA-Z0-9_\-]{44}(?![a-zA-Z0-9_\-])"),
    (b"cos_hmac", "ibm_cos_hmac.IbmCosHmacDetector", "ibm-cos-key",
     rb"(?i)cos_hmac[\w\-]{0,24}?key" + _Q + rb"[a-f0-9]{48}(?![a-f0-9])"),
    (b"sq0csp-", "square_oauth.SquareOAuthDetector", "square-token", rb"sq0csp-[\w\-]{43}"),
    (b"_live_", "stripe.StripeDetector", "stripe-key", rb"_live_[0-9a-zA-Z]{24}"),
    (b"glpat-", "gitlab_token.GitLabTokenDetector", "gitlab-token", rb"glpat-[\w\-]{20,50}"),
    (b"t3blbkfj", "openai.OpenAIDetector", "openai-key", rb"T3BlbkFJ[A-Za-z0-9]{20}"),
)  # fmt: skip
RULES = frozenset(row[2] for row in _ROWS)

_BEFORE = 160
_AFTER = 320
_TOKEN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+/=.")
_WORD = _TOKEN - frozenset(b"/.=")
_SHORTEST = 8


@cache
def _plugin(name: str) -> Callable[[str], Iterable[str]]:
    module, _, kind = name.partition(".")
    plugin = getattr(import_module(f"detect_secrets.plugins.{module}"), kind)()
    analyze: Callable[[str], Iterable[str]] = plugin.analyze_string
    return analyze


class Question:
    """A place where a plugin may know more; asked after the first detector is done."""

    __slots__ = ("_pattern", "_plugin", "rule")

    def __init__(self, plugin: str, rule: str, pattern: bytes) -> None:
        self._plugin = plugin
        self.rule = rule
        self._pattern = Lazy(pattern)

    def ask(self, text: bytes, anchor: int, found: list[Span]) -> None:
        """Append what the plugin finds around `anchor`, unless something was found there."""
        match = self._pattern.match(text, anchor)
        if not match:
            return
        end = match.end()
        if any(start < end and stop > anchor for start, stop, _ in found):
            return
        first = max(text.rfind(b"\n", max(0, anchor - _BEFORE), anchor) + 1, anchor - _BEFORE, 0)
        window = text[first : end + _AFTER].split(b"\n", 1)[0]
        for value in _plugin(self._plugin)(window.decode("latin-1")):
            self._add(text, window, first, str(value).encode("latin-1"), found)

    def _add(self, text: bytes, window: bytes, first: int, value: bytes, found: list[Span]) -> None:
        value = value.strip(b" \t\r\"':=")
        at = window.find(value) if len(value) >= 3 else -1
        if at < 0:
            return
        start, end = first + at, first + at + len(value)
        while start > first and text[start - 1] in _WORD:
            start -= 1
        while end < len(text) and text[end] in _TOKEN:
            end += 1
        token = text[start:end]
        if len(token) >= _SHORTEST and not is_filler(token) and not is_code(token):
            found.append((start, end, self.rule))


def detectors() -> list[tuple[bytes, int, Question]]:
    """(anchor in lower case, cost in steps, question)."""
    return [(row[0], 1, Question(*row[1:])) for row in _ROWS]
