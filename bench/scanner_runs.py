"""`python -m bench.scanner_runs NAME FOLDER`: scan the files of a folder with a scanner of this
environment. Prints JSON by file name: the text without the findings (gitsession), or the values
found (detect-secrets)."""

from __future__ import annotations

import json
import sys
from pathlib import Path


def ours(folder: Path) -> dict[str, str]:
    import gitsession

    return {path.name: gitsession.redact(path.read_text("utf-8")) for path in _files(folder)}


def detect_secrets(folder: Path) -> dict[str, list[str]]:
    """Scan with its default plugins and filters, except the filter that asks vendors over the
    network."""
    from detect_secrets.core.scan import scan_file
    from detect_secrets.settings import default_settings

    found = {}
    with default_settings() as settings:
        settings.disable_filters(
            "detect_secrets.filters.common.is_ignored_due_to_verification_policies"
        )
        for path in _files(folder):
            found[path.name] = [one.secret_value or "" for one in scan_file(str(path))]
    return found


def _files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


if __name__ == "__main__":
    run = {"gitsession": ours, "detect-secrets": detect_secrets}[sys.argv[1]]
    json.dump(run(Path(sys.argv[2])), sys.stdout)
