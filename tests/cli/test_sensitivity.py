# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from collections.abc import Callable

import pytest

PATH = ("sensitivity", "cyclonev", "os=linux", "master=pl330", "route=sdramc", "link=HF32")
Run = Callable[..., tuple[int, str, str]]


def test_one_screen(weighbridge: Run) -> None:
    status, out, err = weighbridge(*PATH, "--size", "4KiB", "--parameters", "3", "--spread", "0.2")
    lines = out.splitlines()
    assert (status, err) == (0, "")
    assert "with every parameter off by up to 20 %" in lines[0]
    assert "hf.beat_cycles" in out
    assert "more have a smaller effect" in out
    assert max(map(len, lines)) <= 100
    assert len(lines) < 25


def test_plain_data_is_the_same_twice(weighbridge: Run) -> None:
    words = (*PATH, "--size", "256", "--json", "--parameters", "4")
    first = weighbridge(*words)[1]
    assert weighbridge(*words, "--processes", "1")[1] == first
    plain = json.loads(first)
    ranked = plain["parameters"]
    assert [one["total"] is None for one in ranked].count(False) == 4
    assert ranked[0]["name"] == "linux.system_call"
    assert 0 < ranked[0]["effect_of_10_percent"] < 0.1
    assert plain["low_seconds"] < plain["seconds"] < plain["high_seconds"]
    assert weighbridge(*words, "--seed", "2")[1] != first


def test_a_single_parameter_causes_all(weighbridge: Run) -> None:
    words = (*PATH, "--size", "256", "--json", "--parameters", "1")
    first = json.loads(weighbridge(*words)[1])["parameters"][0]
    assert (first["first_order"], first["total"]) == (1, 1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "no size"),
        (("--size", "64", "--spread", "little"), "not a share"),
        (("--size", "64", "--spread", "0"), "above 0"),
        (("--size", "64", "--spread", "nan"), "above 0"),
        (("--size", "64", "--spread", "400%"), "at most 300%"),
        (("--size", "64", "--seed", "-1"), "--help"),
        (("--size", "64", "colour=red"), "unknown key"),
        (("--size", "64", "--set", "x=1"), "unknown parameter"),
    ],
)
def test_bad_input(refused: Callable[..., str], words: tuple[str, ...], said: str) -> None:
    assert said in refused(*PATH, *words)
