# SPDX-License-Identifier: Apache-2.0
"""The page in a real browser: asked, dragged, kept, taken away; no network but its own."""

from __future__ import annotations

import csv
import io
import json
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

import weighbridge as wb

from .conftest import served

ASKED = "?platform=cyclonev&size=64KiB&direction=cpu_to_fpga&os=linux&fpga_mhz=150"


class Page:
    """The page as its reader has it."""

    def __init__(self, browser: Any, address: str, folder: Path) -> None:
        self.browser, self.address, self.folder = browser, address, folder

    def run(self, script: str, *arguments: object) -> Any:
        return self.browser.execute_script(script, *arguments)

    def open(self, query: str = ASKED) -> None:
        self.browser.get(self.address + query)
        self.until("return document.documentElement.dataset.answered")

    def until(self, script: str, seconds: float = 60) -> Any:
        end = time.monotonic() + seconds
        while not (found := self.run(script)):
            assert time.monotonic() < end, (script, self.error())
            time.sleep(0.05)
        return found

    def rested(self) -> None:
        """All of the newest move's answers are there."""
        self.until(
            "const {answered, rested} = document.documentElement.dataset;"
            "return rested && rested === answered"
        )

    def error(self) -> str:
        script = (
            "const one = document.getElementById('error'); return one.hidden ? '' : one.textContent"
        )
        return str(self.run(script))

    def move(self, script: str, *arguments: object) -> None:
        """Does something, and waits until its answer is painted."""
        before = self.run("return document.documentElement.dataset.answered")
        self.run(script, *arguments)
        self.until(f"return document.documentElement.dataset.answered !== '{before}'")

    def drag(self, selector: str, value: float) -> None:
        self.move(
            "const one = document.querySelector(arguments[0]); one.value = arguments[1];"
            "one.dispatchEvent(new Event('input', {bubbles: true}))",
            selector,
            value,
        )

    def query(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.run("return location.href")).query))

    def seconds(self) -> list[float]:
        """Of all the ways, as the page has them."""
        script = (
            "return [...document.querySelectorAll('#ranking tbody tr')]"
            ".map(one => one.dataset.seconds)"
        )
        return [float(one) for one in self.run(script)]

    def taken(self, name: str, words: str) -> bytes:
        """The file that a line of the list to take away saves."""
        self.run(
            "[...document.querySelectorAll('#take-list button')]"
            ".find(one => one.textContent === arguments[0]).click()",
            words,
        )
        file = self.folder / name
        end = time.monotonic() + 30
        while not file.exists() or not file.stat().st_size:
            assert time.monotonic() < end, name
            time.sleep(0.05)
        content = file.read_bytes()
        file.unlink()
        return content


@pytest.fixture(scope="module")
def page(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("taken")
    allowed = {"behavior": "allow", "downloadPath": str(folder)}
    chromium.execute_cdp_cmd("Browser.setDownloadBehavior", allowed)
    with served("cyclonev") as address:
        yield Page(chromium, address, folder)


def test_another_platform_starts_with_a_size_of_its_own(page: Page) -> None:
    for start, other, size in (
        ("stm32h7-fmc", "cyclonev", "64KiB"),
        ("cyclonev", "stm32h7-fmc", "32KiB"),
    ):
        page.open(f"?platform={start}")
        assert page.error() == ""
        assert page.seconds()
        page.move(
            "const one = document.getElementById('platform'); one.value = arguments[0];"
            "one.dispatchEvent(new Event('change', {bubbles: true}))",
            other,
        )
        assert page.error() == ""
        assert page.query()["size"] == size


def test_the_page_shows_the_twins_own_numbers(page: Page) -> None:
    page.open()
    advice = wb.advise("cyclonev", size="64KiB", direction="cpu_to_fpga", os="linux", fpga_mhz=150)
    assert page.seconds() == [one.seconds for one in advice]
    shown = page.run("return document.querySelector('#answer .figure').dataset.rate")
    assert float(shown) == advice.best.rate / 1e6
    bound = page.run("return document.querySelector('#answer .bound b').textContent")
    assert bound == advice.best.bound_by
    lit = page.run("return [...document.querySelectorAll('.box.on')].map(o => o.dataset.component)")
    point = advice.best.point
    explained = wb.explain("cyclonev", size="64KiB", **dict(_words(point)))
    busy = {hop.name for _, hops in explained.hops for hop in hops}
    assert set(lit) == {str(point.master), *explained.twin.path(point)} | busy


def _words(point: Any) -> list[tuple[str, str]]:
    from weighbridge.advice.paths import command_words

    return [(name, value) for name, _, value in (w.partition("=") for w in command_words(point))]


def test_a_drag_moves_the_answer_and_the_address(page: Page) -> None:
    page.open()
    page.rested()
    before = page.seconds()
    page.drag("[data-name='clock.ddr'] input[type=range]", 320)
    changed = page.query()["set"]
    name, _, value = changed.partition("=")
    assert (name, float(value) > 400) == ("clock.ddr", True)
    assert page.seconds() != before
    expected = wb.advise(
        "cyclonev",
        size="64KiB",
        direction="cpu_to_fpga",
        os="linux",
        fpga_mhz=150,
        set={name: value},
    )
    assert page.seconds() == [one.seconds for one in expected]
    # The address brings the same back.
    page.open("?" + urlsplit(page.run("return location.href")).query)
    assert page.seconds() == [one.seconds for one in expected]
    page.rested()
    page.move("document.getElementById('reset').click()")
    assert page.seconds() == before


def test_many_moves_end_with_the_last_one(page: Page) -> None:
    page.open()
    page.run(
        "const one = document.getElementById('size-range');"
        "for (let at = 20; at <= 60; at++) {"
        "  one.value = at; one.dispatchEvent(new Event('input', {bubbles: true})) }"
    )
    page.until("return document.querySelector('#answer .figure').dataset.seconds")
    page.rested()
    assert page.query()["size"] == "32KiB"
    expected = wb.advise(
        "cyclonev", size="32KiB", direction="cpu_to_fpga", os="linux", fpga_mhz=150
    )
    assert page.seconds() == [one.seconds for one in expected]
    assert page.run("return document.querySelectorAll('.pane.old').length") == 0


def test_another_way_is_looked_at(page: Page) -> None:
    page.open()
    script = "document.querySelectorAll('#ranking tbody button')[4].click()"
    page.move(script)
    key = page.run("return document.querySelector('#ranking tr.lit').dataset.key")
    assert page.query()["path"] == key
    row = page.run("return document.querySelector('#ranking tr.lit').dataset.seconds")
    assert row == page.run("return document.querySelector('#answer .figure').dataset.seconds")


def test_what_cannot_be_asked_is_said_in_a_line(page: Page) -> None:
    page.open()
    script = (
        "const one = document.querySelector('[name=rate]'); one.value = 'fast';"
        "one.dispatchEvent(new Event('change', {bubbles: true}))"
    )
    page.move(script)
    assert "'fast' is not a rate" in page.error()
    page.move(script.replace("'fast'", "''"))
    assert page.error() == ""
    page.open(ASKED + "&evil=<img src=x onerror=alert(1)>")
    assert "'evil' is no part of a question" in page.error()
    page.open("?platform=cyclonev&size=<script>alert(1)</script>")
    assert "is not a size" in page.error()
    page.browser.get_log("browser")  # refusals are told there, too


def test_side_by_side(page: Page) -> None:
    page.open()
    page.move("document.getElementById('keep').click()")
    ratio = "return Number(document.querySelector('#beside .ratio').dataset.ratio)"
    assert page.run(ratio) == 1
    page.drag("#clock-range", 75)
    slower = page.run(ratio)
    assert 0 < slower < 1
    texts = "return [...document.querySelectorAll('#beside h3')].map(one => one.textContent)"
    script = "[...document.querySelectorAll('#beside button')].find(o => o.textContent === 'Swap')"
    page.move(f"{script}.click()")
    assert page.query()["fpga_mhz"] == "150"
    assert page.run(ratio) == pytest.approx(1 / slower)
    page.move(
        "const one = document.getElementById('platform'); one.value = 'zynq7000';"
        "one.dispatchEvent(new Event('change', {bubbles: true}))"
    )
    here, kept = page.run(texts)
    assert "Zynq" in here
    assert "Cyclone" in kept


def test_everything_can_be_taken_away(page: Page) -> None:
    page.open(ASKED + "&set=clock.ddr=533MHz")
    page.rested()
    rows = list(csv.DictReader(io.StringIO(page.taken("ranking.csv", "Ranking as CSV").decode())))
    assert [float(row["seconds"]) for row in rows] == page.seconds()
    hops = page.taken("path.csv", "This way by component, as CSV").decode()
    assert {"component", "busy_seconds"} <= set(next(csv.reader(io.StringIO(hops))))
    for what in ("Diagram", "Curves"):
        drawn = page.taken(f"{what.lower()}.svg", f"{what} as SVG")
        assert drawn.startswith(b"<svg")
        pixels = page.taken(f"{what.lower()}.png", f"{what} as PNG")
        assert pixels.startswith(b"\x89PNG")
        assert len(pixels) > 5000
    text = page.taken("cyclonev-changed.toml", "Platform with the changes").decode()
    assert tomllib.loads(text)["clock"]["ddr"]["value"] == 533


def test_the_timeline_is_walked_with_keys(page: Page) -> None:
    from selenium.webdriver.common.by import By

    page.open()
    page.rested()
    lanes = page.browser.find_element(By.ID, "lanes")
    said = "return document.getElementById('slice').textContent"
    first = page.run(said)
    lanes.send_keys(".")
    picked = page.run(said)
    assert " of " in picked
    assert picked != first
    lanes.send_keys(".", ".", "+", "-")
    assert page.run(said) != picked
    lanes.send_keys(",")
    assert "wait" in page.run(said)


def test_bytes_hold_still_on_request(page: Page) -> None:
    page.open()
    where = (
        "return [...document.querySelectorAll('.byte')]"
        ".map(one => one.getAttribute('transform')).join()"
    )
    before = page.run(where)
    page.until(f"{where} !== {json.dumps(before)}")
    page.run("document.getElementById('motion').click()")
    time.sleep(0.1)
    still = page.run(where)
    time.sleep(0.3)
    assert page.run(where) == still
    reduced = {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", reduced)
    try:
        page.open()
        still = page.run(where)
        time.sleep(0.3)
        assert page.run(where) == still
        assert still
    finally:
        page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_the_keyboard_alone_suffices(page: Page) -> None:
    """Tab reaches every control in the order of the page, and keys work them."""
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    page.open()
    page.rested()
    page.run("document.activeElement.blur()")
    seen = []
    for _ in range(120):
        ActionChains(page.browser).send_keys(Keys.TAB).perform()
        seen.append(
            page.run(
                "const one = document.activeElement;"
                "return one.id || one.name || one.dataset.key || one.textContent || one.tagName"
            )
        )
        if seen[-1] == "lanes":
            break
    for wanted in ("platform", "keep", "size", "size-range", "os", "find", "motion", "lanes"):
        assert wanted in seen
    before = page.seconds()
    page.run("document.getElementById('size-range').focus()")
    number = page.run("return document.documentElement.dataset.answered")
    ActionChains(page.browser).send_keys(Keys.ARROW_RIGHT).perform()
    page.until(f"return document.documentElement.dataset.answered !== '{number}'")
    assert page.seconds() != before


@pytest.mark.parametrize("platform", ["cyclonev", "zynq7000", "pcie", "stm32h7-fmc", "zynqmp"])
def test_each_platform_on_a_desk_and_on_a_telephone(page: Page, platform: str) -> None:
    page.browser.get_log("browser")
    try:
        page.open(f"?platform={platform}&size=1KiB&direction=cpu_to_fpga")
        page.rested()
        for width in (1280, 390):
            size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
            page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            wide = "const one = document.documentElement; return one.scrollWidth - one.clientWidth"
            page.drag("#size-range", width // 32)
            page.rested()
            assert page.run(wide) <= 0
            assert page.run("return document.querySelectorAll('#chart svg').length") == 1
            assert page.run("return document.querySelectorAll('.box.on').length") > 0
        assert page.error() == ""
        assert page.browser.get_log("browser") == []
    finally:
        page.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault(page: Page, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python", reason="axe is not installed")
    rules = (Path(axe.__file__).parent / "axe.min.js").read_text("utf-8")
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    try:
        page.open()
        page.rested()
        page.run(rules)
        found = page.browser.execute_async_script("axe.run().then(arguments[0])")
    finally:
        page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert len(found["passes"]) > 20
    assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == []


def test_no_request_leaves_the_page(page: Page) -> None:
    """Of all that the tests before this one have asked for."""
    messages = [
        json.loads(entry["message"])["message"] for entry in page.browser.get_log("performance")
    ]
    urls = [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]
    assert urls
    own = (page.address, "data:", "blob:", "chrome:")
    assert [url for url in urls if not url.startswith(own)] == []


def test_the_end_of_the_server_is_said(page: Page) -> None:
    with served("cyclonev") as address:
        other = Page(page.browser, address, page.folder)
        other.open()
    other.drag("#size-range", 20)
    assert "the server has ended" in other.error()
