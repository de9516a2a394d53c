# SPDX-License-Identifier: Apache-2.0
"""The documents as a site: links lead somewhere, and no page asks another host for anything."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from tools import ROOT, pictures, site
from tools.logic import waves

WIDTHS = (1280, 390)
REMOTE = {"http", "https", "ws", "wss"}
#: A long table, wide pictures, what other code has drawn, and long lines of a terminal.
LOOKED_AT = ("index.html", "docs/platform-file.html", "docs/dma-node.html", "docs/notebook.html")


class Page(HTMLParser):
    """What a page names, links to, and loads by itself."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(file.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value for name, value in attrs if value is not None}
        self.names |= {said[name] for name in ("id", "name") if name in said}
        if tag == "a" and "href" in said:
            self.links.append(said["href"])
        elif tag == "link" and said.get("rel") not in ("canonical", "next", "prev"):
            self.loads.append(said["href"])
        elif "src" in said:
            self.loads.append(said["src"])


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "tools.site", out],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return out


@pytest.fixture(scope="module")
def parsed(built: Path) -> dict[Path, Page]:
    return {file: Page(file) for file in built.rglob("*.html")}


def test_every_page_of_the_checkout_is_there(built: Path) -> None:
    for page in site.pages():
        made = page.replace("README.md", "index.html").replace(".md", ".html")
        assert (built / made).is_file(), page


def test_every_link_and_anchor_leads_somewhere(built: Path, parsed: dict[Path, Page]) -> None:
    looked = 0
    for file, page in parsed.items():
        if file.name == "404.html":  # its links begin at the root of a host
            continue
        for link in (*page.links, *page.loads):
            parts = urlsplit(link)
            if parts.scheme in ("http", "https", "data"):
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if target.is_dir():
                target /= "index.html"
            assert target.is_file(), f"{file.relative_to(built)}: {link}"
            if parts.fragment and target in parsed and not parts.fragment.startswith("__"):
                names = parsed[target].names
                assert unquote(parts.fragment) in names, f"{file.relative_to(built)}: {link}"
            looked += 1
    assert looked > 1000


def test_every_picture_is_made_by_a_target() -> None:
    shown = {
        (ROOT / page).parent.joinpath(target).resolve().relative_to(ROOT).as_posix()
        for page in site.pages()
        for target, _ in site.links((ROOT / page).read_text("utf-8"))
        if target.endswith((".svg", ".png"))
    }
    assert shown == {*pictures.DRAWN, *(f"docs/waves/{name}.svg" for name in waves.SEQUENCES)}


def test_no_page_loads_from_another_host(parsed: dict[Path, Page]) -> None:
    for page in parsed.values():
        assert [one for one in page.loads if urlsplit(one).scheme not in ("", "data")] == []


def test_schemas_are_of_the_models(built: Path) -> None:
    platform = json.loads((built / "docs/schemas/platform.json").read_text())
    assert {"component", "clock", "name"} <= set(platform["properties"])
    assert "paths" in json.loads((built / "docs/schemas/study.json").read_text())["properties"]


def asked_for(chromium: Any) -> set[str]:
    """The addresses of all that the browser has asked for since the last call."""
    messages = (
        json.loads(entry["message"])["message"] for entry in chromium.get_log("performance")
    )
    return {
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    }


@pytest.mark.parametrize("width", WIDTHS)
def test_pages_fit_the_screen_and_stay_at_home(built: Path, chromium: Any, width: int) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    tutorials = sorted((built / "docs/tutorials").glob("*.html"))
    for file in (*(built / name for name in LOOKED_AT), *tutorials):
        chromium.get(file.as_uri())
        wider = chromium.execute_script(
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert wider <= 0, file
        broken = "return [...document.images].filter(one => !one.naturalWidth).length"
        assert chromium.execute_script(broken) == 0
    assert chromium.get_log("browser") == []
    urls = asked_for(chromium)
    assert urls
    assert {one for one in urls if urlsplit(one).scheme in REMOTE} == set()


def test_the_search_finds_a_word_without_a_server(built: Path, chromium: Any) -> None:
    chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chromium.set_window_size(1280, 900)
    chromium.get((built / "index.html").as_uri())
    chromium.execute_script(
        "const box = document.querySelector('[data-md-component=search-query]');"
        "document.querySelector('[data-md-toggle=search]').click(); box.focus();"
    )
    chromium.switch_to.active_element.send_keys("lockdown")
    results = "return [...document.querySelectorAll('.md-search-result__link')].map(a => a.href)"
    end = time.monotonic() + 60
    while not (found := chromium.execute_script(results)) and time.monotonic() < end:
        time.sleep(0.1)
    assert found
    assert all(one.startswith("file:") for one in found)
    assert not {urlsplit(one).scheme for one in asked_for(chromium)} & REMOTE
