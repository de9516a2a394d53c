# SPDX-License-Identifier: Apache-2.0
from tools.engine_stub import STUB, stub


def test_the_stub_that_types_are_checked_by_is_the_engines_own() -> None:
    assert stub() == STUB.read_text(), "make stub writes it anew"
