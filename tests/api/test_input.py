# SPDX-License-Identifier: Apache-2.0
"""Whatever is given, the answer is an answer or an InputError."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import weighbridge as wb
from weighbridge.api.table import Table

#: Sizes that are refused or are answered at once.
SIZES = st.one_of(
    st.integers(-10, 4096),
    st.integers(2**30 + 1, 2**200),
    st.floats(max_value=4096) | st.just(float("inf")),
    st.sampled_from(["64", "1KiB", "0x10", "1 KiB", "-1", "1e400", "nan", "KiB", "", "9" * 5000]),
)
#: Words of the vocabulary, other text, and what is no text at all.
WORDS = st.one_of(
    st.sampled_from(
        [
            "linux", "baremetal", "cpu", "pl330", "fpga_dmac", "datra_dma", "acp", "sdramc",
            "HF128", "FS64", "LW32", "HP", "cpu_to_fpga", "fpga_to_cpu", "true", "none",
            "cpu_stream", "cpu-stream", "150MHz", "50 %", "10us", "200MB/s", "1e999",
            "cached", "kernel_uncached",
        ]
    ),
    st.text(max_size=8),
    st.integers(-5, 5000),
    st.floats(),
    st.booleans(),
    st.none(),
    st.binary(max_size=3),
    st.lists(st.integers(0, 3), max_size=2),
    st.just(object()),
)  # fmt: skip
KEYS = st.one_of(
    st.sampled_from(
        [
            "os", "master", "copy", "route", "link", "prepared", "cache_level", "buffer", "consume",
            "completion", "traffic", "fpga_mhz", "clock", "direction", "memory_attribute", "access",
            "queue_depth", "firmware", "target", "load",
        ]
    ),
    st.text(max_size=6).filter(lambda name: name not in ("size", "set", "seed", "trace", "where")),
)  # fmt: skip
PLATFORMS = st.one_of(
    st.sampled_from(wb.platform_names()),
    st.text(max_size=8),
    st.sampled_from(["x.toml", "/", "\0.toml", "\ud800.toml", "a" * 5000 + ".toml", Path("/tmp")]),
    st.none(),
    st.integers(),
)
#: A path that there is, with some of it changed, and anything.
KNOWN = [
    {"os": "linux", "master": "pl330", "route": "acp", "link": "HF128"},
    {"os": "baremetal", "master": "cpu", "cache_level": 3},
    {"os": "linux", "master": "datra_dma", "link": "HP", "route": "hp"},
]
CHANGED = st.dictionaries(KEYS, WORDS, max_size=4)
PATHS = CHANGED | st.builds(lambda known, some: known | some, st.sampled_from(KNOWN), CHANGED)

examples = settings(
    max_examples=150, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


def asked(question: Callable[..., object], *arguments: Any, **named: Any) -> None:
    """Asks, and looks at the answer if there is one."""
    with suppress(wb.InputError):
        answer = question(*arguments, **named)
        if isinstance(answer, Table):
            assert repr(answer)
            assert answer._repr_html_()


@examples
@given(PLATFORMS, SIZES | st.lists(SIZES, max_size=3) | WORDS, PATHS)
def test_predict_and_explain(platform: Any, size: Any, path: dict[str, Any]) -> None:
    asked(wb.predict, platform, size=size, **path)
    asked(wb.explain, platform, size=size, trace=len(path) > 2, **path)


@examples
@given(
    PLATFORMS,
    st.lists(PATHS | st.text(max_size=12) | st.none() | st.integers(), max_size=2),
    PATHS.filter(lambda path: not {"smallest", "largest", "points", "progress"} & set(path)),
    st.none() | st.integers(-3, 4) | st.floats() | st.text(max_size=3),
)
def test_curve(platform: Any, paths: Any, path: dict[str, Any], points: Any) -> None:
    asked(wb.curve, platform, *paths, points=points, largest=256, **path)


@settings(examples, max_examples=30)
@given(
    st.sampled_from(["pcie", "fmc", "nowhere"]),
    SIZES,
    WORDS | st.sampled_from(["cpu_to_fpga", "fpga_to_cpu"]),
    st.fixed_dictionaries(
        {},
        optional={
            "os": WORDS,
            "fpga_mhz": WORDS,
            "where": WORDS | PATHS,
            "consume": WORDS,
            "stream": st.booleans(),
            "depth": WORDS,
            "streams": WORDS,
            "processor": WORDS,
            "rate": WORDS,
            "latency": WORDS,
            "master": WORDS,
        },
    ),
)
def test_advise(platform: str, size: Any, direction: Any, named: dict[str, Any]) -> None:
    asked(wb.advise, platform, size=size, direction=direction, **named)


@examples
@given(
    st.one_of(st.sampled_from(["cyclonev/cache-levels", "x.toml", "\0.toml"]), WORDS),
    st.fixed_dictionaries(
        {"points": st.sampled_from(["nothing.csv", "\0", "/", 5, "x" * 5000])},
        optional={
            "where": WORDS | PATHS,
            "backend": WORDS,
            "set": WORDS | PATHS,
            "seed": WORDS,
            "processes": st.sampled_from([0, -1, "x", 1.5, None, 2**40]),
        },
    ),
)
def test_run(study: Any, named: dict[str, Any]) -> None:
    asked(wb.run, study, **named)


@examples
@given(
    st.lists(
        WORDS | st.sampled_from(["twin", "rtl", "nothing.csv", Path("x.parquet")]), max_size=3
    ),
    st.fixed_dictionaries(
        {},
        optional={"where": WORDS | PATHS, "by": WORDS, "set": WORDS, "assume": WORDS | PATHS},
    ),
)
def test_compare(sources: list[Any], named: dict[str, Any]) -> None:
    asked(wb.compare, *sources, **named)


@examples
@given(PLATFORMS, PATHS)
def test_platform(platform: Any, changes: dict[str, Any]) -> None:
    asked(wb.platform, platform, **changes)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("sdram.width", "24bit"),
        ("sdram.banks", 6),
        ("l1.bytes", "48KiB"),
        ("l2.ways", 3),
        ("hf.width", "0bit"),
        ("sdram.clock", "-5MHz"),
        ("sdram.nothing", 1),
        ("hf.read_cycles", "nan"),
    ],
)
def test_hardware_that_there_is_not_is_refused(parameter: str, value: object) -> None:
    with pytest.raises(wb.InputError):
        wb.predict("cyclonev", size=4096, set={parameter: value}, **KNOWN[0])


def test_a_path_that_nobody_answers_says_why() -> None:
    asked = {"size": "64KiB", "direction": "cpu_to_fpga"}
    with pytest.raises(wb.InputError, match="'no' is neither True nor False in stream"):
        wb.advise("cyclonev", **asked, stream="no")  # type: ignore[arg-type]
    with pytest.raises(wb.InputError, match="a value of type dict in size"):
        wb.predict("cyclonev", size={1: 2}, master="cpu")  # type: ignore[call-overload]
    with pytest.raises(wb.InputError, match="several paths are meant"):
        wb.predict("cyclonev", size=64)
    with pytest.raises(wb.InputError, match="allowed: cpu_to_fpga, fpga_to_cpu"):
        wb.advise("cyclonev", size=64, direction="sideways")
    with pytest.raises(wb.InputError, match=r"unknown key 'mastre'; .*master"):
        wb.predict("cyclonev", size=64, mastre="cpu")
