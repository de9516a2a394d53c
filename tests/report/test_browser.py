# SPDX-License-Identifier: Apache-2.0
"""The page in a real browser: charts drawn, legends alive, no network."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from weighbridge.report import write_report

from .conftest import modelled, some_of, write_csv


@pytest.fixture(scope="module")
def browser(
    chromium: Any, run: Path, reference: Path, tmp_path_factory: pytest.TempPathFactory
) -> Any:
    out = tmp_path_factory.mktemp("page") / "report.html"
    write_report([run], out, reference=[reference])
    chromium.get(out.as_uri())
    until(lambda: rounds(chromium) == 1)
    return chromium


def rounds(browser: Any) -> int:
    """How often the page has drawn all its charts."""
    return int(browser.execute_script("return document.documentElement.dataset.drawn") or 0)


def until(done: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "the page did not get there in time"
        time.sleep(0.1)


def faint(browser: Any) -> int:
    """Curves of the first chart that stand back."""
    script = (
        "return [...document.querySelectorAll('#figure-curves .mark-line path')]"
        ".filter(path => path.getAttribute('opacity') === '0.08').length"
    )
    return int(browser.execute_script(script))


def test_every_chart_is_drawn_without_complaint(browser: Any) -> None:
    script = (
        "return [...document.querySelectorAll('figure')]"
        ".map(figure => figure.querySelectorAll('svg.marks').length)"
    )
    assert browser.execute_script(script) == [1] * 15
    assert browser.execute_script("return document.querySelectorAll('.failed').length") == 0
    assert browser.get_log("browser") == []


def test_no_network(browser: Any) -> None:
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    urls = [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]
    assert [url for url in urls if not url.startswith(("file:", "data:", "chrome:", "blob:"))] == []


def test_legend_click_brings_curves_out(browser: Any) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By

    symbols = browser.find_elements(By.CSS_SELECTOR, "#figure-curves .role-legend-symbol path")
    assert len(symbols) == 6
    into_view = "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})"
    browser.execute_script(into_view, symbols[0])
    assert faint(browser) == 0
    ActionChains(browser).move_to_element(symbols[0]).click().perform()
    until(lambda: faint(browser) == 10)
    ActionChains(browser).move_to_element(symbols[0]).click().perform()
    until(lambda: faint(browser) == 0)


def test_best_masters_are_in_the_page(browser: Any) -> None:
    script = "return document.querySelectorAll('#best-master-table tbody tr').length"
    assert browser.execute_script(script) == 21


def test_linear_axis_on_request(browser: Any) -> None:
    before = rounds(browser)
    browser.execute_script("document.getElementById('scale').click()")
    until(lambda: rounds(browser) == before + 1)
    assert browser.execute_script("return document.querySelectorAll('.failed').length") == 0
    pressed = "return document.getElementById('scale').getAttribute('aria-pressed')"
    assert browser.execute_script(pressed) == "true"


@pytest.mark.parametrize("width", [390, 800, 1600])
def test_no_sideways_scrolling(browser: Any, width: int) -> None:
    before = rounds(browser)
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
    )
    until(lambda: rounds(browser) == before + 1)
    page = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert browser.execute_script(page) <= 0


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("study", {name.partition("/")[0]: name for name in modelled()}.values())
def test_a_page_of_each_platform_on_a_desk_and_on_a_telephone(
    browser: Any, study: str, width: int, tmp_path: Path
) -> None:
    out = tmp_path / "page.html"
    write_report([write_csv(some_of(study), tmp_path / "run.csv")], out)
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        browser.get(out.as_uri())
        until(lambda: rounds(browser) == 1)
        script = "return document.querySelectorAll('figure svg.marks').length"
        assert browser.execute_script(script) > 0
        assert browser.execute_script("return document.querySelectorAll('.failed').length") == 0
        # Neither the page nor a chart runs over to the right; tables scroll by themselves.
        wider = (
            "return [document.documentElement, ...document.querySelectorAll('.chart')]"
            ".filter(one => one.scrollWidth > one.clientWidth + 1).length"
        )
        assert browser.execute_script(wider) == 0
        assert browser.get_log("browser") == []
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
