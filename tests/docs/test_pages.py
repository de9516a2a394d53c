# SPDX-License-Identifier: Apache-2.0
import pytest

from tools import import_page, platform_page, study_page


@pytest.mark.parametrize(
    "made", [platform_page, study_page, import_page], ids=["platform", "study", "import"]
)
def test_a_page_is_what_the_sources_declare(made) -> None:
    assert made.page() == made.PAGE.read_text(), "make pages writes it anew"
