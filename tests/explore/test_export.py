# SPDX-License-Identifier: Apache-2.0
"""The page without a server: the same numbers, on any web host, or nothing at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import weighbridge as wb
from weighbridge.explore import export as exporting
from weighbridge.explore.lab import Lab

from .test_browser import Page

Run = Callable[..., tuple[int, str, str]]
SIZES = ("64B", "16KiB")


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        return


@contextmanager
def hosted(folder: Path) -> Iterator[str]:
    """The address of a plain web host that has the folder one level down."""
    handler = partial(_Quiet, directory=str(folder.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as host:
        Thread(target=host.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{host.server_address[1]}/{folder.name}/"
        finally:
            host.shutdown()


def test_an_export_answers_as_the_server_does(lab: Lab, chromium: Any, tmp_path: Path) -> None:
    folder = tmp_path / "page"
    count, written = exporting.export(lab, "zynq7000", SIZES, folder)
    files = list(folder.iterdir())
    assert written == sum(file.stat().st_size for file in files) < exporting.MOST
    assert len([file for file in files if file.name.startswith("answers-")]) == count
    assert [file.name for file in tmp_path.iterdir()] == ["page"]
    again = tmp_path / "again"
    exporting.export(lab, "zynq7000", SIZES, again)
    for file in files:
        assert file.read_bytes() == (again / file.name).read_bytes()
    with hosted(folder) as address:
        page = Page(chromium, address, tmp_path)
        page.open("?size=16KiB&direction=fpga_to_cpu")
        page.rested()
        expected = wb.advise("zynq7000", size="16KiB", direction="fpga_to_cpu")
        assert page.seconds() == [one.seconds for one in expected]
        page.drag("#size-range", 0)
        expected = wb.advise("zynq7000", size="64B", direction="fpga_to_cpu")
        assert page.seconds() == [one.seconds for one in expected]
        page.move("document.querySelectorAll('#ranking tbody button')[2].click()")
        shown = page.run("return document.querySelector('#answer .figure').dataset.seconds")
        assert float(shown) == expected[2].seconds
        page.rested()
        assert page.run("return document.querySelectorAll('#chart svg').length") == 1
        assert page.error() == ""
        assert chromium.get_log("browser") == []
        page.open("?size=17B&direction=fpga_to_cpu")
        assert "this copy of the page has no such answer" in page.error()
        urls = [
            told["params"]["request"]["url"]
            for told in (
                json.loads(entry["message"])["message"] for entry in chromium.get_log("performance")
            )
            if told["method"] == "Network.requestWillBeSent"
        ]
        assert [url for url in urls if not url.startswith((address, "data:", "chrome:"))] == []


def test_the_command_writes_it(weighbridge: Run, tmp_path: Path) -> None:
    status, out, err = weighbridge("explore", "pcie", "--export", "page", "--size", "64B")
    assert (status, err) == (0, "")
    assert out.startswith("page: page, 2 questions, 1.")
    assert (tmp_path / "page" / "index.html").exists()
    status, out, err = weighbridge("explore", "pcie", "--export", "page", "--size", "64B")
    assert (status, out) == (2, "")
    assert "page is there already" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--size", "64B"), "add --export DIR"),
        (("--export", "page", "--size", "soon"), "is not a size"),
        (("--export", "page", "--size", "64B", "--size", "1GiB"), "carries at most"),
        (("--export", "no/where", "--size", "64B"), "cannot write no/where"),
    ],
)
def test_what_cannot_be_written_leaves_nothing(
    weighbridge: Run, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    status, out, err = weighbridge("explore", "stm32h7-fmc", *arguments)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert said in err
    assert list(tmp_path.iterdir()) == []


def test_a_page_that_is_too_large_leaves_nothing(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "MOST", 5 * 10**5)
    with pytest.raises(wb.InputError, match="give fewer --size"):
        exporting.export(lab, "pcie", SIZES, tmp_path / "page")
    assert list(tmp_path.iterdir()) == []
