"""One assignment in running text: key word, surrounding name, separator, value.

Knows the spellings (`=`, `:`, `=>`, `is`, `是`, table cells, XML, flags, typed defaults). What the
value means is judged in `keyvalue`.
"""

from __future__ import annotations

from gitsession.redaction.patterns import Lazy
from gitsession.redaction.shapes import is_code

_NEXT_LINE = rb"[ \t]{0,32}\r?\n[ \t+>|\d\xe2\x86\x92-]{1,40}"
_SHAPE = Lazy(
    rb"(?P<suffix>[A-Za-z0-9_\-]{0,24})(?P<close>[ ]{0,31}[\x22\x27`\])*]{1,4}|)(?P<separator>"
    # typed default
    rb"[ \t]*:[ \t]*&?(?:\x27\w{1,20} )?[A-Za-z_][A-Za-z0-9_.?\[\]|<>]{0,40}[ \t]*=[ \t]*"
    rb"(?=[\x22\x27])"
    rb"|[ \t]*(?:or|\|\||\?\?)[ \t]*(?=[\x22\x27])"
    rb"|[ \t]{0,12}(?:=>|:=|={1,3}|:(?!//)|\xef\xbc\x9a|\xe2\x86\x92)(?:\*\*)?[ \t]{0,32}"  # ： →
    rb"|[ \t]{0,40}(?:\||\xe2\x94[\x82\x83])[ \t]{1,40}"  # the next cell of a table
    rb"|[ \t]+(?:is|was|as|to|ist|lautet|est|es)[ \t]*:?[ \t]+"
    # 是 为 は 은 는
    rb"|[ \t]*(?:\xe6\x98\xaf|\xe4\xb8\xba|\xe3\x81\xaf|\xec\x9d\x80|\xeb\x8a\x94)[ \t]*:?"
    rb"|(?:,\s{0,20}|[ \t]{1,4}|" + _NEXT_LINE + rb")[\x22\x27]?(?:value|val|Value|VALUE)[ ]{0,31}"
    rb"[\x22\x27]?[ \t]*[:=][ \t]*"
    rb"|[ \t]*\{[ \t]*\n(?:[^\n{}]{0,120}\n){0,4}?[ \t]*default[ \t]*=[ \t]*(?=\x22)"  # Terraform
    rb"|[ \t]?,[ \t]{0,2}(?=[\x22\x27])"
    rb"|[ \t]{1,40}"
    rb"|>(?=[^\s<>]{4,200}</)"
    rb"|=)"
    rb"(?:(?:(?:str|String|Some|SecretStr|secret)\(|[bfru@]{1,2}(?=[\x22\x27]))?"
    rb"(?P<quote>[\x22\x27`]|\xe3\x80\x8c|\xe2\x80\x9c))?"
)
_AFTER_EMPTY = (b"", b"\n", b"\r", b" ", b",", b";", b")", b"}", b"]", b'"', b"'")
_NAMED = Lazy(rb"(?i)(?:name|key)[ ]{0,31}[\x22\x27]?[ ]*[:=][ \t]*[\x22\x27]?\Z")
_SETS = (b"set ", b"setx ", b"SET ", b"SETX ", b"env ")
_UNQUOTED = Lazy(rb"[^\s\x22\x27`\x00-\x20\x80-\xff]{1,4096}")
_PASSWORD = Lazy(rb"[^\s\x22\x27`\x00-\x20\x80-\xff]{1,256}")
"""Just enough to see that a value is too long for a password."""
_NEXT_FIELD = Lazy(rb"&(?:$|&|[^&=]{1,60}=)")
_CLOSING = {b'"': b'"', b"'": b"'", b"`": b"`", "「".encode(): "」".encode(),
            "“".encode(): "”".encode()}  # fmt: skip
_NAME = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")
_LONGEST_NAME = 48
_LONGEST_VALUE = 4200
WORDS = (b"is", b"was", b"as", b"to", b"is:", b"ist", b"ist:", b"lautet", b"lautet:", b"est", b"es",
         *(word.encode() for word in "是为は은는"))  # fmt: skip
COLONS = (b":", b"=", b":**", "：".encode(), "→".encode())
_LINES = ("│".encode(), "┃".encode())


class Assignment:
    """One assignment. `word` is the key word in lower case, at [start, end) of `text`; `prefix` the
    part of the name before it; `name` prefix and word; `separator` the separator without blanks (""
    if only blanks)."""

    __slots__ = (
        "blanks", "closed", "end", "foreign", "name", "name_start", "prefix", "quoted",
        "separator", "start", "suffix", "text", "value_end", "value_start", "word",
    )  # fmt: skip

    def __init__(
        self, text: bytes, lower: bytes, start: int, end: int, match: tuple[bytes, ...]
    ) -> None:
        self.suffix, close, self.blanks, quote = match
        self.text, self.start, self.end = text, start, end
        self.word = lower[start:end]
        self.closed = close != b""
        separator = self.blanks.strip()
        self.separator = b"|" if separator in _LINES else separator
        self.quoted = quote != b""
        self.foreign = self.word[0] > 127
        begin, limit = start, max(0, start - _LONGEST_NAME)
        while begin > limit and text[begin - 1] in _NAME:
            begin -= 1
        self.name_start = begin
        self.prefix = text[begin:start]
        self.name = text[begin:end]
        self.value_start = self.value_end = 0

    @property
    def is_flag(self) -> bool:
        begin = self.name_start
        return self.prefix[:2] == b"--" or (begin > 0 and self.text[begin - 1] == 45)

    @property
    def is_loose(self) -> bool:
        """Whether only blanks separate key and value: a column, a sentence, two words."""
        return not self.separator and not (self.is_flag or self.foreign)

    @property
    def is_set(self) -> bool:
        """`setx NAME value`, `configure set name value`."""
        return self.text[max(0, self.name_start - 5) : self.name_start].endswith(_SETS)

    @property
    def is_row(self) -> bool:
        """Whether name and value are alone on a line, in two columns."""
        begin, end = self.name_start, self.value_end
        wide = len(self.blanks) >= 2 or self.blanks == b"\t"
        return (
            wide
            and (begin == 0 or self.text[begin - 1] in b"\n\t +")
            and (end >= len(self.text) or self.text[end] in b"\r\n")
        )

    @property
    def names_value(self) -> bool:
        """`name: KEY`, `value: …`: whether the key is declared as a name."""
        if b"al" not in self.separator and b"default" not in self.separator:
            return True
        if self.closed or self.separator[:1] == b",":
            return True
        return _NAMED.search(self.text, max(0, self.name_start - 60), self.name_start) is not None

    @property
    def is_sentence(self) -> bool:
        return self.separator in WORDS

    @property
    def is_constant(self) -> bool:
        return self.name.isupper()

    @property
    def starts_line(self) -> bool:
        begin = self.name_start
        return begin == 0 or self.text[begin - 1] in b"\n \t+>"

    def value(self) -> bytes:
        return self.text[self.value_start : self.value_end]


def parse(text: bytes, lower: bytes, start: int, end: int, password: bool) -> Assignment | None:
    """Parse the assignment with its key word at [start, end); None if there is none."""
    match = _SHAPE.match(text, end)
    if match is None:
        return None
    suffix, close, blanks, quote = match.group("suffix", "close", "separator", "quote")
    found = Assignment(text, lower, start, end, (suffix, close, blanks, quote or b""))
    found.value_start = match.end()
    if quote and text[match.end() : match.end() + 1] == quote and _opens(text, match.end() + 1):
        found.value_start += 1  # doubled, as inside quoted YAML, SQL and CSV
    found.value_end = _quoted_value(found, quote) if quote else _plain_value(found, password)
    return found


def _opens(text: bytes, at: int) -> bool:
    """Whether a value can begin here, i.e. the quotes before do not enclose an empty one."""
    return text[at : at + 1] not in _AFTER_EMPTY


def _quoted_value(found: Assignment, quote: bytes) -> int:
    text, start = found.text, found.value_start
    end = text.find(_CLOSING[quote], start, start + _LONGEST_VALUE)
    if end < 0:
        rest = _UNQUOTED.match(text, start)
        end = rest.end() if rest else start
    line = text.find(b"\n", start, end)
    value = text[start : line if line >= 0 else end]
    return start + len(value.rstrip(b" \\"))


def _plain_value(found: Assignment, password: bool) -> int:
    start = found.value_start
    match = (_PASSWORD if password else _UNQUOTED).match(found.text, start)
    if not match:
        return start
    value = _cut(match[0], found.separator == b"=")
    trimmed = value.rstrip(b",.;)]}\\")
    if not any(opening in trimmed for opening in (b"(", b"[", b"{")):
        value = trimmed
    return start + len(value)


def _cut(value: bytes, after_equals: bool) -> bytes:
    """Cut off what follows in a query, a parameter list, a pipe or a tag."""
    if after_equals and b"&" in value:
        field = _NEXT_FIELD.search(value, 1)
        value = value[: field.start()] if field else value
    at = value.find(b";")
    if at > 0 and (b"=" in value[at:] or at == len(value) - 1):
        value = value[:at]
    for mark in (b"|", b"<", b"](", b"\\n"):
        at = value.find(mark)
        if at > 0:
            value = value[:at]
    at = value.find(b",")
    if at > 0 and is_code(value[:at]):
        value = value[:at]
    return value
