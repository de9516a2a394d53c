# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from collections.abc import Callable

from weighbridge.platforms import platform_names
from weighbridge.studies import study_names


def test_what_there_is(weighbridge: Callable[..., tuple[int, str, str]]) -> None:
    status, out, err = weighbridge("list")
    assert (status, err) == (0, "")
    assert all(name in out for name in (*platform_names(), *study_names()))
    assert max(map(len, out.splitlines())) <= 100


def test_plain_data(weighbridge: Callable[..., tuple[int, str, str]]) -> None:
    plain = json.loads(weighbridge("list", "--json")[1])
    assert [one["name"] for one in plain["studies"]] == study_names()
    assert [one["name"] for one in plain["platforms"]] == platform_names()
    main = next(one for one in plain["studies"] if one["name"] == "cyclonev/hps-to-fpga")
    assert main["axes"]["link"] == ["LW32", "HF32", "HF64", "HF128"]
    assert main["axes"]["fpga_mhz"] == [50, 100, 150, 160, 180, 200]
