"""The second detector: asked only where its literal stands, and never by name of the network."""

from __future__ import annotations

import subprocess
import sys

from gitsession.redaction import redact_text
from tests.redaction.made import Made

MADE = Made(81)


def test_artifactory_is_known_by_the_second_detector_alone() -> None:
    token = "AK" + "C" + MADE.text(24)
    assert redact_text(f'x "{token}" y').startswith('x "__REDACTED_artifactory-token_')


def test_softlayer_url_is_widened_to_the_whole_key() -> None:
    key = MADE.text(64, "abcdefghijklmnopqrstuvwxyz0123456789")
    url = "https://api.softlayer.com/soap/v3/"
    masked = redact_text(f"GET {url}{key} 200")
    assert masked.startswith(f"GET {url}__REDACTED_softlayer-key_") and masked.endswith("__ 200")


def test_dummies_stay() -> None:
    text = 'key "AK' + "C" + "x" * 30 + '" and softlayer_key = "' + "0" * 64 + '"'
    assert redact_text(text) == text


def test_it_opens_no_connection_and_leaves_no_settings() -> None:
    code = """
import socket, sys
def refuse(*args, **more): raise AssertionError('network')
socket.socket.connect = refuse
socket.create_connection = refuse
from gitsession.redaction import redact_text
redact_text('nothing here')
assert 'detect_secrets' not in sys.modules
assert 'REDACTED' in redact_text('x "AK' + 'C' + 'aB3dE5' * 5 + '" y')
assert 'detect_secrets' in sys.modules
from detect_secrets.settings import get_settings
assert not get_settings().plugins and 'verify' not in str(get_settings().filters)
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)
