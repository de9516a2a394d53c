# SPDX-License-Identifier: Apache-2.0
"""A study on a real cluster, with everything that can befall one.

WEIGHBRIDGE_KILLS: how many workers are killed, few where the tests are short of time.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from distributed import Client

import weighbridge
from weighbridge import api
from weighbridge.dataset.runs import MANIFEST, PARTS, Run
from weighbridge.dataset.table import Row, read_rows
from weighbridge.errors import InputError

#: Seconds in which a loaded machine starts a worker.
SOON = 120
KILLS = int(os.environ.get("WEIGHBRIDGE_KILLS", "4"))
#: Some thousand points, of which none are equal.
STUDY = ("cyclonev/hps-to-fpga", "--where", "os=linux")


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    """The study's rows, of one process."""
    answers = api.run(STUDY[0], where=list(STUDY[2::2]))
    assert len(answers) == 3780
    return list(answers.rows)


def chunks(run: Path) -> list[str]:
    return sorted(file.name for file in (run / PARTS).glob("*.parquet"))


def whole(run: Path) -> None:
    """Every number of a point is in one file, and in one file alone."""
    reached = 0
    for name in chunks(run):
        first, _, end = name.removesuffix(".parquet").partition("-")
        assert int(first) == reached
        reached = int(end)
    assert reached == json.loads((run / MANIFEST).read_text())["points"]


def test_a_cluster_of_this_machine_gives_the_rows_of_one_process(
    begun: Callable[..., Any], tmp_path: Path, alone: list[Row]
) -> None:
    status, out, err = begun("run", *STUDY, "--cluster", "local:2", "-o", "run").ended()
    assert (status, err) == (0, "")
    assert out.startswith(f"run: {len(alone)} points answered\n")
    assert read_rows(tmp_path / "run") == alone
    whole(tmp_path / "run")
    again = begun("run", *STUDY, "--cluster", "local:2", "-o", "run").ended()
    assert f"already complete, {len(alone)} points" in again[1]
    # Whoever asks: the run is this study's, however it was walked.
    assert "already complete" in begun("run", *STUDY, "-o", "run").ended()[1]


def test_interrupted_and_killed_and_out_of_disk(
    cluster: Any,
    begun: Callable[..., Any],
    until: Callable[[Callable[[], bool]], None],
    tmp_path: Path,
    alone: list[Row],
) -> None:
    run = tmp_path / "run"
    command = ("run", *STUDY, "--cluster", cluster.address, "-o", "run")

    def some(more: int) -> Callable[[], bool]:
        return lambda: (run / PARTS).is_dir() and len(chunks(run)) > more

    first = begun(*command)
    until(some(0))
    first.interrupt()
    assert first.ended()[::2] == (130, "weighbridge: interrupted\n")
    kept = len(chunks(run))
    assert kept > 0
    with pytest.raises(InputError, match="unfinished run"):
        Run.open(run)
    assert "was begun with --cluster" in begun("run", *STUDY, "-o", "run").ended()[2]

    second = begun(*command)
    until(some(kept))
    twice = begun(*command).ended()
    assert twice == (2, "", "weighbridge: error: another command is writing run\n")
    second.process.send_signal(signal.SIGKILL)
    second.ended()

    # A limit on the size of files fails in the middle of a write, as a full disk does.
    limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))}
    status, _, err = begun(*command, **limit).ended()
    assert (status, err.count("\n")) == (2, 1)
    assert err.startswith("weighbridge: error: cannot write run/results/")
    # Half a file of a writer that was killed, and one that was merged before it was removed.
    names = chunks(run)
    (run / PARTS / names[0]).write_bytes((run / PARTS / names[0]).read_bytes()[:-9])
    (run / PARTS / ".000000000000-000000000010.parquet.1.tmp").write_bytes(b"half")

    status, out, err = begun(*command).ended()
    assert (status, err) == (0, "")
    assert "of them earlier" in out
    assert read_rows(run) == alone
    whole(run)


def test_workers_killed_at_random(
    cluster: Any, begun: Callable[..., Any], tmp_path: Path, alone: list[Row]
) -> None:
    """Each worker's death costs its chunk alone: nothing is lost, and nothing comes double."""
    command = begun("run", *STUDY, "--cluster", cluster.address, "-o", "run")
    chance, killed, after = random.Random(20), 0, 0
    while command.process.poll() is None:
        time.sleep(chance.uniform(0.05, 0.4))
        known = (tmp_path / "run" / PARTS).is_dir() and len(chunks(tmp_path / "run"))
        if killed < KILLS and known and cluster.kill_one(chance):
            killed, after = killed + 1, known
    assert command.ended()[::2] == (0, "")
    assert killed > 0
    assert after > 0
    assert read_rows(tmp_path / "run") == alone
    whole(tmp_path / "run")


def test_a_scheduler_that_is_started_again(
    cluster: Any,
    begun: Callable[..., Any],
    until: Callable[[Callable[[], bool]], None],
    tmp_path: Path,
    alone: list[Row],
) -> None:
    run = tmp_path / "run"
    command = begun("run", *STUDY, "--cluster", cluster.address, "-o", "run")
    until(lambda: (run / PARTS).is_dir() and len(chunks(run)) > 0)
    cluster.kill()
    kept = len(chunks(run))
    time.sleep(1)
    assert command.process.poll() is None
    cluster.scheduler()
    cluster.workers(2)
    assert command.ended()[::2] == (0, "")
    assert kept > 0
    assert read_rows(run) == alone
    whole(run)


def test_workers_of_another_version_are_refused(
    cluster: Any, begun: Callable[..., Any], tmp_path: Path
) -> None:
    package = Path(weighbridge.__file__).parent
    other = tmp_path / "other"
    shutil.copytree(package, other / "weighbridge", ignore=shutil.ignore_patterns("__pycache__"))
    source = other / "weighbridge/backends/twin/words.py"
    source.write_text(source.read_text() + "\n")
    cluster.workers(1, PYTHONPATH=str(other))
    with Client(cluster.address) as client:
        client.wait_for_workers(3, timeout=SOON)
    status, out, err = begun("run", *STUDY, "--cluster", cluster.address, "-o", "run").ended()
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "the model's code is" in err
    assert "install there what is installed here" in err


@pytest.mark.parametrize(
    ("address", "complaint"),
    [
        ("nowhere", "'nowhere' is no cluster in --cluster; give tcp://HOST:PORT"),
        ("local:0", "0 processes in --cluster; 1 to 256"),
        ("local:9999", "9999 processes in --cluster"),
        ("tcp://127.0.0.1", "is no cluster"),
    ],
)
def test_no_cluster(address: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=complaint):
        api.run(STUDY[0], where=["size=64"], out=tmp_path / "run", cluster=address)
    assert not (tmp_path / "run").exists()


def test_what_measures_is_on_no_cluster(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'host' measures one machine in --cluster"):
        api.run("host/memory", out=tmp_path / "run", cluster="local:1")
    with pytest.raises(InputError, match="need a run directory"):
        api.run(STUDY[0], where=["size=64"], cluster="local:1")


def test_a_platform_file_of_ones_own_goes_to_the_workers(
    begun: Callable[..., Any], tmp_path: Path
) -> None:
    """With the file that it extends; the workers have neither."""
    (tmp_path / "files").mkdir()
    (tmp_path / "files/base.toml").write_text('schema = 1\nextends = "cyclonev"\n')
    (tmp_path / "files/mine.toml").write_text(
        'schema = 1\nextends = "base"\n'
        '[component.l3]\nlatency = { value = 300, unit = "ns", source = "a guess" }\n'
    )
    one = ("run", STUDY[0], "--where", "os=linux", "--where", "size=64", "--platform")
    here = begun(*one, "files/mine.toml", "-o", "here").ended()
    if here[0]:
        pytest.fail(here[2])
    there = begun(*one, "files/mine.toml", "--cluster", "local:1", "-o", "there").ended()
    assert there[0] == 0, there[2]
    assert read_rows(tmp_path / "here") == read_rows(tmp_path / "there")


def test_what_keeps_no_run_asks_a_cluster_too(
    cluster: Any, begun: Callable[..., Any], tmp_path: Path
) -> None:
    """The same words as with this machine's processes; a worker that dies costs nothing."""
    where = ("--where", "os=linux", "--where", "master=pl330", "--where", "link=HF32")
    made = begun("run", STUDY[0], *where, "--set", "linux.system_call=500ns", "-o", "measured")
    assert made.ended()[0] == 0
    compared = ("compare", "measured", "twin")
    fitted = ("calibrate", "cyclonev", "--data", "measured", "--free", "linux.system_call")
    for command in (compared, fitted):
        here = begun(*command, "--json").ended()
        there = begun(*command, "--json", "--cluster", cluster.address)
        if command is fitted:
            cluster.kill_one(random.Random(1))
        assert there.ended()[:2] == here[:2], command
        assert here[0] == 0, here[2]
    refused = begun(*fitted, "--cluster", "local:0").ended()
    assert refused[::2] == (2, "weighbridge: error: 0 processes in --cluster; 1 to 256\n")
