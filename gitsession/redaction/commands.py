"""Command lines with a password in their arguments."""

# ruff: noqa: ARG002 (all detectors have one signature)
from __future__ import annotations

from gitsession.redaction.patterns import Lazy, Span
from gitsession.redaction.shapes import is_filler, is_password
from gitsession.redaction.words import is_stand_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.redaction.patterns import Match

_Q = rb"[\x22\x27]{0,2}"
_VALUE = _Q + rb"(?P<s>[^\s\x22\x27]{4,200})"
_HTPASSWD = rb"htpasswd[ \t]+-[A-Za-z]{0,4}b[A-Za-z]{0,4}"
_ECHO = rb"(?:echo|printf)[ \t]+(?:-e[ \t]+)?" + _Q
_SPAN = rb"\b[^\n|;&]{0,300}?"
_LOGIN = (
    _Q + rb"[^\x22\x27\s]{1,80}" + _Q
    + rb"[ \t]*,[ \t]*[\x22\x27]{1,2}(?P<s>[^\x22\x27\s]{4,100})"
)  # fmt: skip

_VARIABLE = Lazy(rb"[$<{`]|%[A-Za-z_]{1,40}%\Z|%\(|%[a-z]\Z")
# Anchor, how far before it the pattern may start, pattern, rule.
_ROWS = (
    (b"curl", 0, rb"curl" + _SPAN + rb"\s(?:-u|--user|--proxy-user)[ =]?" + _Q
     + rb"[^\s:\x22\x27]{1,60}:(?P<s>[^\s\x22\x27]{4,200})", "curl-user"),
    (b"wget", 0, rb"wget" + _SPAN + rb"--(?:http-|ftp-)?password[ =]" + _VALUE, "cli-password"),
    (b"mysql", 0, rb"(?:mysql|mysqldump|mysqladmin)" + _SPAN + rb"\s-p" + _Q
     + rb"(?P<s>[^\s\x22\x27$<-][^\s\x22\x27]{3,100})", "cli-password"),
    (b"mariadb", 0, rb"mariadb(?:-dump|-admin)?" + _SPAN + rb"\s-p" + _Q
     + rb"(?P<s>[^\s\x22\x27$<-][^\s\x22\x27]{3,100})", "cli-password"),
    (b"sshpass", 0, rb"sshpass[ \t]+-p[ \t]*" + _VALUE, "cli-password"),
    (b" login", 16, rb"(?:docker|podman|helm registry|skopeo|buildah|oras|crane|az|oc|cf|heroku)"
     rb"\s+(?:auth )?login" + _SPAN + rb"\s(?:-p|--password)[ =]" + _VALUE, "cli-password"),
    (b"redis-cli", 0, rb"redis-cli" + _SPAN + rb"\s-a[ \t]+" + _VALUE, "cli-password"),
    (b"identified", 0, rb"(?i)identified[ \t]+(?:by|with[ \t]+\S{1,40}[ \t]+(?:by|as))[ \t]+"
     rb"(?:password[ \t]+)?" + _Q + rb"(?P<s>[^\s\x22\x27;)]{6,100})", "sql-password"),
    (b"sudo -s", 160, rb"echo[ \t]+" + _Q + rb"(?P<s>[^\s\x22\x27|]{4,100})" + _Q
     + rb"[ \t]*\|[ \t]*sudo[ \t]+(?:-k[ \t]+)?-S", "cli-password"),
    (b"chpasswd", 160, _ECHO + rb"[\w.-]{1,40}:(?P<s>[^\s\x22\x27|]{4,100})" + _Q
     + rb"[ \t]*\|[ \t]*(?:sudo[ \t]+)?chpasswd", "cli-password"),
    (b"| passwd", 240, _ECHO + rb"(?P<s>[^\s\x22\x27|]{4,100})\s{1,4}(?P<t>[^\s\x22\x27|]{4,100})"
     + _Q + rb"\s{0,3}\|[ \t]*passwd", "cli-password"),
    (b"pass ", 16, rb"-(?:(?:src|dest)?(?:store|key)|new)pass[ \t]+" + _VALUE, "cli-password"),
    (b"net use", 0, rb"net user?[ \t][^\n|;&]{0,200}?(?:/user:\S{1,80}[ \t]+" + _VALUE
     + rb"|(?<=net user )[^\s/]{1,60}[ \t]+(?P<t>[^\s/*\x22\x27]{4,100})[ \t]+/(?:add|domain))",
     "cli-password"),
    (b"htpasswd", 0, _HTPASSWD + rb"(?:[ \t]+[^\s|;&]{1,200}){1,2}[ \t]+(?P<s>[^\s|;&]{4,100})",
     "cli-password"),
    (b"smbclient", 0, rb"smbclient" + _SPAN + rb"\s-U[ =]?" + _Q
     + rb"[^\s%\x22\x27]{1,60}%(?P<s>[^\s\x22\x27]{4,100})", "cli-password"),
    (b"ldap", 0, rb"ldap(?:search|modify|add|delete|whoami|passwd|compare)" + _SPAN + rb"\s-w[ \t]*"
     + _VALUE, "cli-password"),
    (b"rabbitmqctl", 0, rb"rabbitmqctl[ \t]+(?:add_user|change_password|authenticate_user)[ \t]+"
     rb"\S{1,60}[ \t]+" + _VALUE, "cli-password"),
    (b"nmcli", 0, rb"nmcli" + _SPAN + rb"\spassword[ \t]+" + _VALUE, "cli-password"),
    (b"@tcp(", 120, rb"[\w.-]{1,60}:(?P<s>[^\s:@\x22\x27/]{3,100})@tcp\(", "url-password"),
    (b"auth=(", 0, rb"auth=\([ \t]*" + _LOGIN, "cli-password"),
    (b".login(", 0, rb"\.login\([ \t]*" + _LOGIN, "cli-password"),
    (b"basicauth(", 0, rb"(?i)basicauth\([ \t]*" + _LOGIN, "cli-password"),
)  # fmt: skip
_JUDGED = (b"pass ", b"auth=(", b".login(", b"basicauth(", b"identified", b"net use", b"htpasswd")
"""Anchors that may precede other things, so that the value must look like a password."""


class _Command:
    __slots__ = ("_back", "_judged", "_pattern", "_rule")

    def __init__(self, anchor: bytes, back: int, pattern: bytes, rule: str) -> None:
        self._back, self._pattern, self._rule = back, Lazy(pattern), rule
        self._judged = anchor in _JUDGED

    def __call__(self, text: bytes, lower: bytes, start: int, end: int, found: list[Span]) -> None:
        if not self._back:
            match = self._pattern.match(text, start)
            if match:
                self._add(match, found)
            return
        stop = min(len(text), end + 500)
        for match in self._pattern.finditer(text, max(0, start - self._back), stop):
            self._add(match, found)

    def _add(self, match: Match, found: list[Span]) -> None:
        for name in match.re.groupindex:
            value = (match[name] or b"").rstrip(b"\"'`,;)")
            if is_filler(value) or _VARIABLE.match(value) or is_stand_in(value):
                continue
            if not self._judged or is_password(value, True):
                start = match.start(name)
                found.append((start, start + len(value), self._rule))


def detectors() -> list[tuple[bytes, int, _Command]]:
    """(anchor in lower case, cost in steps, detector)."""
    return [(row[0], 4, _Command(*row)) for row in _ROWS]
