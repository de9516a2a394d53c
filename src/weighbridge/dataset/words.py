# SPDX-License-Identifier: Apache-2.0
"""Columns and their values in words, as people read them on a page or in a terminal."""

from __future__ import annotations

from weighbridge.dataset.schema import AXES, KEY, Value
from weighbridge.dataset.values import shown
from weighbridge.quantities import format_size

#: Columns whose name with blanks for its underscores would not be understood.
_TITLES = {
    "os": "system",
    "copy": "way of copying",
    "ports": "masters at once",
    "prepared": "DMA program",
    "sync": "synchronisation",
    "fpga_mhz": "clock of the fabric",
    "size_bytes": "transfer size",
    "lock_cpu_ways": "cache ways locked for the processor",
    "lock_acp_ways": "cache ways locked for coherent masters",
    "lock_when": "when the lock is set",
    "sdram_weight": "weight of the memory's port",
    "sdram_priority": "priority of the memory's port",
    "working_set_bytes": "working set",
    "stride_bytes": "stride",
    "access": "kind of access",
    "load": "load beside it",
    "target": "memory",
    "mps_bytes": "maximum payload",
    "mrrs_bytes": "maximum read request",
    "queue_depth": "blocks in flight",
    "consume": "use of the data",
}
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
#: How a value is said where the column's title does not stand beside it.
_PHRASES = {
    "ports": "{} at once",
    "buffer": "{} buffer",
    "cache_level": "cache level {}",
    "fpga_mhz": "fabric at {}",
    "memory_attribute": "{} memory",
    "lock_cpu_ways": "{} ways locked for the processor",
    "lock_acp_ways": "{} ways locked for coherent masters",
    "sdram_weight": "weight {}",
    "sdram_priority": "priority {}",
    "working_set_bytes": "working set {}",
    "stride_bytes": "stride {}",
    "mps_bytes": "payloads of {}",
    "mrrs_bytes": "read requests of {}",
    "queue_depth": "{} blocks in flight",
    "streams": "{} streams",
}


def titled(column: str) -> str:
    """A key column's name in words."""
    assert column in KEY or column in AXES, column
    return _TITLES.get(column, column.replace("_", " "))


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
    return _PHRASES.get(column, "{}").format(worded(column, value))
