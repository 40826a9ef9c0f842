"""`review`: show what sharing sessions would reveal, decide item by item, and write new files."""

from __future__ import annotations

from gitsession.errors import Conflict, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from pathlib import Path

    from gitsession.cli.context import Context
    from gitsession.operations.sharing.review import Item, Review

ABOUT = """
Lists what others would see in a session: secrets that today's rules find, private network
addresses, host names, e-mail addresses, home folders, and words of your own (--word). For
each item, you decide: keep it, redact it (replace it with a placeholder), or drop the
messages that contain it. The result is written to a file; the store does not change.

Without a terminal, --decisions FILE answers: a JSON object that maps a placeholder, a
category (secret, private-address, host-name, email, home-path, word) or `*` to keep,
redact or drop. If any item is left undecided, nothing is written.
"""
EXAMPLES = (
    ("gitsession review -o session.json", "reviews the current session item by item"),
    ("gitsession review @1 @2 --dry-run", "lists what two sessions would reveal"),
    ("gitsession review --decisions my.json --format html -o page.html", "unattended"),
)
EXITS = (10, 12, 13, 14, 17)
_LETTERS = {"k": "keep", "r": "redact", "d": "drop"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sessions", metavar="SESSION", nargs="*", help="rows (@1), names or versions (default HEAD)"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", default="",
        help="the file to write, or a folder for several sessions",
    )  # fmt: skip
    parser.add_argument(
        "--format", metavar="F", choices=("json", "md", "html"), default="json",
        help="json (default), md or html",
    )  # fmt: skip
    parser.add_argument("--decisions", metavar="FILE", default="", help="answers, as JSON")
    parser.add_argument(
        "--word", metavar="WORD", action="append", default=[], help="also look for this word"
    )
    parser.add_argument("--dry-run", action="store_true", help="list everything, write nothing")


def run(arguments: argparse.Namespace, context: Context) -> int:
    repository = context.repository()
    found = [
        repository.review(text, tuple(arguments.word)) for text in arguments.sessions or ("HEAD",)
    ]
    if arguments.dry_run:
        _list(found, context)
        return 0
    targets = _targets(found, arguments, context)
    decisions = _decisions(found, arguments, context)
    from gitsession.operations.sharing.review import reviewed

    # Build all of them first: an undecided item in the last one must leave no file of the first.
    made = [reviewed(one, decisions, arguments.format) for one in found]
    _write(dict(zip(targets, made, strict=True)))
    if context.as_json:
        context.answer("review", files=targets, items=[one.items for one in found])
    else:
        for target in targets:
            context.line(f"Wrote {target}")
    return 0


def _targets(
    found: Sequence[Review], arguments: argparse.Namespace, context: Context
) -> list[Path]:
    if not arguments.output:
        raise UsageError(
            "review writes a new file: name it with -o",
            hint="gitsession review --dry-run only lists what would be seen",
        )
    path = context.path(arguments.output)
    if len(found) == 1 and not path.is_dir():
        return [path]
    return [path / f"{one.version.id[:12]}.{arguments.format}" for one in found]


def _write(files: dict[Path, bytes]) -> None:
    from gitsession.files import replace

    if taken := [path for path in files if path.exists()]:
        raise Conflict(f"{taken[0]} exists; nothing was written", hint="name another file")
    for path, data in files.items():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace(path, data)


def _decisions(
    found: Sequence[Review], arguments: argparse.Namespace, context: Context
) -> dict[str, str]:
    from gitsession.operations.sharing.review import decided, decisions_in

    decisions: dict[str, str] = {}
    if arguments.decisions:
        decisions = decisions_in(context.path(arguments.decisions).read_text("utf-8", "replace"))
    if not context.terminal.interactive:
        return decisions
    items = {item.placeholder: item for one in found for item in one.items}
    for item in items.values():
        if not decided(item, decisions):
            _ask(item, decisions, context)
    return decisions


def _ask(item: Item, decisions: dict[str, str], context: Context) -> None:
    """Ask about an item: one letter decides for it, a capital letter for its whole category."""
    context.print([_line(item)])
    while True:
        context.terminal.stderr.write("  [k]eep, [r]edact, [d]rop (capital: all of this kind)? ")
        context.terminal.stderr.flush()
        answer = context.terminal.stdin.readline()
        if not answer:
            raise Conflict("the review was left; nothing was written")
        letter = answer.strip()[:1]
        if letter.lower() in _LETTERS:
            name = item.category if letter.isupper() else item.placeholder
            decisions[name] = _LETTERS[letter.lower()]
            return


def _list(found: Sequence[Review], context: Context) -> None:
    from gitsession.render.words import plural

    if context.as_json:
        context.answer("review", files=[], items=[one.items for one in found])
        return
    for one in found:
        count = plural(len(one.items), "thing")
        context.line(f"version {one.version.id[:12]}: {count} to decide")
        context.print([_line(item) for item in one.items])


def _line(item: Item) -> str:
    from gitsession.render.safe import line as visible

    where = ", ".join(item.places) + (" …" if item.count > len(item.places) else "")
    times = f"{item.count} times: " if item.count > 1 else ""
    return visible(f"  {item.category}: {item.shown}  ({times}{where})")
