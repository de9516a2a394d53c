# SPDX-License-Identifier: Apache-2.0
"""Boots User-Mode Linux guests with the driver, on the Verilated logic."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from weighbridge.backends.uml import guest, machine
from weighbridge.kept import kept

root = Path(__file__).parents[2]
#: On a kernel with KASAN, lockdep and checks of DMA mappings: `make test-debug`.
debug = os.environ.get("WEIGHBRIDGE_KERNEL") == "debug"
#: What a kernel says when something has gone wrong in it.
splats = r"BUG:|WARNING:|KASAN: |DMA-API: .*device|Oops|Call Trace|INFO: (task|possible)"

init = (
    machine.MOUNTS
    + """export PATH=/bin
insmod /datra.ko $MODULE || { echo no driver; poweroff -f; }
sh /script
echo $? > /proc/exitcode
dmesg > /messages
poweroff -f
"""
)


@dataclass(frozen=True)
class Run:
    """What a guest has printed, its kernel's messages, and what its device has counted."""

    status: int
    output: str
    messages: str
    device_status: int
    device_errors: str
    counts: dict[str, int]

    def check(self) -> None:
        """The script has ended well, and nobody complains."""
        told = f"{self.output[-3000:]}\n{self.device_errors}"
        assert self.device_status == 0, told
        wrong = [line for line in self.messages.splitlines() if re.search(splats, line)]
        assert not wrong, f"{wrong}\n{told}"
        assert self.status == 0, told


def call(*command: str | Path, directory: Path | None = None) -> str:
    hidden = ("MAKE", "MFLAGS", "CFLAGS", "LDFLAGS", "ARCH", "KBUILD")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}
    done = subprocess.run(
        command, cwd=directory, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout + done.stderr


@pytest.fixture(scope="session")
def kernel() -> Path:
    """The directory of the guest's kernel; built if it is not there, in some minutes."""
    build = [
        sys.executable,
        str(root / "stack" / "uml" / "build.py"),
        *(["--debug"] if debug else []),
    ]
    done = subprocess.run(build, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == 2 or not Path("/bin/busybox").exists():
        pytest.skip("the guest's kernel cannot be built here; see what build.py says")
    assert done.returncode == 0
    return Path(done.stdout.strip())


@pytest.fixture(scope="session")
def module(kernel: Path) -> Path:
    """datra.ko, built without a warning."""
    built = guest.module(kernel)
    said = (built / "said").read_text()
    assert "warning" not in said, said
    return built / "datra.ko"


@pytest.fixture(scope="session")
def guest_program() -> Path:
    """The cases of guest/, linked statically."""
    linux = root / "stack" / "linux"
    headers = sorted(linux.glob("datra-*.h"))
    sources = [*sorted((root / "tests" / "stack" / "guest").iterdir()), *headers]

    def make(scratch: Path) -> Path:
        # Wrong lengths and addresses are what it tries.
        flags = ["-Wall", "-Wextra", "-Werror", "-Wno-stringop-overread", "-Wno-stringop-overflow"]
        flags += ["-static", "-O2", "-D_GNU_SOURCE", f"-I{linux}"]
        programs = [source for source in sources if source.suffix == ".c"]
        call("gcc", *flags, "-o", scratch / "guest", *programs)
        return scratch / "guest"

    return kept("datra-guest", sources, "", make)


@pytest.fixture(scope="session")
def device() -> Path:
    from weighbridge.backends.rtl.verilator import built

    return built("datra", "uml_device")


Boot = Callable[..., Run]


@pytest.fixture(scope="session")
def boot(kernel: Path, module: Path, guest_program: Path, device: Path) -> Boot:
    """Runs a script in a guest of its own, on a core that guest and device share.

    parameters: of the module;  programs: copied to /bin;  options: of the device
    simulated:  the guest's clock is the logic's
    platform:   the logic is in the guest's device tree, not on PCI
    hear:       is told of each line as it comes
    killed_at:  a line; when the guest says it, its kernel is killed
    cards:      so many devices, on PCI; what is counted and broken is the first
    other:      the device's program, where the logic is not of its own parameters
    """

    def boot(
        script: str,
        core: int = 0,
        limit: float = 120,
        parameters: str = "",
        programs: Sequence[Path] = (),
        memory: str = "64M",
        simulated: bool = False,
        platform: bool = False,
        cards: int = 1,
        hear: Callable[[str], object] | None = None,
        killed_at: str | None = None,
        options: Sequence[str] = (),
        other: Path | None = None,
    ) -> Run:
        # The names of sockets are short, so not below pytest's own directories.
        with tempfile.TemporaryDirectory(prefix="weighbridge-") as name:
            home = Path(name)
            tree = home / "root"
            machine.plant(tree)
            shutil.copy(module, tree / "datra.ko")
            shutil.copy(guest_program, tree / "bin" / "guest")
            for program in programs:
                shutil.copy(program, tree / "bin")
            (tree / "script").write_text(script)
            (tree / "init").write_text(init.replace("$MODULE", parameters))
            (tree / "init").chmod(0o755)
            with machine.started(
                kernel,
                other or device,
                tree,
                home,
                limit=limit,
                memory="512M" if debug else memory,
                pinned=machine.core(core),
                boot=["virt_pci.max_delay_us=1000000"],
                options=options,
                first=["--wait", "20", "--commands"],
                cards=cards,
                simulated=simulated,
                tree=root / "stack" / "uml" / "platform.dts" if platform else None,
            ) as running:
                front, behind = running.kernel, running.cards[0]
                output = ""
                assert front.stdout is not None
                assert behind.stdin is not None
                for line in front.stdout:
                    output += line
                    if hear is not None:
                        hear(line)
                    if line.strip() == killed_at:
                        # The guest goes to sleep, its last timers run out, and the logic goes on.
                        time.sleep(4)
                        front.kill()
                    # What the guest asks of the bench: see uml_device.cpp.
                    if line.startswith("@ "):
                        behind.stdin.write(line[2:])
                        behind.stdin.flush()
                status = front.wait()
                _, errors = behind.communicate(timeout=20)
                failed = [other.wait(20) for other in running.cards[1:]]
                report = running.report
            messages = tree / "messages"
            return Run(
                status,
                output,
                messages.read_text() if messages.exists() else "",
                behind.returncode or max(failed, default=0),
                errors,
                json.loads(report.read_text()) if report.exists() else {},
            )

    return boot
