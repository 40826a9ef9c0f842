"""Third-party programs, each in its own virtual environment, created once and kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def cache() -> Path:
    """Return the folder in which they are kept between runs."""
    folder = os.environ.get("XDG_CACHE_HOME", "") or Path.home() / ".cache"
    return Path(folder) / "gitsession-bench"


def installed(package: str, version: str) -> Path:
    """Return the folder of the programs that a package provides. Raises CalledProcessError."""
    folder = cache() / f"{package}-{version}"
    if not (folder / "installed").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        command = [folder / "bin" / "python", "-m", "pip", "install", "--quiet"]
        subprocess.run([*command, f"{package}=={version}"], check=True, capture_output=True)
        (folder / "installed").touch()
    return folder / "bin"
