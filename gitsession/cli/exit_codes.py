"""The exit codes and their meanings, which help texts and the reference page print."""

from __future__ import annotations

DONE = 0
NEGATIVE = 1
USAGE = 2
BUG = 3
CONFLICT = 13
SECRETS = 14
INTERRUPTED = 130

MEANINGS: dict[int, str] = {
    DONE: "done (or nothing to do)",
    NEGATIVE: "a negative answer",
    USAGE: "wrong usage",
    BUG: "a bug in gitsession; the path of a log file is printed",
    10: "no store",
    11: "busy: another process holds the lock",
    12: "not found or ambiguous",
    CONFLICT: "conflict or unsaved changes",
    SECRETS: "secrets found",
    15: "the remote refused or could not be reached",
    16: "an agent or a source cannot be read",
    17: "damaged store or unknown store format",
    INTERRUPTED: "interrupted",
}
