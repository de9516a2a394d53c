# SPDX-License-Identifier: Apache-2.0
"""The driver for a long time, on the RTL; `make soak` runs it, `make test` does not.

On the plain kernel bytes, on the debug kernel (WEIGHBRIDGE_KERNEL=debug) calls that make no sense
and processes that are killed. Sizes come from the environment:

    SOAK_BYTES   through the DMA node, half by copies, half by blocks; default 10^9
    SOAK_WORDS   bytes through FIFOs, default 10^7
    SOAK_CALLS   fuzzed, default 10^6
    SOAK_ROUNDS  of opening, using, being killed; default 100

With -s what has been reached is printed as it is: `soak: 250000000 bytes by rings`.
"""

import os
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from weighbridge.backends.rtl.verilator import built

from .conftest import Boot, debug

#: So many bytes, or calls, are one run of the guest's program: then its limit of time is known.
part = {"bytes": 20_000_000, "words": 500_000, "calls": 50_000}
amounts = {
    "bytes": int(float(os.environ.get("SOAK_BYTES", "1e9"))),
    "words": int(float(os.environ.get("SOAK_WORDS", "1e7"))),
    "calls": int(float(os.environ.get("SOAK_CALLS", "1e6"))),
    "rounds": int(float(os.environ.get("SOAK_ROUNDS", "100"))),
}
#: For a whole guest, in seconds.
limit = 4 * 3600


def loop(cases: list[str], rounds: int, told: str, each: int) -> str:
    """Runs the cases in turn, with seeds of their own; says how far it has come."""
    body = "\n".join(f"  timeout 900 guest {case} || exit 1" for case in cases)
    return f"""
i=1
while [ $i -le {rounds} ]; do
{body}
  [ $((i % 5)) -ne 0 ] || echo "soak: $((i * {each})) {told}"
  i=$((i + 1))
done
echo "soak: {rounds * each} {told}"
"""


#: Least MB/s of blocks by their bytes, both ways at once, by bits of the streams. The bus has 8 B
#: each 10 ns, of which descriptors of both directions leave .9697 to blocks of 1 KiB.
WIDTHS = {32: {1024: 396.0, 65536: 396.0}, 64: {1024: 775.0, 65536: 792.0}}


@pytest.mark.skipif(debug, reason="a rate is of the plain kernel")
@pytest.mark.parametrize("bits", WIDTHS)
def test_the_driver_moves_what_its_streams_do(boot: Boot, bits: int) -> None:
    """Streams of one word and of the bus's width; every word is compared."""
    logic = built("datra", "uml_device", DMA_STREAM_W=bits) if bits > 32 else None
    run = boot("guest dma_width 1", parameters="coalesce_frames=1", simulated=True, other=logic)
    run.check()
    found = re.findall(r"^# blocks of (\d+): ([0-9.]+) MB/s", run.output, re.M)
    assert [int(size) for size, _ in found] == list(WIDTHS[bits])
    for size, rate in found:
        tell(f"soak: streams of {bits} bits, blocks of {size} bytes: {rate} MB/s\n")
        assert float(rate) >= WIDTHS[bits][int(size)], size


def rounds_of(kind: str, share: int) -> int:
    return max(1, -(-amounts[kind] // share))


@pytest.mark.skipif(debug, reason="bytes go through the plain kernel")
def test_bytes(boot: Boot) -> None:
    each = min(part["bytes"], amounts["bytes"])
    rings = "timeout 900 guest dma_timely 1 100000000 || exit 1\n"
    rings += loop([f"dma_ring $i {each}"], rounds_of("bytes", 2 * each), "bytes by rings", each)
    half = each // 4  # a case moves one and a half of what it is given
    blocks = loop(
        [f"dma_coherent $i {half}", f"dma_streaming $i {half}"],
        rounds_of("bytes", 6 * half),
        "bytes by blocks",
        3 * half,
    )
    words = min(part["words"], amounts["words"])
    fifos = loop([f"fifo_stream $i {words}"], rounds_of("words", words), "bytes by FIFO", words)
    with ThreadPoolExecutor(2) as two:
        first = two.submit(boot, rings, 0, limit, hear=tell)
        second = two.submit(boot, blocks + fifos, 1, limit, hear=tell)
        for run in (first.result(), second.result()):
            run.check()
            assert run.counts["faults"] == 0
            assert run.counts["unmastered"] == 0


#: Counts of objects in the kernel's allocator. What is kept for later use is given back before.
counts = """
counts() {
  sync; echo 3 > /proc/sys/vm/drop_caches; sleep 1
  for cache in /sys/kernel/slab/*; do
    [ -L $cache ] || echo 1 > $cache/shrink
  done
  grep -E '^(kmalloc|dma-kmalloc|vm_area|mm_struct|task_struct|files_cache|filp)' /proc/slabinfo |
    while read name active rest; do echo $name $active; done > $1
}
"""
leaks = f"""
mount -t debugfs none /sys/kernel/debug
{counts}
guest killed 7 12 || exit 1
sleep 6; echo clear > /sys/kernel/debug/kmemleak
counts /tmp/before
guest killed 8 {amounts["rounds"]} || exit 1
counts /tmp/after
echo "soak: {amounts["rounds"]} rounds of open, use, kill"
while read name count; do echo "slab $name $count"; done < /tmp/before
while read name count; do echo "slab-after $name $count"; done < /tmp/after
rmmod datra
sleep 6; echo scan > /sys/kernel/debug/kmemleak
sleep 6; echo scan > /sys/kernel/debug/kmemleak
echo == kmemleak
cat /sys/kernel/debug/kmemleak
echo == end
"""


@pytest.mark.skipif(not debug, reason="calls are fuzzed on the debug kernel")
def test_calls(boot: Boot) -> None:
    each = min(part["calls"], amounts["calls"])
    fuzzed = loop([f"fuzzed $i {each}"], rounds_of("calls", each), "calls fuzzed", each)
    with ThreadPoolExecutor(2) as two:
        first = two.submit(boot, fuzzed, 0, limit, hear=tell)
        second = two.submit(boot, leaks, 1, limit, hear=tell)
        run, checked = first.result(), second.result()
    run.check()
    checked.check()
    found = re.search(r"== kmemleak\n(.*?)== end", checked.output, re.S)
    assert found is not None
    assert found[1] == ""
    before = dict(re.findall(r"^slab (\S+) (\d+)", checked.output, re.M))
    after = dict(re.findall(r"^slab-after (\S+) (\d+)", checked.output, re.M))
    assert len(before) > 10
    assert after == before


def tell(line: str) -> None:
    if line.startswith("soak: "):
        print(line, end="", flush=True)
