# SPDX-License-Identifier: Apache-2.0
"""What CONTRIBUTING's table says is enough: a toll on a bus, from its C++ class to its report.

A copy of the sources is given a component with two parameters, a board that has it, an axis, a way
of measuring, a study and its page, each by the files that the table names for it and no others.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tools import ROOT

COMPONENT = """\
// SPDX-License-Identifier: Apache-2.0
//
// A hop that takes a toll of accesses: made up, to show what a component needs.
#pragma once

#include <string>
#include <utility>

#include "core/component.hpp"
#include "core/fields.hpp"

namespace weighbridge {

class Toll : public Component {
 public:
  struct Parameters {
    Fields f = {};
    Time delay = f.time("delay", "of an access that pays");
    std::uint32_t every = f.count("every", "accesses of which one pays", Range{1, 100}.or_else(1));
  };

  Toll(std::string name, const Parameters& parameters, Component& next)
      : Component(std::move(name)), p_(parameters), next_(next) {}
  Reply access(const Access& access, Time arrival) override {
    const Time toll = paid_++ % p_.every == 0 ? p_.delay : 0;
    record(access, arrival, toll, 0);
    return next_.access(access, arrival + toll);
  }

 private:
  Parameters p_;
  Component& next_;
  std::uint32_t paid_ = 0;
};

}  // namespace weighbridge
"""
BOARD = """\
schema = 1
name = "tollroad"
title = "A bus with a toll"
extends = "stm32h7-fmc"

[component.apb]
to = ["toll"]

[component.toll]
title = "toll gate"
kind = "toll"
clock = "fmc"
to = ["tx_fifo"]
delay = { value = 2, unit = "us", source = "made up" }
"""
STUDY = """\
name = "sends"
title = "Datagrams sent several times"
platform = "tollroad"
description = "A datagram sent again and again."
source = "made up"

[axes]
direction = "cpu_to_fpga"
size_bytes = ["64 B", "1 KiB"]
repeats = [1, 2, 4]

[[paths]]
os = "baremetal"
master = "mdma"
link = "FMC16"
firmware = "mdma"
fpga_mhz = 125
"""
BACKEND = '''\
# SPDX-License-Identifier: Apache-2.0
"""Every path at its ceiling: made up, to show what a backend needs."""

from __future__ import annotations

from pathlib import Path

from weighbridge.backends import Asked
from weighbridge.backends.twin import Twin
from weighbridge.dataset.schema import Point, Result


class Ideal:
    name = "ideal"

    def __init__(self, asked: Asked) -> None:
        self._twin = Twin(asked.loaded(), asked.seed)

    def facts(self) -> dict[str, object]:
        return {"ideal": "nothing is lost"}

    def predict(self, point: Point) -> Result:
        return Result(point=point, seconds=self._twin.ceiling(point), backend=self.name)


def opened(asked: Asked) -> Ideal:
    return Ideal(asked)


def made_of() -> list[Path]:
    return []
'''
PAGE = '''\
# SPDX-License-Identifier: Apache-2.0
"""The page of the toll."""

from __future__ import annotations

from weighbridge.report.parts import Cell, Evidence, Section, table
from weighbridge.report.registry import register
from weighbridge.report.study import study_page


@register("tollroad", "sends")
def page(evidence: Evidence) -> list[Section]:
    rows = [[Cell(str(row["repeats"])), Cell(f"{row['seconds']:.3e}")] for row in evidence.rows]
    tables = table("tolls", "Tolls paid", ["repeats", "seconds"], rows)
    toll = Section("toll", "What the toll costs", "Each send pays.", tables=tables)
    return [toll, *study_page("sends", evidence)]
'''


def rows_of_the_table() -> dict[str, list[str]]:
    """What is to add -> the files that CONTRIBUTING's table names for it, as patterns."""
    named = {}
    for row in (ROOT / "CONTRIBUTING.md").read_text("utf-8").splitlines():
        if found := re.fullmatch(r"\| (an? [^|]*|another [^|]*) \| (.*) \|", row):
            files = re.findall(r"`([\w/*]+/[\w./*]*\.\w+)`", found[2])
            named[found[1]] = [re.sub(r"\b[A-Z]{3,}\b", "*", file) for file in files]
    return named


class Copy:
    """The sources in a directory of their own, and what has been written into them."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.written: set[str] = set()
        self._table = rows_of_the_table()
        ignored = shutil.ignore_patterns("__pycache__", "*.so")
        for room in ("src", "engine"):
            shutil.copytree(ROOT / room, home / room, ignore=ignored)

    def add(self, what: str, file: str, text: str) -> None:
        """Writes a file that the table's row of this name names."""
        assert any(fnmatch(file, pattern) for pattern in self._table[what]), (what, file)
        (self.home / file).parent.mkdir(parents=True, exist_ok=True)
        (self.home / file).write_text(text, "utf-8")
        self.written.add(file)

    def edit(self, what: str, file: str, before: str, line: str) -> None:
        """Adds text before some of a file that the table's row names."""
        text = (self.home / file).read_text("utf-8")
        assert text.count(before) == 1, (file, before)
        self.add(what, file, text.replace(before, line + before))

    def changed(self) -> set[str]:
        """Files that are not what they are in the checkout."""
        files = {
            str(file.relative_to(self.home))
            for file in self.home.glob("*/**/*")
            if file.is_file() and file.suffix not in (".so", ".pyc")
        }
        return {
            file
            for file in files
            if not (ROOT / file).is_file()
            or (ROOT / file).read_bytes() != (self.home / file).read_bytes()
        }

    def build(self) -> None:
        """The engine, of the objects that the checkout's was made of and the table of kinds."""
        made = next(ROOT.glob("build/cp*/compile_commands.json")).parent
        commands = {
            Path(one["file"]): one["command"]
            for one in json.loads((made / "compile_commands.json").read_text())
        }
        compiled = commands[ROOT / "engine/kinds.cpp"].replace(str(ROOT), str(self.home))
        words = shlex.split(compiled)
        object_ = self.home / "kinds.o"
        words[words.index("-o") + 1] = str(object_)
        subprocess.run(words, check=True)
        ninja = [shutil.which("ninja", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")]
        linked = subprocess.run(
            [*map(str, ninja), "-C", str(made), "-t", "commands", "_engine"],
            capture_output=True, text=True, check=True,
        ).stdout.splitlines()[-1]  # fmt: skip
        words = shlex.split(linked.removeprefix(": && ").removesuffix(" && :"))
        module = words.index("-o") + 1
        words[module] = str(self.home / "src/weighbridge" / words[module])
        # Before the library, whose own table of kinds then is not wanted.
        words.insert(module + 1, str(object_))
        subprocess.run(words, cwd=made, check=True)

    def weighbridge(self, *words: str, status: int = 0) -> str:
        """What the copy's command prints, on either stream."""
        ended = subprocess.run(
            [sys.executable, "-m", "weighbridge", *words],
            cwd=self.home,
            env={**os.environ, "PYTHONPATH": str(self.home / "src"), "COLUMNS": "100"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == status, ended.stdout + ended.stderr
        return ended.stdout + ended.stderr


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    copy = Copy(tmp_path_factory.mktemp("adding"))
    copy.add("a component", "engine/components/toll.hpp", COMPONENT)
    kinds, made = "engine/kinds.cpp", "      component<PcieLink>("
    include = '#include "components/toll.hpp"\n'
    copy.edit("a component", kinds, '#include "components/word_fifo.hpp"', include)
    copy.edit("a component", kinds, made, '      component<Toll>("toll", 1),\n')
    copy.add("a board", "src/weighbridge/platforms/tollroad.toml", BOARD)
    schema, frames = "src/weighbridge/dataset/schema.py", "src/weighbridge/backends/twin/frames.py"
    repeats = '    "repeats": Axis("integer", "how often a datagram is sent", asked="any"),\n'
    copy.edit("an axis", schema, '    "fault": Axis(', repeats)
    copy.edit("an axis", frames, '"firmware": Axis()', '"repeats": Axis(1, least=1, most=16), ')
    copy.edit(
        "an axis", frames, "    full, rest = divmod(",
        '    times = int(dict(point.axes).get("repeats") or 1)\n',
    )  # fmt: skip
    text = (copy.home / frames).read_text()
    again = text.replace("[rest] * (rest > 0)", "[rest] * (rest > 0)) * times").replace(
        "return [LONGEST] * full", "return ([LONGEST] * full"
    )
    copy.add("an axis", frames, again)
    backends = "src/weighbridge/backends/"
    copy.add("a way of measuring", backends + "ideal.py", BACKEND)
    copy.edit("a way of measuring", backends + "__init__.py", '"elf", PUBLISHED', '"ideal", ')
    copy.add("an experiment", "src/weighbridge/studies/tollroad/sends.toml", STUDY)
    page = "src/weighbridge/report/tollroad/__init__.py"
    copy.add("a report page for one study", page, PAGE)
    copy.build()
    return copy


def seconds(copy: Copy, *words: str) -> float:
    asked = ("tollroad", "os=baremetal", "master=mdma", "link=FMC16", "firmware=mdma")
    explained = json.loads(copy.weighbridge("explain", *asked, "--json", *words))
    return float(explained["seconds"])


def test_nothing_else_is_written(copy: Copy) -> None:
    assert copy.changed() == copy.written


def test_a_component_takes_its_time_and_says_what_it_takes(copy: Copy) -> None:
    copy.weighbridge("check", "src/weighbridge/platforms/tollroad.toml")
    assert "toll.delay" in copy.weighbridge("show", "tollroad")
    words = ("--size", "64B")
    dear, free = (seconds(copy, *words, "--set", f"toll.delay={ns}ns") for ns in (2000, 0))
    rare = seconds(copy, *words, "--set", "toll.every=10")
    accesses = (14 + 20 + 8 + 64 + 3) // 4 + 2
    assert dear - free > 0.8 * accesses * 2e-6
    assert 0 < rare - free < 0.2 * (dear - free)
    told = copy.weighbridge("show", "tollroad", "--set", "toll.every=0", status=2)
    assert "toll.every" in told


def test_an_axis_has_a_default_a_range_and_those_who_understand_it(copy: Copy) -> None:
    once, named = seconds(copy, "--size", "64B"), seconds(copy, "repeats=1", "--size", "64B")
    assert once == named
    assert seconds(copy, "repeats=4", "--size", "64B") == pytest.approx(4 * once, rel=0.01)
    asked = ("explain", "tollroad", "master=mdma", "link=FMC16", "firmware=mdma")
    assert "allowed: 1 to 16" in copy.weighbridge(*asked, "repeats=17", "--size", "64B", status=2)
    other = ("explain", "zynq7000", "master=datra_cpu", "link=GP", "completion=poll")
    assert "repeats" in copy.weighbridge(*other, "repeats=2", "--size", "64B", status=2)


def test_a_study_is_run_by_either_backend_and_has_its_page(copy: Copy) -> None:
    for backend in ("twin", "ideal"):
        copy.weighbridge("run", "tollroad/sends", "--backend", backend, "-o", f"by-{backend}")
    error = json.loads(copy.weighbridge("compare", "by-ideal", "by-twin", "--json"))
    assert error["n"] == 6
    assert json.loads((copy.home / "by-ideal/manifest.json").read_text())["ideal"] == (
        "nothing is lost"
    )
    copy.weighbridge("report", "by-twin", "-o", "page.html")
    page = (copy.home / "page.html").read_text("utf-8")
    assert "What the toll costs" in page
    assert "Tolls paid" in page
