# SPDX-License-Identifier: Apache-2.0
"""Packs the driver's sources for DKMS as a Debian package: part of `make dist`.

usage: python -m tools.driver_package [DIRECTORY]

The package holds what dkms.conf builds, in /usr/src, and the rule for the device files. dkms builds
the module when the package is installed, and again for each kernel that comes later.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools import ROOT

DRIVER = ROOT / "stack" / "linux"
#: What dkms compiles, with the terms it is under.
_SOURCES = ("Kbuild", "Makefile", "dkms.conf", "LICENSE", "*.c", "*.h")
_RULE = "60-datra.rules"
_CONTROL = """\
Package: {name}-dkms
Version: {version}
Architecture: all
Section: kernel
Priority: optional
Depends: dkms (>= 2.8), adduser
Maintainer: Weighbridge maintainers <maintainers@weighbridge.invalid>
Description: driver for Datra's nodes in an FPGA (sources for DKMS)
 The kernel module of the Weighbridge project: streams between a processor and the logic in an
 FPGA, over a bus in memory or PCI Express. DKMS builds it for every installed kernel.
"""
_COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Weighbridge

Files: *
Copyright: the Weighbridge authors
License: GPL-2.0-only
 The text of the licence is in /usr/share/common-licenses/GPL-2.
"""
_AFTER = """\
#!/bin/sh
set -e
if [ "$1" = configure ]; then
	getent group datra >/dev/null || addgroup --quiet --system datra
	/usr/lib/dkms/common.postinst {name} {version} /usr/share/{name}-dkms "" "$2"
fi
"""
_BEFORE_REMOVAL = """\
#!/bin/sh
set -e
if [ -n "$(dkms status -m {name} -v {version})" ]; then
	dkms remove -m {name} -v {version} --all
fi
"""


def package(directory: Path) -> Path:
    """Writes NAME-dkms_VERSION_all.deb into a directory; the same sources give the same bytes."""
    said = (DRIVER / "dkms.conf").read_text("utf-8")
    name, version = (
        re.findall(rf'^PACKAGE_{key}="(.*)"$', said, re.M)[0] for key in ("NAME", "VERSION")
    )
    directory.mkdir(parents=True, exist_ok=True)
    made = directory / f"{name}-dkms_{version}_all.deb"
    with tempfile.TemporaryDirectory(prefix="weighbridge-deb-") as scratch:
        root = Path(scratch) / "root"
        sources = root / "usr" / "src" / f"{name}-{version}"
        sources.mkdir(parents=True)
        for pattern in _SOURCES:
            for file in sorted(DRIVER.glob(pattern)):
                if not file.name.endswith(".mod.c"):
                    shutil.copyfile(file, sources / file.name)
        _write(root / "lib" / "udev" / "rules.d" / _RULE, (DRIVER / _RULE).read_text("utf-8"))
        _write(root / "usr" / "share" / "doc" / f"{name}-dkms" / "copyright", _COPYRIGHT)
        _write(root / "DEBIAN" / "control", _CONTROL.format(name=name, version=version))
        for script, text in (("postinst", _AFTER), ("prerm", _BEFORE_REMOVAL)):
            _write(root / "DEBIAN" / script, text.format(name=name, version=version), 0o755)
        for folder in (root, *root.rglob("*")):
            if folder.is_dir():
                folder.chmod(0o755)
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "--build", root, made],
            env=os.environ | {"SOURCE_DATE_EPOCH": _changed()},
            stdout=subprocess.DEVNULL,
            check=True,
        )
    return made


def _write(file: Path, text: str, mode: int = 0o644) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    file.chmod(mode)


def _changed() -> str:
    """When the driver was last changed, in seconds: the time that the package's files have."""
    log = ["git", "log", "-1", "--format=%ct", "--", "stack/linux"]
    done = subprocess.run(log, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "0"


def main(arguments: list[str]) -> None:
    print(f"driver: {package(Path(arguments[0]) if arguments else ROOT / 'dist')}")


if __name__ == "__main__":
    main(sys.argv[1:])
