# SPDX-License-Identifier: Apache-2.0
"""How long the page of `weighbridge explore` takes from an input event to the painted answer.

usage: python bench/explore.py [--short]

For each platform and size so many moves of its sliders (200), one after the other: the 95th
percentiles until the way looked at and until the ranking are painted, and the server's seconds of
processor time for a move, which a loaded machine changes less. Then the time between two frames
while bytes move and nothing is asked. With --short, a few moves of the first. The bars are of two
quiet cores; nothing fails here.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

#: Platform, size -> bars in milliseconds of the way looked at and of the ranking.
ASKED = {
    ("cyclonev", "64KiB"): (150, 150),
    ("zynq7000", "64KiB"): (150, 150),
    ("cyclonev", "2MiB"): (150, 500),
    ("zynq7000", "2MiB"): (150, 500),
}
FRAME = 17.5
_MOVE = """
const found = [...document.querySelectorAll('.slider input[type=range]')].slice(0, 6);
const one = found[arguments[0] % found.length];
one.value = Number(one.min) + arguments[1] * (one.max - one.min);
one.dispatchEvent(new Event('input', {bubbles: true}));
"""
_FRAMES = """
const done = arguments[arguments.length - 1], times = [];
const frame = (now) => {
  times.push(now);
  if (times.length < 300) requestAnimationFrame(frame); else done(times);
};
requestAnimationFrame(frame);
"""


def p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


def processor_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def opened(profile: str) -> Any:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for flag in ("headless", "no-sandbox", "disable-gpu", "disable-background-networking"):
        options.add_argument(f"--{flag}")
    options.add_argument(f"--user-data-dir={profile}")
    browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    browser.set_window_size(1280, 900)
    return browser


def until(browser: Any, script: str) -> None:
    end = time.monotonic() + 120
    while not browser.execute_script(script):
        if time.monotonic() > end:
            sys.exit(f"the page did not get there: {script}")
        time.sleep(0.01)


def moved(browser: Any, address: str, server: int, moves: int) -> tuple[list[float], ...]:
    """Milliseconds to the way, to the ranking, and of the server's processor time."""
    browser.get(address)
    root = "document.documentElement.dataset"
    until(browser, f"return {root}.rested")
    draw = random.Random(1)
    browser.execute_script("performance.clearMeasures()")
    spent = []
    for _ in range(moves):
        before = browser.execute_script(f"return {root}.answered")
        used = processor_seconds(server)
        browser.execute_script(_MOVE, draw.randrange(6), draw.random())
        until(browser, f"return {root}.answered !== '{before}'")
        spent.append(1e3 * (processor_seconds(server) - used))
    names = ("weighbridge path", "weighbridge ranking")
    script = "return performance.getEntriesByName(arguments[0]).map(one => one.duration)"
    return (*(browser.execute_script(script, name) for name in names), spent)


def main() -> None:
    short = sys.argv[1:] == ["--short"]
    moves, asked = (5, dict([*ASKED.items()][:1])) if short else (200, ASKED)
    command = [str(Path(sys.executable).parent / "weighbridge"), "explore"]
    with (
        tempfile.TemporaryDirectory() as profile,
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server,
    ):
        browser = opened(profile)
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[1]
            for (platform, size), bars in asked.items():
                query = f"?platform={platform}&size={size}&direction=cpu_to_fpga&os=linux"
                way, ranking, spent = moved(browser, address + query, server.pid, moves)
                print(
                    f"{platform}/{size:7} {p95(way):6.0f} ms to the way, p95 of {moves} moves "
                    f"(median {statistics.median(way):.0f}, bar {bars[0]}), to the ranking "
                    f"{p95(ranking):.0f} ms (median {statistics.median(ranking):.0f}, "
                    f"bar {bars[1]}); server's processor {statistics.mean(spent):.0f} ms a move",
                    flush=True,
                )
            until(browser, "return document.documentElement.dataset.rested")
            time.sleep(2)
            browser.set_script_timeout(120)
            times = browser.execute_async_script(_FRAMES)
            gaps = [after - before for before, after in pairwise(times)]
            print(f"{'frames':16} {p95(gaps):6.1f} ms while bytes move, p95; bar {FRAME}")
        finally:
            browser.quit()
            server.send_signal(signal.SIGTERM)


if __name__ == "__main__":
    main()
