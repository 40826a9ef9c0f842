"""The table of verbs, in the order of `--help`: plain strings, so that help imports no command."""

from __future__ import annotations

GROUPS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "save",
        (
            ("save", "save what is new, one version per finished turn"),
            ("import", "save sessions from files"),
            ("status", "show where this directory is and what is not saved yet"),
            ("hooks", "make agents save by themselves at the end of each turn"),
            ("watch", "save changes as they happen, for agents without hooks"),
            ("exclude", "exclude a directory or a session from being read"),
        ),
    ),
    (
        "inspect",
        (
            ("list", "list the sessions of this project, or of all projects"),
            ("log", "list the versions of a branch, newest first"),
            ("show", "show a version, a message, a tool call, or what was masked"),
            ("diff", "compare two versions, or show what changed since the last"),
            ("search", "search prompts, answers, tool calls and their results"),
            ("events", "list what happened in a session, one fact per line"),
            ("stats", "count tokens, tool calls and loops"),
        ),
    ),
    (
        "go back and branch",
        (
            ("checkout", "roll a conversation back to a version or a message"),
            ("resume", "check out a version and start the agent"),
            ("branch", "list, create, rename or delete branches"),
            ("fork", "create a branch at a version or message and switch to it"),
            ("tag", "mark a version or a message, such as a key decision"),
        ),
    ),
    (
        "undo",
        (
            ("undo", "undo the last command"),
            ("redo", "redo what was undone last"),
            ("oplog", "list the operations that can be undone"),
        ),
    ),
    (
        "organize",
        (
            ("rename", "give a session a new title"),
            ("archive", "hide a session from `list`"),
            ("relink", "assign a session to a project"),
            ("delete", "delete a session"),
        ),
    ),
    (
        "contexts for models",
        (
            ("context", "build the context that fits a token budget"),
            ("snapshot", "summarize a session in a few KB for a new session"),
            ("request", "build the API request that continues a session"),
            ("diagnose", "explain why a model no longer knows a fact"),
            ("verify-facts", "check that a context still contains given facts"),
            ("compact", "replace older messages with a summary in later contexts"),
            ("prune", "clear old tool results in later contexts"),
            ("unprune", "bring pruned tool results back"),
        ),
    ),
    (
        "share",
        (
            ("remote", "manage the git remotes that sessions are shared through"),
            ("push", "send sessions to a remote, after a scan for secrets"),
            ("fetch", "download what a remote has"),
            ("pull", "fetch, then fast-forward branches"),
            ("clone", "create a new store from a remote"),
            ("review", "review what sharing would reveal, item by item"),
            ("export", "write a version to a file (Markdown, HTML, JSON, native)"),
        ),
    ),
    (
        "secrets",
        (
            ("scan", "look for secrets, without changing anything"),
            ("redact", "filter secrets out of text"),
            ("scrub", "permanently remove a secret from everything stored"),
        ),
    ),
    (
        "store and setup",
        (
            ("init", "create an additional store and bind this project to it"),
            ("dir", "print the path of the store"),
            ("agents", "list the supported agents and which are on this machine"),
            ("config", "show and change your settings"),
            ("doctor", "check the installation: git, hooks, permissions, disk"),
            ("fsck", "check the integrity of the store, and repair it"),
            ("gc", "pack the store, and thin it on request"),
            ("du", "show the disk usage of each session"),
            ("completion", "print a completion script for a shell"),
            ("help", "show the help of a verb"),
        ),
    ),
)

GLOBAL_OPTIONS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("-h", "--help"), "", "show help and exit"),
    (("--json",), "", "print JSON, including errors"),
    (("--store",), "DIR", "use this store"),
    (("-C",), "DIR", "run as if started in DIR"),
    (("--color",), "WHEN", "auto, always or never (NO_COLOR and CLICOLOR apply)"),
    (("--no-pager",), "", "never start a pager"),
    (("--version",), "", "print the version and exit"),
)
"""Names, value and meaning; all but the last are also understood after the verb."""

SUMMARIES: dict[str, str] = {verb: text for _, verbs in GROUPS for verb, text in verbs}

READS = frozenset(
    (
        "dir", "agents", "status", "list", "log", "show", "diff", "search", "events", "stats",
        "oplog", "context", "snapshot", "request", "diagnose", "verify-facts", "export", "scan",
        "fsck", "du", "doctor", "completion", "help",
    )
)  # fmt: skip
"""Verbs that only read, whatever their arguments: if there is no store they create none, nor a key.
Of the other verbs, a call that only reads (`remote` alone) does not ask to create a store."""

_MODULES = {"import": "import_files", "verify-facts": "verify_facts"}
"""Verbs whose name cannot be a module's."""


def module_of(verb: str) -> str:
    """Return the full name of the module that holds a verb."""
    return "gitsession.cli.commands." + _MODULES.get(verb, verb)
