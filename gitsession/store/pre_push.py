"""The hook in every store: a push by git itself passes the same scan as `gitsession push`.

It is in the store's own `hooks` folder, which the store's configuration names, so that hooks from
the user's configuration never run on sessions. Without gitsession on the PATH it refuses the push.
"""

from __future__ import annotations

SCRIPT = """\
#!/bin/sh
# Guard of a gitsession store: what `git push` sends is scanned like what `gitsession push` sends.
# `git push --no-verify` goes around it.
store=$(cd "${GIT_DIR:-.}" && pwd) || exit 1
program=$(command -v gitsession) || {
    echo "pre-push: gitsession is not on the PATH, so nothing was scanned and nothing is sent" >&2
    exit 1
}
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_PREFIX
exec "$program" --store "$store" scan --pre-push "$1"
"""
