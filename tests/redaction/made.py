"""Secrets made at run time from a seed, and sessions to hide them in. Nothing is stored whole."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Mapping, Sequence

from gitsession.model.record import File, Record, Sidecar, Stream
from gitsession.model.session import Info, Session, Turn

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


class Made:
    """One kind of secret per method; the prefixes are written in halves."""

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)

    def text(self, size: int, alphabet: str = ALNUM) -> str:
        return "".join(self._random.choice(alphabet) for _ in range(size))

    def github(self) -> str:
        return "gh" + "p_" + self.text(36)

    def anthropic(self) -> str:
        return "sk-" + "ant-api03-" + self.text(93, ALNUM + "-_") + "AA"

    def aws_id(self) -> str:
        return "AK" + "IA" + self.text(16, string.ascii_uppercase + "234567")

    def google(self) -> str:
        return "AI" + "za" + self.text(35, ALNUM + "-_")

    def slack(self) -> str:
        return "xo" + "xb-" + self.text(12, string.digits) + "-" + self.text(24)

    def gitlab(self) -> str:
        return "glp" + "at-" + self.text(20)

    def hugging_face(self) -> str:
        return "h" + "f_" + self.text(34, string.ascii_letters)

    def npm(self) -> str:
        return "np" + "m_" + self.text(36)

    def stripe(self) -> str:
        return "sk" + "_live_" + self.text(24)

    def jwt(self) -> str:
        def part(value: object) -> str:
            data = json.dumps(value).encode()
            return base64.urlsafe_b64encode(data).decode().rstrip("=")

        head, body = part({"alg": "HS256", "typ": "JWT"}), part({"sub": self.text(10, HEX)})
        return f"{head}.{body}.{self.text(43)}"

    def password(self) -> str:
        return "Falcon!" + self.text(4, string.digits) + self.text(4, string.ascii_lowercase)

    def token(self, size: int = 32) -> str:
        """Random, with digits and both cases for sure."""
        return "a1B" + self.text(size - 5) + "7z"

    def hex(self, size: int = 32) -> str:
        return self.text(size, HEX)

    def url(self) -> tuple[str, str]:
        """A database URL and the password in it."""
        password = self.token(20)
        return "postg" + "res://app:" + password + "@db.internal:5432/prod", password

    def pem(self) -> str:
        body = base64.b64encode(
            b"\x30\x82\x04\xa3\x02\x01\x00\x02\x82\x01\x01\x00" + self._random.randbytes(600)
        )
        lines = [body[at : at + 64].decode() for at in range(0, len(body), 64)]
        kind = "RSA PRIV" + "ATE KEY"
        return "\n".join([f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----"])

    def vendor_tokens(self) -> dict[str, str]:
        return {
            "github-token": self.github(),
            "anthropic-key": self.anthropic(),
            "aws-access-key": self.aws_id(),
            "google-api-key": self.google(),
            "slack-token": self.slack(),
            "gitlab-token": self.gitlab(),
            "huggingface-token": self.hugging_face(),
            "npm-token": self.npm(),
            "stripe-key": self.stripe(),
            "jwt": self.jwt(),
        }


def line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def tool_result(text: str, **more: object) -> bytes:
    content = [{"type": "tool_result", "tool_use_id": "toolu_01AbC", "content": text}]
    return line({"type": "user", "message": {"role": "user", "content": content}, **more})


def session(
    records: Sequence[bytes],
    *,
    start: int = 0,
    first: int = 0,
    sidecars: Mapping[str, bytes] | None = None,
    files: Mapping[str, bytes] | None = None,
    prompt: str = "",
    **info: str,
) -> Session:
    """A continuation whose main stream starts at `start` bytes and record `first`."""
    end = start + sum(map(len, records))
    return Session(
        Info("claude", "0199", **info),  # type: ignore[arg-type]
        (Stream("main", tuple(map(Record, records)), first, end),),
        sidecars=tuple(Sidecar(path, data) for path, data in (sidecars or {}).items()),
        files=tuple(File(path, data, "", len(data)) for path, data in (files or {}).items()),
        turn=Turn(prompt=prompt),
    )


def everything(value: Session) -> bytes:
    """All bytes that a session would bring to a store."""
    return repr(value).encode()
