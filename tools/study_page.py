# SPDX-License-Identifier: Apache-2.0
"""Writes docs/study-file.md, what a study file and a row of a result may say: `make pages`."""

from __future__ import annotations

from tools import ROOT
from weighbridge.dataset.blocks import VARIED
from weighbridge.dataset.schema import AXES, KEY, VALUES, Column

PAGE = ROOT / "docs/study-file.md"
_EXAMPLE = ROOT / "src/weighbridge/studies/stm32h7-fmc/udp-transmit.toml"

_HEAD = """\
# The study file

<!-- Made by tools/study_page.py of the one schema of results: `make pages` writes it anew. -->

A study is one TOML file: the points that are to be answered, as products of columns. `weighbridge
run FILE.toml` walks it, `weighbridge check FILE.toml` names every fault of it with its line. This
one is whole:

```toml
{example}```

| in the file | says |
| --- | --- |
| `name`, `title`, `description`, `source` | required: what it is, and where it is from |
| `platform` | a platform of `weighbridge list`, the path of a file of your own, or a list of them |
| `[axes]` | what is varied in all of it; `direction` and `size_bytes` are asked for |
| `[[builds]]` | optional: a block for each FPGA project, such as a link and its clocks |
| `[[paths]]` | a block for each family of ways that the bytes may go |
| `[[designs]]` | optional: what is changed in the platforms; see below |
| `[noise_floor]` | optional: how far two boards differ, as fractions of the time, with its source |
| `[faults]` | optional: what was wrong with published measurements, by name |

In a block each column has one value or a list; a block stands for their product, and every path is
walked in every build along every axis. A column may appear in one of `axes`, `paths` and
`builds` only. Sizes may be written `"64 KiB"`, clocks `"150 MHz"`. Where there are several
platforms, a block of paths, builds or designs may say `platform = "..."`; without it the block is
of all of them.

## Designs

A block of `[[designs]]` names parameters of the platform as `--set` does; `weighbridge show` lists
them. Every path is walked in every design. The changed parameters are columns of the result, in the
unit of `show`: `query` asks for them in quotes (`SELECT "sdram.clock", seconds FROM results`),
`compare --by sdram.clock` groups by them, `report` draws them, `--where sdram.clock=400` chooses.

```toml
[[designs]]                                   # a product: 3 x 2 designs
"sdram.clock" = ["300 MHz", "400 MHz", "533 MHz"]
"FS128.width" = ["64 bit", "128 bit"]

[[designs]]                                   # a range in a product has steps, by default even ones
"sdram.clock" = {{ from = "200 MHz", to = "800 MHz", steps = 5, scale = "log" }}

[[designs]]                                   # a sample: each parameter is spread evenly
sample = {{ kind = "sobol", count = 64, seed = 1 }}
"sdram.clock" = {{ from = "200 MHz", to = "800 MHz" }}
"FS128.width" = ["64 bit", "128 bit"]

[[designs]]                                   # the platform as it is
```

Blocks follow each other, so blocks of single values are a list of designs. A sample is
`"latin_hypercube"` or `"sobol"` (`scipy.stats.qmc`, of the extra `calibrate`); a seed gives the
same designs everywhere. A range is drawn in six digits, and a design that a block gives twice is
asked once. A value that no hardware has is refused with its line. Values that are possible one by
one and not together give a point without an answer, and the run's manifest says why. A backend that
measures (`host`, `board`) refuses designs. `report --platform NAME` draws one platform of several.

## Columns of a point

"""
_RESULTS = """
## Columns of an answer

What a backend adds to its point. Units are bytes, seconds and MHz; an empty cell does not apply.

"""


def page() -> str:
    """The page as Markdown."""
    asked = {name: column for name, column in (KEY | AXES).items() if name in VARIED}
    others = {name: column for name, column in KEY.items() if name not in VARIED} | VALUES
    head = _HEAD.format(example=_EXAMPLE.read_text())
    return head + _table(asked) + _RESULTS + _table(others)


def _table(columns: dict[str, Column]) -> str:
    rows = [("column", "kind", "means"), ("---",) * 3]
    rows += [(f"`{name}`", column.kind, column.meaning) for name, column in columns.items()]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


if __name__ == "__main__":
    PAGE.write_text(page())
