"""The release, as `gitsession --version` prints it and packages name it."""

__version__ = "0.1.0"
