"""The table of verbs, in the order of `--help`: plain strings, so that help imports no command."""

from __future__ import annotations

GROUPS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "start",
        (
            ("init", "make a further store and bind this project to it"),
            ("dir", "print the path of the store"),
            ("agents", "which agents are on this machine, and what can be done with each"),
            ("config", "read and write your configuration"),
        ),
    ),
    (
        "record",
        (
            ("save", "save what is new, one version per finished turn"),
            ("import", "save sessions from files"),
            ("status", "where this directory stands, and what is not saved yet"),
            ("exclude", "never read a directory or a session"),
            ("hooks", "agents that save by themselves at the end of each turn"),
            ("watch", "save what changes, for agents that call no hook"),
        ),
    ),
    (
        "look",
        (
            ("list", "the sessions of this project, or all"),
            ("log", "the versions of a branch, newest first"),
            ("show", "a version, a message, a tool call, or what was masked"),
            ("diff", "what changed between two versions, or since the last one"),
            ("search", "find messages in all that was said, called and answered"),
            ("events", "what happened in a session, one fact a line"),
            ("stats", "tokens, tools and loops of a version"),
        ),
    ),
    (
        "move",
        (
            ("branch", "list, make, rename or delete branches"),
            ("fork", "make a branch at a version or a message, and move to it"),
            ("tag", "mark a key decision"),
            ("checkout", "roll the conversation back: a new native session at a version"),
            ("resume", "checkout, then start the agent"),
            ("rename", "give a session another title"),
            ("archive", "take a session out of the list"),
            ("relink", "say which project a session belongs to"),
            ("delete", "delete a session"),
            ("undo", "take back the last command"),
            ("redo", "take back the last undo"),
            ("oplog", "the operations that undo can take back"),
        ),
    ),
    (
        "model",
        (
            ("context", "what a model gets to see within a token budget"),
            ("snapshot", "what a model should know to go on, in a few KB"),
            ("request", "the whole request that goes on with a session"),
            ("diagnose", "why a model does not know a fact any more"),
            ("verify-facts", "whether a context still says what it must"),
            ("compact", "read the older part as one summary from here on"),
            ("prune", "clear old tool results in every context"),
            ("unprune", "show pruned tool results again"),
        ),
    ),
    (
        "share",
        (
            ("remote", "the git servers that sessions are shared with"),
            ("push", "send sessions to a remote, after the guards"),
            ("fetch", "get what a remote has"),
            ("pull", "fetch, then move branches forward"),
            ("clone", "make a new store from a remote"),
            ("review", "see what a share would show, and decide item by item"),
            ("export", "write one version as a file"),
        ),
    ),
    (
        "care",
        (
            ("scan", "look for secrets; writes nothing"),
            ("redact", "a filter: text in, text without secrets out"),
            ("scrub", "remove a secret from everything stored, for good"),
            ("fsck", "check the store"),
            ("gc", "pack the store, and thin it if asked to"),
            ("du", "what each session takes on disk"),
            ("doctor", "check everything around the store, too"),
            ("completion", "print a completion script for a shell"),
            ("help", "explain a verb"),
        ),
    ),
)

GLOBAL_OPTIONS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("-h", "--help"), "", "show help and exit"),
    (("--json",), "", "print JSON, errors too"),
    (("--store",), "DIR", "use this store"),
    (("-C",), "DIR", "run as if started in DIR"),
    (("--color",), "WHEN", "auto, always or never (NO_COLOR, CLICOLOR count)"),
    (("--no-pager",), "", "never start a pager"),
    (("--version",), "", "print the version and exit"),
)
"""Names, value and meaning; all but the last are understood behind the verb too."""

SUMMARIES: dict[str, str] = {verb: text for _, verbs in GROUPS for verb, text in verbs}

READS = frozenset(
    (
        "dir", "agents", "status", "list", "log", "show", "diff", "search", "events", "stats",
        "oplog", "context", "snapshot", "request", "diagnose", "verify-facts", "export", "scan",
        "fsck", "du", "doctor", "completion", "help",
    )
)  # fmt: skip
"""Verbs that only look, whatever their arguments are: where no store is they make none, nor a key.
Of the others, a call that only looks (`remote` alone) asks for no store to be made."""

_MODULES = {"import": "import_files", "verify-facts": "verify_facts"}
"""Verbs whose name cannot be a module's."""


def module_of(verb: str) -> str:
    """The full name of the module that holds a verb."""
    return "gitsession.cli.commands." + _MODULES.get(verb, verb)
