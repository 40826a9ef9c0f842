"""The release, as `gitsession --version` says it and packages name it."""

__version__ = "0.1.0"
