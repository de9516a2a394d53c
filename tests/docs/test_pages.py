# SPDX-License-Identifier: Apache-2.0
from tools.platform_page import PAGE, page


def test_the_page_of_the_platform_file_is_what_the_engine_declares() -> None:
    assert page() == PAGE.read_text(), "make pages writes it anew"
