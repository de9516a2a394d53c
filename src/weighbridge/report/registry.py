# SPDX-License-Identifier: Apache-2.0
"""Pages that were written for a study: a package report/PLATFORM/ registers those of a platform.

Any other study gets the page that its files and its rows make by themselves.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Sequence
from importlib import import_module

from weighbridge.report.parts import Evidence, Section

#: Makes a page's sections, the answer first, of the rows of the page's studies.
Page = Callable[[Evidence], list[Section]]

_PAGES: dict[tuple[str, str], Page] = {}


def register(platform: str, *studies: str) -> Callable[[Page], Page]:
    """Makes a function the page of these studies, drawn once for all of them."""

    def note(page: Page) -> Page:
        for study in studies:
            _PAGES[platform, study] = page
        return page

    return note


def pages(platform: str, studies: Sequence[str]) -> dict[Page | str, list[str]]:
    """The page of each study, or its name where none was written -> the studies on it."""
    import weighbridge.report as package

    for module in pkgutil.iter_modules(package.__path__):
        if module.ispkg:
            import_module(f"{package.__name__}.{module.name}")
    found: dict[Page | str, list[str]] = {}
    for study in studies:
        found.setdefault(_PAGES.get((platform, study), study), []).append(study)
    return found
