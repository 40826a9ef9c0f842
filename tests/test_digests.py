"""Our keyed hash is the standard library's."""

from __future__ import annotations

import hashlib
import hmac

from hypothesis import given
from hypothesis import strategies as st

from gitsession.digests import keyed, sha1_for


@given(st.binary(max_size=200), st.binary(max_size=5000) | st.integers(65_530, 65_550).map(bytes))
def test_it_is_hmac_sha256(key: bytes, data: bytes) -> None:
    assert keyed(key, data) == hmac.new(key, data, hashlib.sha256).digest()


@given(st.binary(max_size=300) | st.integers(65_530, 65_550).map(bytes))
def test_sha1_is_the_standard_one_at_every_size(data: bytes) -> None:
    state = sha1_for(len(data))
    state.update(data)
    assert state.hexdigest() == hashlib.sha1(data, usedforsecurity=False).hexdigest()
