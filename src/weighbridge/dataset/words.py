# SPDX-License-Identifier: Apache-2.0
"""Columns and their values in words, as people read them on a page or in a terminal."""

from __future__ import annotations

from weighbridge.dataset.schema import Value, column_of, is_parameter
from weighbridge.dataset.values import shown
from weighbridge.quantities import format_size

#: Values that are no words by themselves.
_VALUES: dict[tuple[str, Value], str] = {
    ("os", "linux"): "Linux",
    ("os", "baremetal"): "bare metal",
    ("direction", "cpu_to_fpga"): "from processor to FPGA",
    ("direction", "fpga_to_cpu"): "from FPGA to processor",
    ("prepared", True): "program prepared",
    ("prepared", False): "program built each time",
    ("dummy_traffic", True): "with dummy traffic",
    ("dummy_traffic", False): "without dummy traffic",
    ("access", "rd"): "loads",
    ("access", "wr"): "stores",
    ("access", "cp"): "copies",
    ("traffic", "duplex"): "both ways at once",
    ("load", "stress"): "beside a load",
    ("load", "idle"): "nothing beside it",
    ("lock_when", "before"): "locked before the data are prepared",
    ("lock_when", "after"): "locked after the data are prepared",
}


def titled(column: str) -> str:
    """A key column's name in words."""
    return column_of(column).title or column.replace("_", " ")


def heading(column: str) -> str:
    """The same at the beginning of a line; a parameter keeps its spelling."""
    return column if is_parameter(column) else titled(column).capitalize()


def worded(column: str, value: Value) -> str:
    """A value, to be read beside its column's title."""
    if (column, value) in _VALUES:
        return _VALUES[column, value]
    if value is None:
        return "none"
    if column.endswith("_bytes") and isinstance(value, int):
        return format_size(value)
    if column == "fpga_mhz":
        return f"{shown(value)} MHz"
    return shown(value).replace("_", " ")


def phrased(column: str, value: Value) -> str:
    """A value that says by itself what it is; empty where there is nothing to say."""
    if value is None or (column, value) == ("ports", 1):
        return ""
    if is_parameter(column):
        return f"{column} {worded(column, value)}"
    return column_of(column).phrase.format(worded(column, value))
