# SPDX-License-Identifier: Apache-2.0
"""The command that boots a guest with what its user brings."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import call, root

boot = root / "stack" / "uml" / "boot.py"

program = r"""
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words)
{
	char line[100] = "";
	FILE *file = fopen("/data/in", "r");

	if (!file || !fgets(line, sizeof(line), file))
		return 100;
	printf("%d %s %s", count, words[1], line);
	file = fopen("/data/out", "w");
	fputs("written\n", file);
	fclose(file);
	printf("no end of line");
	return atoi(words[2]);
}
"""
module = r"""
#include <linux/module.h>
static int number = 1;
module_param(number, int, 0444);
static int __init begin(void) { return number < 0 ? number : 0; }
static void __exit end(void) { }
module_init(begin);
module_exit(end);
MODULE_LICENSE("GPL");
"""

Booted = Callable[..., tuple[int, str, str]]


@pytest.fixture
def booted(kernel: Path, device: Path, tmp_path: Path) -> Booted:
    """Calls the command from a directory of the user's: exit status, output, complaints."""

    def booted(*words: str | Path) -> tuple[int, str, str]:
        done = subprocess.run(
            [sys.executable, boot, *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        # The kernel says so where the host's /tmp is a disk.
        errors = [line for line in done.stderr.splitlines() if "tmpfs" not in line]
        return done.returncode, done.stdout, "\n".join(errors)

    return booted


def test_a_program_with_a_file(booted: Booted, tmp_path: Path) -> None:
    (tmp_path / "prog.c").write_text(program)
    (tmp_path / "words").write_text("of the user's\n")
    call("gcc", "-o", tmp_path / "prog", tmp_path / "prog.c")  # linked dynamically
    report = ("--report", "counts", "--root", "guest")
    given = (*report, "--file", "words:/data/in", "./prog", "two words", "7")
    said = "3 two words of the user's\nno end of line\n"
    assert booted(*given) == (7, said, "")
    assert (tmp_path / "guest" / "data" / "out").read_text() == "written\n"
    counts = json.loads((tmp_path / "counts").read_text())
    assert counts["register_reads"] > 0
    # The same root again: what was there stays, and the status is of this time.
    assert booted("--root", "guest", "cat", "/data/out") == (0, "written\n", "")


def test_a_module_built_for_the_guests_kernel(booted: Booted, tmp_path: Path) -> None:
    status, printed, _ = booted("--kernel")
    assert status == 0
    (tmp_path / "own.c").write_text(module)
    (tmp_path / "Makefile").write_text("obj-m := own.o\n")
    tree = Path(printed.strip()) / "build"
    call("make", "-C", tree, f"M={tmp_path}", "ARCH=um", "SUBARCH=x86_64", "modules")
    shown = ("cat", "/sys/module/own/parameters/number")
    assert booted("--module", "own.ko number=42", *shown) == (0, "42\n", "")
    both = ("--module", "own.ko", "--module", "datra dyplo_names=1", "--pci-id", "original")
    script = "lsmod | cut -d' ' -f1; ls /dev/dyploctl; cat /sys/bus/pci/devices/*/device"
    said = "Module\ndatra\nown\n/dev/dyploctl\n0x7024\n"
    assert booted(*both, "sh", "-c", script) == (0, said, "")
    status, said, complaint = booted("--module", "own.ko number=-5", "true")
    assert (status, said) == (125, "")
    assert complaint.startswith("boot: the kernel refuses own.ko")


def test_in_the_logics_time_runs_are_the_same(booted: Booted, tmp_path: Path) -> None:
    given = ("--clock", "logic", "sh", "-c", "sleep 1000; datra stat; cut -d. -f1 /proc/uptime")
    first, again = booted(*given), booted(*given)
    assert first == again
    assert first[0] == 0
    assert int(first[1].splitlines()[-1]) >= 1000


def test_the_device_tree_and_a_status_of_a_signal(booted: Booted) -> None:
    status, said, complaint = booted("--platform", "sh", "-c", "datra info; kill -9 $$")
    assert (status, complaint) == (128 + 9, "")
    assert "DMA" in said


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ([], "no program is given"),
        (["./absent"], "there is no program ./absent"),
        (["absent"], "there is no program absent"),
        (["--memory", "5", "true"], "--memory is a number with K, M or G, not 5"),
        (["--core", "x", "true"], "--core is a number or all, not x"),
        (["--pci-id", "1", "true"], "--pci-id is VVVV:DDDD"),
        (["--file", "absent:/x", "true"], "there is no file absent"),
        (["--file", ".:../../x", "true"], "../../x leads out of the guest"),
        (["--module", "absent.ko", "true"], "there is no module absent.ko"),
        (["--module", "datra rings", "true"], "NAME=VALUE, not rings"),
        (["--module", "datra ring=1", "true"], "datra.ko has no parameter ring=1, but"),
        (["--module", "", "true"], "--module names no file"),
    ],
)
def test_what_is_wrong_is_said_on_one_line(
    booted: Booted, given: list[str], complaint: str
) -> None:
    status, said, errors = booted(*given)
    assert (status, said) == (2, "")
    assert errors.startswith("boot: ")
    assert complaint in errors
    assert "\n" not in errors


def test_a_guest_that_takes_too_long(booted: Booted) -> None:
    assert booted("--timeout", "2", "sleep", "100") == (
        124,
        "",
        "boot: killed after 2 s, see --timeout",
    )


def test_a_guest_that_ends_early(booted: Booted) -> None:
    status, said, complaint = booted("sh", "-c", "echo begun; poweroff -f")
    assert status == 125
    assert said.startswith("begun\n")
    assert "has not come to the program's end" in complaint


def test_another_python_is_told_what_to_run() -> None:
    done = subprocess.run(
        [sys.executable, "-S", "-E", boot, "true"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert ".venv/bin/python stack/uml/boot.py" in done.stderr
