"""The numbers of format v1: what the writer cuts at, and what the reader refuses to go beyond.

The first group is part of the format (changing one makes other trees of the same content); the
second protects a reader from foreign trees and can be raised at any time.
"""

from __future__ import annotations

FORMAT = 1

CUT_STRING = 4 << 10
"""A JSON string of so many raw bytes or more leaves its record and becomes a blob of its own."""
CUT_TURN = 64 << 10
"""A turn that is larger (after redaction, lifting and cutting) goes on in the next blob."""
PART = 32 << 20
"""No blob is larger; what is comes in parts."""
FOLDER = 100
"""Entries of one folder of turn blobs, on every level."""
CONSTANT = 1 << 10
"""A longer value is not lifted."""
CONSTANT_FIELDS = 64
"""More fields are not lifted in one stream."""
CONSTANT_CHANGES = 32
"""After so many values of one field in one stream the later ones stay in the records, so that
`session.yaml` does not grow with the number of turns."""
COMPONENT = 200
"""Bytes of one path component; a longer name goes on in the next folder."""
PROMPT = 400
"""Characters of the prompt that `session.yaml` repeats; the records hold all of it."""
TITLE = 200
"""Characters of the title."""
TEXT = 1000
"""Characters of any other text: a folder, a name."""
LISTED = 64
"""Models and working directories that it names."""
WITHHELD = 256
"""Withheld files that `session.yaml` names, newest last; the rest is a number."""

YAML_BYTES = 1 << 20
YAML_DEPTH = 32
PATH_BYTES = 4000
PATH_DEPTH = 24
"""Folders above a file; a file that lies deeper is withheld."""
TREE_ENTRIES = 2_000_000
RECORD_BYTES = 1 << 30
SESSION_BYTES = 8 << 30
