# SPDX-License-Identifier: Apache-2.0
"""What holds for every test."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

# Machines are shared and slow at times: no example is wrong because it took long.
settings.register_profile("weighbridge", deadline=None)
settings.load_profile("weighbridge")

# What runs tests side by side tells them how wide its own terminal is.
os.environ.pop("COLUMNS", None)

#: A browser that draws without a screen and asks nobody but the page for anything.
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A real browser with a profile of its own, which keeps what it logs and what it asks for."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    service = pytest.importorskip("selenium.webdriver.chrome.service")
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not program or not driver:
        pytest.skip("chromium and chromedriver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (*_FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=service.Service(driver))
    try:
        browser.set_window_size(1280, 900)
        yield browser
    finally:
        browser.quit()
