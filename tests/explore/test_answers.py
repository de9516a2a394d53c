# SPDX-License-Identifier: Apache-2.0
"""The page's numbers are those of the Python call and of the command, to the last digit."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

import weighbridge as wb
from weighbridge.advice.paths import parsed
from weighbridge.explore.lab import Lab, platforms_for
from weighbridge.explore.questions import path_key

from .conftest import TOKEN, Client

Ask = Callable[..., dict[str, Any]]
QUESTIONS: dict[str, dict[str, Any]] = {
    "plain": {"platform": "cyclonev", "size": "64KiB", "direction": "cpu_to_fpga"},
    "conditions": {
        "platform": "cyclonev",
        "size": "3000B",
        "direction": "fpga_to_cpu",
        "os": "linux",
        "fpga_mhz": "77.5MHz",
        "consume": "cpu_stream",
        "latency": "200us",
        "set": ("sdram.clock=533MHz", "HF128.width=64"),
    },
    "stream": {
        "platform": "zynq7000",
        "size": "64KiB",
        "direction": "fpga_to_cpu",
        "stream": "1",
        "depth": "3",
        "rate": "150MB/s",
        "processor": "50%",
    },
    "long": {"platform": "zynq7000", "size": "2MiB", "direction": "cpu_to_fpga", "os": "linux"},
    "pcie": {"platform": "pcie", "size": "1KiB", "direction": "cpu_to_fpga"},
    "fmc": {"platform": "stm32h7-fmc", "size": "1KiB", "direction": "cpu_to_fpga"},
    "zynqmp": {"platform": "zynqmp-zcu102", "size": "16KiB", "direction": "fpga_to_cpu"},
}


def by_python(question: dict[str, Any]) -> wb.Advice:
    words = {
        name: (value == "1" if name == "stream" else int(value) if name == "depth" else value)
        for name, value in question.items()
        if name not in ("platform", "set")
    }
    changes = dict(one.split("=") for one in question.get("set", ()))
    return wb.advise(question["platform"], set=changes, **words)


def test_a_page_starts_with_what_is_answered(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "platform-file.md"
    toy = tmp_path / "toy.toml"
    toy.write_text(page.read_text().split("```toml\n")[1].partition("```")[0])
    lab = Lab(platforms_for(str(toy)))
    setup = {one["name"]: one["usual"] for one in lab.setup()["platforms"]}
    assert setup["cyclonev"] == {"size": "64KiB", "direction": "cpu_to_fpga"}
    assert setup["toy"] == setup["stm32h7-fmc"] == {"size": "32KiB", "direction": "cpu_to_fpga"}
    for name, usual in setup.items():
        asked = lab.question([("platform", name), *usual.items()])
        assert lab.ranking(asked, lambda: None)["paths"], name


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_ranking_is_that_of_the_python_call(ask: Ask, name: str) -> None:
    told = ask("ranking", **QUESTIONS[name])
    expected = by_python(QUESTIONS[name]).to_dict()["paths"]
    assert len(told["paths"]) == len(expected)
    for ours, theirs in zip(told["paths"], expected, strict=True):
        assert {key: ours[key] for key in theirs} == json.loads(json.dumps(theirs))


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_path_can_be_looked_at_and_is_as_explained(ask: Ask, name: str) -> None:
    question = QUESTIONS[name]
    advice = by_python(question)
    changes = dict(one.split("=") for one in question.get("set", ()))
    for one in (advice[0], advice[len(advice) // 2], advice[-1]):
        told = ask("path", path=path_key(one.point), **question)
        assert told["point"] == one.point.key()
        words = shlex.split(told["command"])
        keys: dict[str, Any] = dict(parsed(words[3 : words.index("--size")]))
        explained = wb.explain(
            question["platform"], size=one.point.size_bytes, set=changes, **keys
        ).to_dict()
        for key in ("seconds", "bound_by", "bound_seconds", "next_bound", "seconds_without_bound"):
            assert told[key] == explained[key], key
        assert [phase["seconds"] for phase in told["phases"]] == [
            phase["seconds"] for phase in explained["phases"]
        ]
        for ours, theirs in zip(told["hops"], explained["hops"], strict=True):
            assert {key: ours[key] for key in theirs} == theirs


def test_the_commands_give_the_same_numbers(ask: Ask, weighbridge: Callable[..., Any]) -> None:
    question = QUESTIONS["conditions"]
    told = ask("ranking", **question)
    _, out, _ = weighbridge(*shlex.split(told["command"])[1:], "--json")
    printed = json.loads(out)
    for ours, theirs in zip(told["paths"], printed["paths"], strict=True):
        assert {key: ours[key] for key in theirs} == theirs
    looked = ask("path", path=told["paths"][0]["key"], **question)
    status, out, _ = weighbridge(*shlex.split(looked["command"])[1:], "--json")
    assert (status, json.loads(out)["seconds"]) == (0, looked["seconds"])


def test_crossovers_and_sentences_are_those_of_the_python_call(ask: Ask) -> None:
    told = ask("turns", **QUESTIONS["plain"])
    advice = by_python(QUESTIONS["plain"])
    assert told["answers"] == list(advice.answers)
    assert [one["bytes"] for one in told["turns"]] == [one.from_bytes for one in advice.crossovers]


@pytest.mark.parametrize("name", ["plain", "stream", "zynqmp"])
def test_the_slices_of_a_timeline_add_up_to_what_is_explained(ask: Ask, name: str) -> None:
    question = QUESTIONS[name] | {"size": "4KiB"}
    paths = ask("ranking", **question)["paths"]
    traced = [ask("timeline", path=one["key"], **question) for one in paths]
    # A steady flow may be timed over more accesses than a page draws.
    whole_ones = [told for told in traced if not told["dropped"]]
    assert len(whole_ones) > 2
    for told in whole_ones:
        sums: dict[str, int] = {}
        count: dict[str, int] = {}
        for lane in told["lanes"]:
            sums.setdefault(lane["component"], 0)
            count[lane["component"]] = count.get(lane["component"], 0) + len(lane["slices"])
            sums[lane["component"]] += sum(piece[1] for piece in lane["slices"])
        busy = {lane["component"]: lane["busy_seconds"] for lane in told["lanes"]}
        assert busy
        for component, seconds in busy.items():
            # Each slice is told in whole picoseconds.
            apart = abs(sums[component] * 1e-12 - seconds)
            assert apart <= (count[component] + 1) * 1e-12
        if told["transfers"] == 1:
            whole = sum(phase[1] for phase in told["phases"])
            assert whole * 1e-12 == pytest.approx(told["seconds"], rel=1e-9)


def test_slices_of_a_lane_follow_each_other(ask: Ask) -> None:
    question = QUESTIONS["plain"]
    told = ask("timeline", path=ask("ranking", **question)["paths"][3]["key"], **question)
    for lane in told["lanes"]:
        for before, after in zip(lane["slices"], lane["slices"][1:], strict=False):
            assert before[0] + before[1] <= after[0]


def test_numbers_that_matter_come_first(ask: Ask) -> None:
    question = QUESTIONS["plain"]
    told = ask("parameters", path=ask("ranking", **question)["paths"][0]["key"], **question)
    effects = [abs(one["effect"] or 0.0) for one in told["parameters"]]
    assert effects == sorted(effects, reverse=True)
    assert effects[0] > 0.05
    first = told["parameters"][0]
    seconds = ask("ranking", **question)["paths"][0]["seconds"]
    # One step of the first: its effect is what a question with it changed finds.
    values = [one for one in first["steps"] if one in (first["own"] / 2, first["own"] * 2)]
    assert values
    found = [
        ask(
            "path",
            path=ask("ranking", **question)["paths"][0]["key"],
            set=(f"{first['name']}={value!r}",),
            **question,
        )["seconds"]
        / seconds
        - 1
        for value in values
    ]
    assert max(found, key=abs) == pytest.approx(first["effect"], rel=1e-9)


@pytest.mark.parametrize("name", ["cyclonev", "zynq7000", "pcie", "zynqmp-ultra96"])
def test_sliders_end_where_the_platform_may_be_asked(client: Client, ask: Ask, name: str) -> None:
    """Each end of each slider is answered or refused in a line, and most are answered."""
    question = {"platform": name, "size": "256", "direction": "cpu_to_fpga"}
    key = ask("ranking", **question)["paths"][0]["key"]
    rows = ask("parameters", path=key, **question)["parameters"]
    refused = 0
    for row in rows[:40]:
        assert row["least"] <= row["low"] <= row["own"] <= row["high"] <= row["most"]
        assert row["source"]
        for end in ("low", "high"):
            pairs = [*question.items(), ("path", key), ("set", f"{row['name']}={row[end]!r}")]
            status, body, _ = client.get(f"/{TOKEN}/path.json", urlencode(pairs))
            assert status in (200, 400), body
            refused += status == 400
    assert refused < 20


def test_curves_are_those_of_the_python_call(ask: Ask) -> None:
    question = {"platform": "cyclonev", "size": "64KiB", "direction": "cpu_to_fpga", "os": "linux"}
    key = ask("ranking", **question)["paths"][2]["key"]
    told = ask("curves", path=key, **question)
    first = told["curves"][0]
    assert first["key"] == key
    expected = wb.curve("cyclonev", [*key.split(), "direction=cpu_to_fpga"])[0]
    assert first["sizes"] == list(expected.sizes)
    assert first["seconds"] == [one.seconds for one in expected.answers]
    assert dict(first["published"]) == expected.published
    assert first["published"]


def test_a_platform_file_with_the_changes_gives_the_same_answer(ask: Ask, tmp_path: Path) -> None:
    question = QUESTIONS["conditions"]
    made = ask("platform_file", **question)
    file = tmp_path / made["name"]
    file.write_text(made["text"])
    words = {name: value for name, value in question.items() if name not in ("platform", "set")}
    again = {path_key(one.point): one.seconds for one in wb.advise(file, **words)}
    told = ask("ranking", **question)["paths"]
    assert again == {one["key"]: one["seconds"] for one in told}
