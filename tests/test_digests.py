"""Our keyed hash is the standard library's."""

from __future__ import annotations

import hashlib
import hmac

from hypothesis import given
from hypothesis import strategies as st

from gitsession.digests import keyed


@given(st.binary(max_size=200), st.binary(max_size=5000))
def test_it_is_hmac_sha256(key: bytes, data: bytes) -> None:
    assert keyed(key, data) == hmac.new(key, data, hashlib.sha256).digest()
