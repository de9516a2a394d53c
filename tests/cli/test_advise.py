# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from weighbridge.cli.wording import change, explain_command
from weighbridge.dataset.values import DIRECTIONS
from weighbridge.platforms import platform_names

PLAIN = ("advise", "cyclonev", "--size", "64KiB", "--direction", "cpu_to_fpga")
#: Masters of the processor's half.
ASKED = (*PLAIN, "--where", "master=cpu", "--where", "master=pl330")
Run = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize("options", [(), ("--os", "linux"), ("--os", "baremetal")])
def test_one_screen(weighbridge: Run, options: tuple[str, ...]) -> None:
    status, out, err = weighbridge(*ASKED, *options, "--fpga-mhz", "150")
    lines = out.splitlines()
    assert (status, err) == (0, "")
    assert lines[0].startswith("64 KiB from processor to FPGA")
    assert lines[0].endswith("ceiling 2400 MB/s (HF128)")
    assert max(map(len, lines)) <= 100
    assert len(lines) <= 32
    assert "…" not in out


def test_each_way_is_on_the_screen(weighbridge: Run) -> None:
    _, out, _ = weighbridge(*ASKED, "--os", "linux")
    for way in ("CPU memcpy", "PL330 via ACP", "PL330 via SDRAM port"):
        for link in ("HF128", "HF64", "HF32", "LW32"):
            assert f"{way}, {link}" in out
    assert "8 more paths: --all" in out
    _, everything, _ = weighbridge(*ASKED, "--os", "linux", "--all")
    assert "--all" not in everything
    assert everything.count("unprepared") == 8


def test_the_next_command_can_be_typed(weighbridge: Run) -> None:
    changed = "sdram.read_latency=40ns"
    _, out, _ = weighbridge(*ASKED, "--set", changed)
    _, _, command = out.partition("why: ")
    words = shlex.split(command.replace("\\\n", ""))  # as a shell reads it
    assert words[:3] == ["weighbridge", "explain", "cyclonev"]
    assert words[-2:] == ["--set", changed]
    status, explained, _ = weighbridge(*words[1:])
    assert status == 0
    time = re.search(r"MB/s +[\d.-]+ +(\S+ [mun]s)", out)
    assert time
    assert f"in {time[1]}:" in explained


def test_plain_data(weighbridge: Run) -> None:
    plain = json.loads(weighbridge(*ASKED, "--os", "linux", "--fpga-mhz", "75MHz", "--json")[1])
    assert plain["platform"] == "cyclonev"
    assert plain["size_bytes"] == 65536
    assert plain["direction"] == "cpu_to_fpga"
    assert plain["fpga_mhz"] == 75
    assert plain["ceiling_mb_per_s"] == pytest.approx(1200)
    assert len(plain["paths"]) == 20
    best = plain["paths"][0]
    assert best["rank"] == 1
    assert best["point"]["fpga_mhz"] == 75
    assert best["rate_mb_per_s"] == pytest.approx(65536 / best["seconds"] / 1e6)
    assert 0 < best["ceiling_share"] < 1
    assert best["bound_by"]
    assert plain["crossovers"][0]["from_bytes"] == 2
    assert {"from_bytes", "winner", "point"} == plain["crossovers"][0].keys()


def test_what_if(weighbridge: Run) -> None:
    base, slow = (
        json.loads(weighbridge(*ASKED, "--where", "link=LW32", "--json", *more)[1])["paths"]
        for more in ((), ("--set", "l4.beat_cycles=5"))
    )
    assert slow[0]["seconds"] > 1.5 * base[0]["seconds"]


def test_only_some_paths(weighbridge: Run) -> None:
    conditions = ("--where", "prepared=true", "--where", "prepared=", "--where", "link=HF128")
    plain = json.loads(weighbridge(*ASKED, *conditions, "--os", "linux", "--json")[1])
    assert {one["point"]["link"] for one in plain["paths"]} == {"HF128"}
    assert len(plain["paths"]) == 3


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (("--size", "0"), "size '0' is not positive"),
        (("--size", "-64"), "size '-64' is not positive"),
        (("--size", "2GiB"), "too large"),
        (("--size", "1e30"), "too large"),
        (("--size", "64XB"), "unknown unit 'XB'"),
        (("--size", "much"), "not a size"),
        (("--direction", "write"), "allowed: cpu_to_fpga, fpga_to_cpu"),
        (("--os", "dos"), "allowed: baremetal, linux"),
        (("--fpga-mhz", "0"), "not positive"),
        (("--fpga-mhz", "150ns"), "unknown unit"),
        (("--fpga-mhz", "5GHz"), "allowed: 1 to 1000 MHz"),
        (("--where", "link=HF256"), "allowed: HF128, HF64, HF32, LW32"),
        (("--where", "colour=red"), "unknown key"),
        (("--where", "fpga_mhz=100"), "not told apart by"),
        (("--set", "sdram.clock"), "not KEY=VALUE"),
        (("--set", "sdram.colour=1"), "unknown parameter"),
        (("--set", "sdram.clock=1V"), "sdram.clock=1V"),
    ],
)
def test_bad_input(refused: Callable[..., str], changed: tuple[str, str], said: str) -> None:
    if changed[1] == "sdram.clock=1V":
        said = "cannot be converted"
    assert said in refused(*ASKED, *changed)


def test_unknown_platform(refused: Callable[..., str]) -> None:
    assert "cyclonev" in refused("advise", "zx81", "--size", "2", "--direction", "cpu_to_fpga")


def test_three_questions_are_answered_from_the_numbers(weighbridge: Run) -> None:
    _, out, _ = weighbridge(*ASKED, "--os", "linux", "--fpga-mhz", "150")
    assert "Best: PL330 via SDRAM port, HF128, prepared, 617 MB/s, bound by L3 port" in out
    assert "Connect it: HPS-to-FPGA bridge (HF128), 128 bit at 150 MHz" in out
    assert "What would change this: below" in out
    answers = json.loads(weighbridge(*ASKED, "--os", "linux", "--json")[1])["answers"]
    assert answers[0].startswith("Choices: 20 paths. PL330 by HF128, HF64, HF32, LW32; Cortex-A9")


def test_a_rate_is_marked_with_its_margin(weighbridge: Run) -> None:
    status, out, _ = weighbridge(*ASKED, "--os", "linux", "--rate", "500MB/s")
    assert status == 0
    assert re.search(r"PL330 via SDRAM port, HF128.* \+23 %", out)
    assert re.search(r"CPU memcpy, HF128.* no, -88 %", out)
    plain = json.loads(weighbridge(*ASKED, "--os", "linux", "--rate", "4Gbit/s", "--json")[1])
    assert plain["paths"][0]["margin"] == pytest.approx(0.2368, abs=0.01)


def test_what_is_left_of_a_rate_is_never_nothing(weighbridge: Run) -> None:
    """A path at 8 of 3000 MB/s once stood at -100 %."""
    out = weighbridge(*ASKED, "--os", "linux", "--rate", "40GB/s")[1]
    margins = re.findall(r"no, (-[0-9.]+) %", out)
    assert len(margins) == 12
    assert all(-100 < float(margin) < -90 for margin in margins)
    assert change(-1.0) == "-100 %"
    assert [change(x) for x in (-0.994, -0.996, -0.99996, 0.234)] == [
        "-99 %", "-99.6 %", "-99.996 %", "+23 %",
    ]  # fmt: skip


def test_the_clock_of_the_platform_is_not_spelt_out(weighbridge: Run) -> None:
    """1/7 GHz has sixteen digits, and is what is meant where nothing is said."""
    question = ("--size", "64KiB", "--direction", "cpu_to_fpga", "--json")
    for clock, said in (
        ((), None),
        (("--fpga-mhz", "125"), "fpga_mhz=125"),
        (("--fpga-mhz", "142.85714"), "fpga_mhz=142.85714"),
    ):
        plain = json.loads(weighbridge("advise", "zynq7000", *question, *clock)[1])
        words = shlex.split(plain["why"])
        assert [word for word in words if word.startswith("fpga_mhz")] == ([said] if said else [])
        explained = json.loads(weighbridge(*words[1:], "--json")[1])
        assert explained["point"] == plain["paths"][0]["point"]


def test_a_stream_has_its_own_options(weighbridge: Run) -> None:
    stream = (*ASKED, "--os", "linux", "--stream", "--duplex", "--depth", "4", "--json")
    one = json.loads(weighbridge(*ASKED, "--os", "linux", "--json")[1])["paths"][0]
    both = json.loads(weighbridge(*stream)[1])["paths"][0]
    assert both["latency_seconds"] > both["seconds"]
    assert 0 < both["processor_share"] <= 1
    assert one["latency_seconds"] == one["seconds"]
    status, _, err = weighbridge(*ASKED, "--duplex")
    assert (status, err.count("\n")) == (2, 1)
    assert "add --stream" in err


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_what_no_path_holds_is_a_no(weighbridge: Run, form: tuple[str, ...]) -> None:
    status, out, err = weighbridge(*ASKED, "--rate", "900GB/s", *form)
    assert (status, err) == (1, "")
    assert "No path holds 900000 MB/s" in out
    assert weighbridge(*ASKED, "--rate", "1MB/s", *form)[0] == 0


@pytest.mark.parametrize("text", ["5", "5 parsecs", "0us", "-5us", "us", ""])
def test_a_latency_has_a_unit(refused: Callable[..., str], text: str) -> None:
    said = refused(*ASKED, f"--latency={text}")
    assert text != "5" or "time '5' has no unit; write it like 5us" in said


@pytest.mark.parametrize(
    ("option", "value"),
    [("--rate", "200"), ("--rate", "0MB/s"), ("--processor", "x"), ("--processor", "0%"),
     ("--consume", "gpu"), ("--latency", "5MB"), ("--depth", "0")],
)  # fmt: skip
def test_bad_options_are_said_in_a_line(weighbridge: Run, option: str, value: str) -> None:
    status, out, err = weighbridge(*ASKED, "--stream", option, value)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1


def test_controllers_in_the_fabric_are_ranked_with_the_others(weighbridge: Run) -> None:
    _, out, _ = weighbridge(*PLAIN, "--os", "baremetal", "--fpga-mhz", "150")
    assert len(out.splitlines()) <= 32
    assert max(map(len, out.splitlines())) <= 100
    assert re.search(r"1 fabric DMA, FS128 +1[56]\d\d MB/s", out)
    assert "Connect it: FPGA-to-SDRAM port (FS128), 128 bit at 150 MHz" in out


def test_an_error_that_nobody_measured_is_said_to_be_so(weighbridge: Run) -> None:
    question = ("--size", "64KiB", "--direction", "cpu_to_fpga")
    out = weighbridge("advise", "atom-virtex5", *question)[1]
    said = "least processor time first; nobody has measured how far the model is off on these"
    assert said in " ".join(out.split())
    out = weighbridge("advise", "zynq7000", *question)[1]
    assert "how far the model is off on 1 of these 12" in " ".join(out.split())
    plain = json.loads(weighbridge("advise", "atom-virtex5", *question, "--json")[1])
    assert {one["error"] for one in plain["paths"]} == {None}
    assert (
        "within both errors (4 %"
        in weighbridge("advise", "cyclonev", "--os", "linux", *question)[1]
    )


TOY = Path(__file__).parents[1] / "platforms/toy.toml"


@pytest.mark.parametrize(
    ("platform", "direction"), list(product((*platform_names(), "a toy's.toml"), DIRECTIONS))
)
@settings(
    max_examples=3,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],  # an example takes a second: a failing one is not made smaller
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(size=st.integers(1, 3000), use=st.sampled_from(["none", "cpu-stream", "cpu_random"]))
def test_the_command_for_the_best_explains_its_time(
    platform: str, direction: str, size: int, use: str, weighbridge: Run, tmp_path: Path
) -> None:
    """At every platform and question the command says what advise says."""
    shutil.copy(TOY, tmp_path / "a toy's.toml")
    asked = (platform, f"size={size}", f"direction={direction}", f"consume={use}")
    status, out, err = weighbridge("advise", *asked, "--json")
    if status:
        assert (status, err.count("\n")) == (2, 1)
        assert "no path can be asked for that" in err
        return
    plain = json.loads(out)
    best = plain["paths"][0]
    status, explained, err = weighbridge(*shlex.split(plain["why"])[1:], "--json")
    assert (status, err) == (0, "")
    assert json.loads(explained)["seconds"] == best["seconds"]
    assert json.loads(explained)["point"] == best["point"]


@given(
    words=st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0\n"))),
    overrides=st.dictionaries(st.text("ab."), st.text("1 '\\$")),
    width=st.none() | st.integers(1, 120),
)
def test_a_shell_reads_the_same_at_any_width(
    words: list[str], overrides: dict[str, str], width: int | None
) -> None:
    command = explain_command("my platform.toml", words, 64, overrides, width)
    expected = ["weighbridge", "explain", "my platform.toml", *words, "--size", "64B"]
    for name, value in overrides.items():
        expected += ["--set", f"{name}={value}"]
    assert shlex.split(command.replace(" \\\n    ", " ")) == expected


def test_a_long_transfer_says_what_its_answer_rests_on(weighbridge: Run) -> None:
    asked = ("cyclonev", "--direction", "fpga_to_cpu", "--where", "link=FS128", "--os", "linux")
    short = weighbridge("advise", *asked, "--size", "2MiB")
    assert (short[0], short[2]) == (0, "")
    assert "extrapolated" not in short[1]
    long = weighbridge("advise", *asked, "--size", "6MiB")
    assert "extrapolated from the first 4 MiB, within 0.5 %; --exact" in long[1]
    exact = weighbridge("advise", *asked, "--size", "6MiB", "--exact")
    assert "extrapolated" not in exact[1]
    plain = [json.loads(weighbridge("advise", *asked, "--size", "6MiB", "--json", *more)[1])
             for more in ((), ("--exact",))]  # fmt: skip
    (extended,), (whole,) = (one["paths"] for one in plain)
    assert extended["seconds"] == pytest.approx(whole["seconds"], rel=5e-3)
    assert (extended["simulated_bytes"], whole["simulated_bytes"]) == (4 << 20, None)
