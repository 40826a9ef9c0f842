"""The page that `gitsession --help` prints, made from the tables alone, without any parser."""

from __future__ import annotations

from gitsession.cli.verbs import GLOBAL_OPTIONS, GROUPS

PROGRAM = "gitsession"


class HelpRequested(Exception):
    """`--help` is among the arguments; `text` is the answer."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


def general_help() -> str:
    """Return all verbs with one line each, then the global options."""
    lines = [
        f"usage: {PROGRAM} [options] VERB ...",
        "",
        "Version control for the sessions of AI coding agents.",
        f"No setup needed: run `{PROGRAM} save` in a project, then `{PROGRAM} log`.",
        "",
    ]
    for group, verbs in GROUPS:
        lines.append(f"{group}:")
        lines += [f"  {verb:<13}{text}" for verb, text in verbs]
        lines.append("")
    lines.append("global options:")
    for names, value, text in GLOBAL_OPTIONS:
        lines.append(f"  {', '.join(names) + ' ' + value:<22}{text}")
    lines += ["", f"`{PROGRAM} help VERB` shows a verb's options, examples and exit codes.", ""]
    return "\n".join(lines)
