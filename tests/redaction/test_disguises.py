"""Ways in which a token reaches a text without standing there letter by letter."""

from __future__ import annotations

import base64
import bz2
import gzip
import lzma
import re
import textwrap
import zlib
from collections.abc import Callable

import pytest

from gitsession.redaction import redact_json, redact_text
from tests.redaction.made import Made

TOKEN = Made(4242).github()
_AT = 12


def _cut(between: str) -> str:
    return TOKEN[:_AT] + between + TOKEN[_AT:]


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _each(form: str) -> str:
    return "".join(form.format(ord(letter)) for letter in TOKEN)


_ENV = f"NODE_ENV=production\nGITHUB_TOKEN={TOKEN}\n"
_LONG_ENV = (_ENV + "".join(f"A{n}={n * 7919}\n" for n in range(40))).encode()
_PACKED = gzip.compress(_LONG_ENV)

ENCODED = {
    "PowerShell": "pwsh -EncodedCommand " + _base64(_ENV.encode("utf-16-le")),
    "UTF-16 with its mark": _base64(_ENV.encode("utf-16")),
    "UTF-16, big end first": _base64(_ENV.encode("utf-16-be")),
    "zlib": _base64(zlib.compress(_ENV.encode(), 9)),
    "gzip over lines": "\n".join(textwrap.wrap(_base64(_PACKED), 76)),
    "gzip in hex": gzip.compress(_ENV.encode()).hex(),
    "UTF-16 in hex": _ENV.encode("utf-16-le").hex(),
    "bzip2": _base64(bz2.compress(_ENV.encode())),
    "bzip2 over lines": "\n".join(textwrap.wrap(_base64(bz2.compress(_LONG_ENV)), 76)),
    "bzip2 in hex": bz2.compress(_ENV.encode()).hex(),
    "xz": _base64(lzma.compress(_ENV.encode())),
    "xz over lines": "\n".join(textwrap.wrap(_base64(lzma.compress(_LONG_ENV)), 76)),
    "base32": "seed " + base64.b32encode(_ENV.encode()).decode(),
    "base32 without padding": base64.b32encode(_ENV.encode()).decode().rstrip("="),
    "base32 over lines": "\n".join(textwrap.wrap(base64.b32encode(_ENV.encode()).decode(), 76)),
    "gzip in base32": base64.b32encode(gzip.compress(_ENV.encode())).decode(),
    "what begins like bzip2": _base64(b"BZ " + _ENV.encode()),
    "what begins like zlib": _base64(b"x^2 " + _ENV.encode()),
    "short": "out " + _base64(("glp" + "at-" + "Zq3" * 6 + "xK").encode()),
}


@pytest.mark.parametrize("kind", ENCODED)
def test_an_encoded_run_goes_whole(kind: str) -> None:
    after = redact_text(ENCODED[kind])
    assert "_encoded_" in after
    assert not re.search(r"[A-Za-z0-9+/]{40}", after.replace("__", " "))


WRITTEN: dict[str, tuple[str, Callable[[str], str]]] = {
    "one percent escape": (
        f"https://x.example/?q=%67{TOKEN[1:]}", lambda text: text.replace("%67", "g")
    ),
    "entities with zeros": (_each("&#{:04d};"), lambda text: text),
    "hex entities with zeros": (_each("&#X{:04x};"), lambda text: text),
    "named entities": (
        TOKEN.replace("_", "&lowbar;"), lambda text: text.replace("&lowbar;", "_")
    ),
    "backslash x": (f"x = '{_each(chr(92) + 'x{:02x}')}'", lambda text: text),
    "one backslash x": (f"'\\x67{TOKEN[1:]}'", lambda text: text.replace("\\x67", "g")),
    "octal": (f"$'{_each(chr(92) + '{:03o}')}'", lambda text: text),
    "code points": (f"'{_each(chr(92) + 'u{{{:x}}}')}'", lambda text: text),
    "Markdown": (TOKEN.replace("_", "\\_"), lambda text: text.replace("\\", "")),
    "colours escaped in JSON": (
        _cut("\\u001b[31m"), lambda text: text.replace("\\u001b[31m", "")
    ),
    "overstruck": ("".join(f"{letter}\b{letter}" for letter in TOKEN),
                   lambda text: re.sub(".\b", "", text)),
    "C1 colours": (_cut("\x9b31m"), lambda text: text.replace("\x9b31m", "")),
    **{
        f"U+{ord(mark):04X}": (_cut(mark), lambda text, mark=mark: text.replace(mark, ""))
        for mark in "\u202e\u2066\u2064\u034f\u180e\ufe0f\U000e0041"
    },
    "a terminal's title": (f"\x1b]0;{TOKEN}\x07$ ls", lambda text: text),
    "a terminal's link": (
        f"\x1b]8;;https://x.example/{TOKEN}\x1b\\here\x1b]8;;\x1b\\", lambda text: text
    ),
    "literals of PHP": (_cut("' . '"), lambda text: text.replace("' . '", "")),
    "literals of Lua": (_cut('" .. "'), lambda text: text.replace('" .. "', "")),
    "literals of Visual Basic": (_cut('" & "'), lambda text: text.replace('" & "', "")),
    "literals of SQL": (_cut("' || '"), lambda text: text.replace("' || '", "")),
    "literals of a shell": (_cut("''"), lambda text: text.replace("''", "")),
    "literals over lines": (_cut('"\n    "'), lambda text: text.replace('"\n    "', "")),
}  # fmt: skip


@pytest.mark.parametrize("kind", WRITTEN)
def test_what_a_reader_or_a_program_puts_together(kind: str) -> None:
    text, undo = WRITTEN[kind]
    quote = '"' if '"' in text else "'"
    text = f"{quote}{text}{quote}" if kind.startswith("literals") else text
    after = redact_text(f"before\n{text}\nafter")
    assert "__REDACTED_github-token_" in after
    plain = undo(after)
    assert not any(TOKEN[at : at + 10] in plain for at in range(len(TOKEN) - 10))
    assert after.startswith("before\n") and after.endswith("\nafter")


QUIET = [
    base64.b32encode(b"an ordinary sentence about nothing in particular").decode() + "\n",
    base64.b32encode(bytes(range(100, 200))).decode() + "\n",
    "A" * 400 + " " + "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567" * 3 + "\n",
    "const LONGUPPERCASENAMEOFSOMETHINGINSOMEPROGRAM = 1\n",
    base64.b64encode(bz2.compress(b"an ordinary sentence about nothing")).decode() + "\n",
    base64.b64encode(lzma.compress(b"an ordinary sentence about nothing")).decode() + "\n",
    "👍️ ok ❤️ 1️⃣ and a“quoted”word – with…marks\n",
    "'\\x41'  # A\n'\\x42'  # B\nre.compile(r'[\\w\\-]+')\n\\textbf{a\\_b}\n",
    "\x1b]0;~/src\x07\x1b[32mdone\x1b[0m\n",
    'x = ["sk-", "ghp_"]\ny = "pass" "word"\n$a = "prefix_" . $b . "_key";\n',
    "    Signature Algorithm: sha256WithRSAEncryption\n         32:49:f2:7f:00:11\n",
    "Use config/mt-d30v as makefile, use _WIN32/_WIN64 in preference\n",
    base64.b64encode("a harmless text, made wide for a shell".encode("utf-16-le")).decode(),
]


@pytest.mark.parametrize("text", QUIET)
def test_what_only_looks_so_stays(text: str) -> None:
    assert redact_text(text) == text


@pytest.mark.parametrize("member", ["model", "tool_use_id", "uuid", "timestamp"])
def test_an_id_hides_no_token_behind_a_dash(member: str) -> None:
    """In a long random value chance may write four letters of a vendor; in an id it does not."""
    made = Made(77)
    for token in (made.github(), made.npm(), made.aws_id(), made.google()):
        found = redact_json({member: f"toolu-01/{token}"})[member]
        assert found.startswith("toolu-01/__REDACTED_") and token not in found
    signature = made.text(600) + "/" + made.npm() + "/" + made.text(40)
    assert redact_json({"signature": signature}) == {"signature": signature}
