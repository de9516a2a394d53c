# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest

from tests.sysroots import BAR0, BAR2, CARD, PORT, bind, config, machine, write
from weighbridge.errors import InputError
from weighbridge.survey import survey
from weighbridge.survey.sysroot import Sysroot


def test_a_board(tmp_path: Path) -> None:
    found = survey(Sysroot(machine(tmp_path)))
    chip = found.processor
    assert (chip.model, chip.cpus, chip.cores, chip.sockets) == ("Made-up Board", 4, 4, 1)
    assert (chip.governor, chip.mhz_max, chip.isolated) == ("ondemand", 1200, (3,))
    sizes = [(cache.level, cache.kind, cache.bytes, cache.cpus) for cache in chip.caches]
    assert sizes[0] == (1, "data", 32 << 10, 1)
    assert sizes[2] == (2, "unified", 512 << 10, 4)
    assert (found.memory.bytes, found.memory.transparent) == (1 << 30, "madvise")
    assert found.memory.reserved == {2 << 20: 5}
    assert (found.system.iommu_groups, found.system.aspm_policy) == (1, "powersave")
    assert found.system.drivers == ("datra", "uio")
    (node,) = found.system.tree
    assert (node.path, node.compatible[0], node.status) == (
        "/soc/dma@1000",
        "arm,pl330",
        "disabled",
    )


def test_of_the_command_line_only_what_concerns_measuring_is_kept(tmp_path: Path) -> None:
    told = json.dumps(survey(Sysroot(machine(tmp_path))).plain())
    assert "isolcpus=3" in told
    assert "secret" not in told
    assert "password" not in told


def test_the_tree_of_pcie(tmp_path: Path) -> None:
    port, card = survey(
        Sysroot(machine(tmp_path, card_config=config(128, 256, 1024, aspm=2)))
    ).devices
    assert (port.address, port.parent, card.address, card.parent) == (PORT, None, CARD, PORT)
    assert (card.payload, card.payload_max, card.request, card.aspm) == (128, 256, 1024, "L1")
    assert card.link is not None
    assert (card.link.width, card.link.gigatransfers, card.link.degraded) == (4, 5.0, True)
    assert card.link.bytes_per_second == 2e9
    assert [(bar.number, bar.bytes, bar.prefetchable) for bar in card.bars] == [
        (0, BAR0, False), (2, BAR2, True),
    ]  # fmt: skip
    assert (card.driver, card.enabled, card.numa) == (None, True, None)


def test_a_driver_is_seen(tmp_path: Path) -> None:
    bind(machine(tmp_path), CARD, "nvme")
    assert survey(Sysroot(tmp_path)).devices[1].driver == "nvme"


def test_without_privileges_packets_are_not_known(tmp_path: Path) -> None:
    card = survey(Sysroot(machine(tmp_path, card_config=config()[:64]))).devices[1]
    assert (card.payload, card.request, card.aspm) == (None, None, None)


@pytest.mark.skipif(not Path("/proc/cpuinfo").exists(), reason="no /proc")
def test_this_machine_tells_of_itself() -> None:
    found = survey(Sysroot())
    assert found.processor.cpus >= len(os.sched_getaffinity(0))
    assert (found.memory.bytes or 0) > 1 << 26
    assert json.loads(json.dumps(found.plain()))


def test_no_machine(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="describes no machine"):
        survey(Sysroot(tmp_path))


def test_garbage_in_its_files_is_not_known_and_no_error(tmp_path: Path) -> None:
    rng = random.Random(2)
    machine(tmp_path)
    files = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    for _ in range(60):
        for path in rng.sample(files, 12):
            kept = path.read_bytes()[:200]
            noise = bytes(rng.randrange(256) for _ in range(rng.randrange(40)))
            cut = rng.randrange(len(kept) + 1)
            write(tmp_path, str(path.relative_to(tmp_path)), kept[:cut] + noise)
        json.dumps(survey(Sysroot(tmp_path)).plain())
