# SPDX-License-Identifier: Apache-2.0
"""What is handed out: the wheel works without a compiler, dkms builds the driver's package."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools import ROOT, dist, driver_package

WORKFLOWS = (".github/workflows/test.yml", ".forgejo/workflows/test.yml", ".gitlab-ci.yml")


def test_the_wheel_answers_without_a_compiler(tmp_path: Path) -> None:
    # Compiled where the installed package was, so that nothing is compiled twice.
    wheel = dist.wheel(ROOT, tmp_path, "-C", "build-dir=build/{wheel_tag}")
    assert "manylinux" in wheel.name
    # No newer than Debian 12's library.
    newest = max(int(tag.split("_")[2]) for tag in wheel.stem.split("-")[-1].split("."))
    assert newest <= 36
    names = zipfile.ZipFile(wheel).namelist()
    # The emulators are under another licence, and come with no wheel.
    assert not [name for name in names if "cosim/processor" in name or "firmware" in name]
    advised, answered, reported = dist.tried(wheel)
    assert "fabric DMA" in advised
    assert "0 points" not in answered
    assert "report.html" in reported


def test_the_sources_are_whole(tmp_path: Path) -> None:
    with tarfile.open(dist.sdist(tmp_path)) as packed:
        names = {name.split("/", 1)[1] for name in packed.getnames() if "/" in name}
    listed = subprocess.run(
        ["git", "ls-files", "src", "engine", "hdl", "cosim", "probe", "CMakeLists.txt", "LICENSE"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert {name for name in listed if (ROOT / name).is_file()} <= names
    assert not [name for name in names if name.startswith((".venv", "build/", "dist/", "runs/"))]


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which("dpkg-deb"):
        pytest.skip("dpkg-deb is not installed")
    return driver_package.package(tmp_path_factory.mktemp("driver"))


def test_the_package_is_the_same_twice(driver: Path, tmp_path: Path) -> None:
    assert driver_package.package(tmp_path).read_bytes() == driver.read_bytes()


def test_dkms_builds_what_the_package_installs(driver: Path, tmp_path: Path) -> None:
    trees = sorted(Path("/usr/src").glob("linux-headers-*[0-9]*-amd64"))
    if not shutil.which("dkms") or not trees:
        pytest.skip("dkms or linux-headers-amd64 is not installed")
    subprocess.run(["dpkg-deb", "-x", driver, tmp_path / "root"], check=True)
    (tmp_path / "built").mkdir()
    release = trees[0].name.removeprefix("linux-headers-")
    (installed,) = (tmp_path / "root/usr/src").iterdir()
    name, version = installed.name.split("-")
    done = subprocess.run(
        [
            *("dkms", "build", "-m", name, "-v", version, "-k", release),
            *("--kernelsourcedir", trees[0], "--sourcetree", installed.parent),
            *("--dkmstree", tmp_path / "built"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "bad exit" not in done.stdout + done.stderr
    assert list((tmp_path / "built").rglob("datra.ko*"))


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_only_calls_what_ci_runs(name: str) -> None:
    told: dict[str, Any] = yaml.safe_load((ROOT / name).read_text("utf-8"))
    # YAML 1.1 takes the word `on` for a truth.
    job = told["test"] if "test" in told else told["jobs"]["test"]
    if "jobs" in told:
        assert set(told.get("on", told.get(True))) == {"push", "pull_request"}
        lines = [step["run"] for step in job["steps"] if "run" in step]
        assert all("run" in step or "uses" in step for step in job["steps"])
        assert "runs-on" in job
    else:
        assert "image" in job
        lines = [*job["before_script"], *job["script"]]
    assert lines[-1].endswith("bash .ci/run")
    assert [line for line in lines if "apt-get" not in line] == lines[-1:]
