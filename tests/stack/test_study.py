# SPDX-License-Identifier: Apache-2.0
"""The Linux programs of the Cyclone V and Zynq studies, in a Zynq guest under QEMU.

QEMU's board has no FPGA, no caches and no timing: what is shown here is that the bytes arrive by
each way, that faults have names, and that nothing wrong is accepted. No rate is looked at.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import weighbridge
from weighbridge.kept import kept

from .conftest import call, debug, root, splats

zynq = root / "stack" / "zynq"
#: Each path of the acceptance moves so many bytes at least, in each direction.
BYTES = 10**7
PIECES = {"zynq7000": 32 << 10, "cyclonev": 256 << 10}
ENDS = ("poll", "interrupt")
DIRECTIONS = ("cpu_to_fpga", "fpga_to_cpu")


@dataclass(frozen=True)
class Run:
    """What a guest's programs have written, by command, and its kernel's messages."""

    said: dict[str, list[str]]
    status: dict[str, int]
    messages: str

    def records(self, command: str, kind: str) -> list[dict[str, Any]]:
        assert command in self.said, self.said.keys()
        every = [json.loads(line) for line in self.said[command] if line.startswith("{")]
        return [record for record in every if record["type"] == kind]

    def outcomes(self, command: str) -> dict[int, tuple[str, str]]:
        points = self.records(command, "point")
        return {point["id"]: (point["outcome"], point["message"]) for point in points}


Boot = Callable[..., Run]


@pytest.fixture(scope="session")
def abuse() -> Path:
    source = root / "tests" / "stack" / "zynq" / "abuse.c"

    def make(scratch: Path) -> Path:
        flags = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-static", "-D_GNU_SOURCE"]
        call("arm-linux-gnueabihf-gcc", *flags, "-s", "-o", scratch / "abuse", source)
        return scratch / "abuse"

    header = root / "stack" / "study" / "study-ioctl.h"
    return kept("study-abuse", [source, header], "", make)


@pytest.fixture(scope="session")
def kernel_tree() -> Path:
    """The directory of the guest's kernel; built if it is not there, in some minutes."""
    build = [sys.executable, str(zynq / "build.py"), *(["--debug"] if debug else [])]
    done = subprocess.run(build, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == 2:
        pytest.skip("the Zynq guest's kernel cannot be built here; see what build.py says")
    assert done.returncode == 0
    return Path(done.stdout.strip())


@pytest.fixture(scope="session")
def boot(tmp_path_factory: pytest.TempPathFactory, kernel_tree: Path) -> Boot:
    """Boots a guest with files and overlay, runs commands, and gives what was said."""
    assert kernel_tree.is_dir()

    def boot(overlay: Path, commands: list[str], files: dict[str, str | Path]) -> Run:
        home = tmp_path_factory.mktemp("zynq")
        given = []
        for name, content in files.items():
            source = home / name
            if isinstance(content, Path):
                source = content
            else:
                source.write_text(content)
            given += ["--file", f"{source}:{name}"]
        asked = [sys.executable, zynq / "boot.py", *given, "--messages", home / "messages"]
        asked += ["--debug"] if debug else []
        asked += ["--overlay", zynq / "guest.dtso", "--overlay", overlay, "--timeout", "900"]
        done = subprocess.run([*asked, *commands], capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), done.stderr + done.stdout[-2000:]
        said: dict[str, list[str]] = {}
        status: dict[str, int] = {}
        lines: list[str] = []
        for line in done.stdout.splitlines():
            if ended := re.fullmatch(r"-- (\d+) (.*)", line):
                said[ended[2]], status[ended[2]], lines = lines, int(ended[1]), []
            else:
                lines.append(line)
        messages = (home / "messages").read_text(errors="replace")
        wrong = [line for line in messages.splitlines() if re.search(splats, line)]
        assert not wrong, messages
        return Run(said, status, messages)

    return boot


LOAD, UNLOAD = "load /weighbridge-study.ko", "unload weighbridge_study"


def walk(plan: str) -> str:
    return f"run /weighbridge-study /{plan}"


def ways(coherent: bool) -> list[str]:
    """Every way that bytes can take, as words of a plan."""
    known = [f"master=cpu buffer={buffer}" for buffer in ("kernel_cached", "kernel_uncached")]
    known += [f"master=cpu buffer=user copy={copy}" for copy in ("memcpy", "for-loop")]
    routes = ["route=sdramc buffer=kernel_uncached"]
    routes += ["route=acp buffer=kernel_cached"] if coherent else []
    for end in ENDS:
        for route in routes:
            known += [f"master=pl330 {route} completion={end} prepared={how}" for how in (0, 1)]
        for route in (*routes, "route=sdramc buffer=kernel_cached"):
            known.append(f"master=dmaengine {route} completion={end}")
        known.append(f"master=pl330 route=sdramc buffer=kernel_cached completion={end}")
    return [*known, f"master=pl330 {routes[0]} security=nonsecure"]


def plan_of(lines: list[str], settings: str) -> str:
    numbered = [f"id={number} kernel=transfer {line}" for number, line in enumerate(lines)]
    return "\n".join([f"set {settings}", *numbered]) + "\n"


def python(module: str, *words: str) -> str:
    """What a module writes; it writes nothing else."""
    asked = [sys.executable, "-m", module, *words]
    done = subprocess.run(asked, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def study_plan(study: str, *where: str) -> str:
    """The plan of a study's Linux half, with one quick sample for each point."""
    text = weighbridge.plan(study, where=("os=linux", *where))
    return re.sub(r"^set .*", "set seed=1 blocks=1 samples=1 batch_us=0", text)


#: Of two studies with many curves, `make test` leaves out what repeats pieces: most of the bytes.
QUICK = () if debug else tuple(f"size={1 << power}B" for power in range(1, 19))
#: Studies by the board that they are walked on, with the FPGA image that a walk is of.
STUDIES = {
    "zynq7000": {"zynq7000/ps-to-pl": ("fpga_mhz=150",)},
    "cyclonev": {
        "cyclonev/hps-to-fpga": ("link=HF128", "fpga_mhz=150"),
        "cyclonev/cache-levels": (),
        "cyclonev/l2-lockdown": QUICK,
        "cyclonev/sdram-scheduler": QUICK,
    },
}
WHERE = {study: where for studies in STUDIES.values() for study, where in studies.items()}
OUT = "direction=cpu_to_fpga bytes=1000 master=pl330 route=sdramc buffer=kernel_uncached"
#: Each instruction of a program that can be made none, for each way to await the end.
WRONG = [f"{OUT} wrong={place} completion={end}" for place in (1, 2, 3, 4) for end in ENDS]
FAULTS = [*WRONG, f"{OUT} security=nonsecure completion=interrupt", OUT]
ACP = "direction=cpu_to_fpga bytes=8 master=pl330 route=acp buffer=kernel_cached"
#: Plans that are refused, and a part of what is said.
BAD = {
    "": "the plan has no point",
    "set seed=1 seed=2": "plan line 1, column 12: seed=2: given twice",
    "set colour=1": "plan line 1, column 5: colour: no such key",
    "# one\nid=1 kernel=load bytes=8": "plan line 2, column 6: kernel=load: give one of transfer",
    "id=1 kernel=transfer bytes=8": "plan line 1: direction: give it; kernel transfer needs it",
    f"id=1 kernel=transfer {OUT} bytes=9": "bytes=9: given twice",
    f"id=1 kernel=transfer {OUT} prepared=2": "prepared=2: give a number from 0 to 1",
    f"id=1 kernel=transfer {OUT} timeout": "timeout: a word is KEY=VALUE",
    f"id=1 kernel=transfer {OUT} copy=memcpy": "copy: only master=cpu with buffer=user takes it",
    f"id=-1 kernel=transfer {OUT}": "id=-1: give a number from 0 to 4294967295",
    f"id=1 kernel=transfer {OUT}\nid=1 kernel=transfer {OUT}": "plan line 2, column 1: id: another",
}
FUZZ = "run /abuse fuzz 1 5000"
LONG = "late 2 /weighbridge-study /long"


@pytest.fixture(scope="session", params=STUDIES)
def walked(request: pytest.FixtureRequest, boot: Boot, abuse: Path) -> tuple[str, Run]:
    """A board, and one guest on it that walks all there is to walk."""
    board = request.param
    coherent, piece = board == "cyclonev", PIECES[board]
    size = -(-BYTES // piece) * piece
    moves = [(way, where) for way in ways(coherent) for where in DIRECTIONS]
    paths = [f"bytes={size} direction={where} {way}" for way, where in moves]
    # Sizes and places that are not whole beats: programs with heads, rests and shorter bursts.
    places = ((1, 0), (7, 3), (1000, 5), (piece + 13, 0), (4099, 8))
    odd = [
        f"bytes={count} offset={offset} direction={where} {way}"
        for way, where in moves
        for count, offset in places
        if ("prepared=1" not in way or count <= piece) and ("user" not in way or offset % 8 == 0)
    ]
    once = "blocks=2 samples=1 batch_us=0"
    plans: dict[str, str | Path] = {
        "paths": plan_of(paths, "blocks=1 samples=0"),
        "odd": plan_of(odd, once),
        "faults": plan_of([*FAULTS, ACP], once),
        "long": plan_of(paths, "blocks=1000 samples=10"),
    }
    plans |= {study.replace("/", "-"): study_plan(study, *WHERE[study]) for study in STUDIES[board]}
    plans |= {f"bad{number}": f"{text}\n" for number, text in enumerate(BAD)}
    good = [walk(name) for name in plans if name != "long" and not name.startswith("bad")]
    refused = [walk(f"bad{number}") for number in range(len(BAD))]
    again = [UNLOAD, LOAD, walk("faults"), LONG, *refused, UNLOAD]
    commands = [LOAD, "run /abuse wrong", FUZZ, *good, *again]
    return board, boot(zynq / f"{board}.dtso", commands, {**plans, "abuse": abuse})


def test_ten_million_bytes_by_every_way(walked: tuple[str, Run]) -> None:
    board, run = walked
    outcomes = run.outcomes(walk("paths"))
    assert len(outcomes) == 2 * len(ways(board == "cyclonev"))
    assert {number: one for number, one in outcomes.items() if one[0] != "ok"} == {}


def test_sizes_and_places_that_are_no_whole_beats(walked: tuple[str, Run]) -> None:
    _, run = walked
    outcomes = run.outcomes(walk("odd"))
    assert len(outcomes) > 100
    assert {number: one for number, one in outcomes.items() if one[0] != "ok"} == {}


def test_faults_are_the_controllers(walked: tuple[str, Run]) -> None:
    """Of the second load of the module: the kernel's driver has had the controller in between."""
    board, run = walked
    told = run.outcomes(walk("faults"))
    for number in range(len(WRONG)):
        outcome, message = told[number]
        assert outcome == "io_error"
        assert "there is no such instruction (CSR 0xf, FTR 0x1)" in message
        found = re.search(r"channel fault at byte (\d+) of 3\d:", message)
        assert found is not None, message
        assert int(found[1]) == number // 2 * 6
    # The event is the secure side's.
    assert told[len(WRONG)][0] == "io_error"
    assert "the event is not the channel's to use (CSR 0x20000f, FTR 0x20)" in told[len(WRONG)][1]
    assert told[len(WRONG) + 1] == ("ok", "")
    refused = ("refused", "this board has no such way")
    assert told[len(WRONG) + 2] == (("ok", "") if board == "cyclonev" else refused)


def test_wrong_calls_are_refused(walked: tuple[str, Run]) -> None:
    _, run = walked
    for command in (LOAD, "run /abuse wrong", FUZZ, UNLOAD):
        assert run.status[command] == 0, run.said[command]
    assert "fuzz: 5000 calls" in run.said[FUZZ][0]


def test_bad_plans_are_refused(walked: tuple[str, Run]) -> None:
    _, run = walked
    for number, told in enumerate(BAD.values()):
        command = walk(f"bad{number}")
        assert run.status[command] == 2
        assert len(run.said[command]) == 1
        assert told in run.said[command][0]


def test_interrupted(walked: tuple[str, Run]) -> None:
    _, run = walked
    assert run.status[LONG] == 130
    assert run.records(LONG, "end")
    outcomes = run.outcomes(LONG)
    assert set(outcomes.values()) == {("interrupted", "interrupted")}


def test_studies_from_start_to_end(walked: tuple[str, Run], tmp_path: Path) -> None:
    """Every point has arrived whole, and its row is imported and marked."""
    board, run = walked
    for study in STUDIES[board]:
        name = study.replace("/", "-")
        outcomes = run.outcomes(walk(name))
        assert {number: one for number, one in outcomes.items() if one[0] != "ok"} == {}
        log = tmp_path / name
        log.write_text("\n".join(run.said[walk(name)]))
        answers = weighbridge.run(
            study, where=("os=linux", *WHERE[study]), backend="board",
            reach=weighbridge.Reach(log=str(log)), out=tmp_path / f"{name}.run",
        )  # fmt: skip
        rows = answers.rows
        assert len(rows) == len(outcomes)
        assert {row["quality"] for row in rows} == {"emulated"}


def test_registers_of_the_platform(boot: Boot, abuse: Path, tmp_path: Path) -> None:
    """Locks, weights and the ACP's mapper, where what is written can be read: in the window."""
    tree = (zynq / "cyclonev.dtso").read_text()
    for page, length in ((0, "0x100"), (1, "0x1000"), (2, "0xc")):
        spare = f"<0x0ff0{page}000 {length}>"
        assert spare in tree
        tree = tree.replace(spare, f"<0x0ff4{page}000 {length}>")
    (tmp_path / "inside.dtso").write_text(tree)
    command = f"run /abuse registers 0 {0x1000} {0x2000}"
    run = boot(tmp_path / "inside.dtso", [LOAD, command, UNLOAD], {"abuse": abuse})
    assert set(run.status.values()) == {0}, run.said


#: Boards whose device tree the kernel's source has: an overlay has to fit into it.
BOARDS = {
    ("cyclonev", "HF128"): ("intel/socfpga/socfpga_cyclone5_socdk.dts", "study@c0000000"),
    ("cyclonev", "LW32"): ("intel/socfpga/socfpga_cyclone5_socdk.dts", "study@ff240000"),
    ("zynq7000", "GP32"): ("xilinx/zynq-zed.dts", "study@80000000"),
}


@pytest.mark.parametrize(("platform", "link"), BOARDS)
def test_overlays_fit_into_boards(
    platform: str, link: str, kernel_tree: Path, tmp_path: Path
) -> None:
    name, node = BOARDS[platform, link]
    trees = kernel_tree / "source" / "arch" / "arm" / "boot" / "dts"
    include = [f"-I{trees / Path(name).parent}", f"-I{kernel_tree / 'source' / 'include'}"]
    cpp = ["gcc", "-E", "-nostdinc", *include, "-undef", "-D__DTS__", "-x", "assembler-with-cpp"]
    call(*cpp, "-o", tmp_path / "board.dts", trees / name)
    (tmp_path / "study.dts").write_text(python("tools.study_overlay", platform, "--link", link))
    for part in ("board", "study"):
        places = ["-o", tmp_path / f"{part}.dtb", tmp_path / f"{part}.dts"]
        call("dtc", "-q", "-@", "-I", "dts", "-O", "dtb", *places)
    whole = tmp_path / "whole.dtb"
    call("fdtoverlay", "-i", tmp_path / "board.dtb", "-o", whole, tmp_path / "study.dtb")
    told = call("dtc", "-q", "-I", "dtb", "-O", "dts", whole)
    assert node in told
    assert 'reg-names = "window' in told
    assert not re.search(r"WINDOW|ACP_OFFSET", told)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["cyclonev", "--link", "HF1"], "cyclonev has no window by the link HF1"),
        (["pcie", "--link", "HF1"], "there is no overlay for pcie"),
    ],
)
def test_bad_questions_are_refused_in_a_line(words: list[str], told: str) -> None:
    asked = [sys.executable, "-m", "tools.study_overlay", *words]
    done = subprocess.run(asked, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def test_what_linux_cannot_do_says_why() -> None:
    with pytest.raises(weighbridge.InputError, match="cannot have fpga_dmac move bytes"):
        weighbridge.plan("cyclonev/fpga-to-hps", where=("os=linux",))


def test_what_the_manual_builds(kernel_tree: Path, tmp_path: Path) -> None:
    """The commands of docs/linux-study.md that a checkout runs for a board, in a copy of it."""
    text = (root / "docs" / "linux-study.md").read_text()
    section = text[text.index("## On a board") :]
    block = re.search(r"((?:^    .*\n)+)", section, re.M)
    assert block is not None
    commands = block[1].replace("/path/of/the/kernel", str(kernel_tree / "build"))
    for room in ("stack", "probe", "tools"):
        shutil.copytree(root / room, tmp_path / room)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    hidden = ("MAKE", "MFLAGS", "CFLAGS", "LDFLAGS", "ARCH", "KBUILD", "CROSS")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(hidden)} | {"PATH": path}
    asked = ["bash", "-euc", commands]
    done = subprocess.run(
        asked, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "study@c0000000" in (tmp_path / "study.dtso").read_text()
    made = tmp_path / "stack" / "study"
    assert (made / "weighbridge-study.ko").exists()
    assert (made / "weighbridge-study").exists()
