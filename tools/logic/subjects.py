# SPDX-License-Identifier: Apache-2.0
"""Where each module is mutated: the design that it is in, and the benches that drive the design."""

from __future__ import annotations

from dataclasses import dataclass

from tools import ROOT

Parameters = dict[str, int | str]


@dataclass(frozen=True)
class Bench:
    """A harness, of cosim/ or of cocotb, and the module whose ports it drives.

    runs:    arguments of each run; for cocotb the seed
    figures: arguments of runs whose printed figures may not get worse
    """

    top: str
    harness: str
    runs: tuple[str, ...]
    figures: tuple[str, ...] = ()

    @property
    def cocotb(self) -> bool:
        return not (ROOT / "cosim" / f"{self.harness}.cpp").exists()


@dataclass(frozen=True)
class Subject:
    """Where a module is mutated: the design with its parameters, and what drives it or a part."""

    top: str
    parameters: Parameters
    benches: tuple[Bench, ...]


def seeds(arguments: str, last: int) -> tuple[str, ...]:
    """The arguments with each seed from 1 on put in."""
    return tuple(arguments.format(seed) for seed in range(1, last + 1))


def engine(module: str) -> Subject:
    """A DMA engine by itself."""
    # latency, outstanding bursts, bytes, frames, stall of the stream, stall of the bus
    figures = ("0 16 1016 60 0 0", "4 16 1020 60 0 0", "20 2 252 60 0 0", "3 16 8 200 0 0")
    return Subject(
        module,
        {"ADDR_W": 18, "DATA_W": 64, "LEN_W": 10, "FIFO_DEPTH": 32, "WORD_ALIGNED": 1},
        (
            Bench(module, "engine_random", seeds("{} 400", 30)),
            Bench(module, "engine_bench", (), figures),
        ),
    )


def node() -> Subject:
    """The DMA node, and for throughput the core in it."""
    # way, latency, outstanding bursts, bytes, frames, stalls, patience of statuses
    figures = (
        "both 20 4 256 200 0 0 0",
        "to 60 8 64 300 0 0 4096",
        "from 60 8 64 300 0 0 4096",
        "both 3 2 1024 60 0 0 16",
    )
    # The first runs are short: most faults end in them.
    soaks = ("1 1500 1500", "2 4000 2000", "3 20000 5000", "4 60000 6000", "5 60000 12000")
    return Subject(
        "dma_node",
        {"ADDR_W": 64, "DATA_W": 64, "LEN_W": 16, "FIFO_DEPTH": 64},
        (
            Bench("dma_node", "node_soak", soaks),
            Bench("dma_core", "ring_bench", (), figures),
        ),
    )


def wide_node() -> Subject:
    """The DMA node with streams as wide as its bus."""
    soaks = ("1 1500 1500", "2 4000 2000", "3 20000 5000", "4 60000 6000", "5 60000 12000")
    return Subject(
        "dma_node",
        {"ADDR_W": 64, "DATA_W": 128, "LEN_W": 16, "FIFO_DEPTH": 64, "STREAM_W": 128},
        (Bench("dma_node", "node_soak", soaks),),
    )


def cocotb(top: str, runs: int, **parameters: int | str) -> Subject:
    """A module by itself, with its bench of the same name."""
    return Subject(top, parameters, (Bench(top, f"{top}_bench", seeds("{}", runs)),))


_ROUTES = sum(9 + d << 7 * d for d in range(7))
_ROUTER = cocotb("router", 2, SOURCES=6, SINKS=7, SINK_ROUTE=f"49'h{_ROUTES:x}")
_NODE = node()
_FMC = Subject(
    "fmc",
    {"AHEAD": 1, "ROOT_UP": 1, "ETHERNET_DOWN": 1},
    (Bench("fmc", "fmc_bench", ("random 20000 1", "lengths 57 67 1", "random 200000 2")),),
)
SUBJECTS: dict[str, Subject] = {
    "dma_read": engine("dma_read"),
    "dma_write": engine("dma_write"),
    **dict.fromkeys(
        (
            "ring_fetch",
            "status_ring",
            "dma_ring",
            "axi_join_read",
            "axi_join_write",
            "fifo_block",
            "fifo_table",
            "command_queue",
            "coalesce",
            "frame_pack",
            "beat_split",
            "dma_core",
            "dma_node",
            "dma_page",
        ),
        _NODE,
    ),
    "frame_gather": wide_node(),
    "router": _ROUTER,
    "router_sink": _ROUTER,
    "cpu_node": cocotb("cpu_node", 1, DEPTH=256),
    "fifo_signal": cocotb("cpu_node", 1, DEPTH=256),
    "fifo_async": cocotb("fifo_async", 1, DEPTH=16),
    **dict.fromkeys(
        (
            "fmc_bridge",
            "fmc_info",
            "fmc_counters",
            "apb_slice",
            "apb_split",
            "eth_transmit",
            "eth_receive",
            "mac_transmit",
            "mac_receive",
            "crc32_byte",
        ),
        _FMC,
    ),
    "axi_slave": cocotb("axi_slave", 1, DATA_W=64),
    "axi_burst": cocotb("axi_slave", 1, DATA_W=64),
}


#: Their proofs take a quarter of a minute for a fault and more.
QUICKER = {"dma_read", "dma_write"}
