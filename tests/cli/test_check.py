# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import weighbridge as package
from weighbridge.platforms import load_platform, machine_names, platform_names
from weighbridge.studies import study_names

PACKAGE = Path(package.__file__).parent
STUDY = PACKAGE / "studies/cyclonev/cache-levels.toml"
PLATFORM = PACKAGE / "platforms/cyclonev.toml"


def test_what_comes_along_has_no_fault(weighbridge: Callable[..., tuple[int, str, str]]) -> None:
    status, out, err = weighbridge("check", STUDY, PLATFORM)
    assert (status, err) == (0, "")
    assert "study cyclonev/cache-levels, 630 points, no fault" in out
    assert "platform cyclonev" in out


def test_every_fault_has_its_line(
    weighbridge: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    text = STUDY.read_text()
    (tmp_path / "s.toml").write_text(
        text.replace("title", "titel", 1)
        .replace('"2 B"', '"-2 B"')
        .replace("buffer =", "bufer =", 1)
    )
    status, _, err = weighbridge("check", "s.toml", "absent.toml")
    assert status == 2
    lines = err.splitlines()
    assert len(lines) == 5
    assert all(line.startswith("weighbridge: error: ") for line in lines)
    assert sum("s.toml, line " in line for line in lines) == 3
    assert "cannot read absent.toml" in lines[-1]


#: A file that extends another may end anywhere: what it lacks, the other has.
WHOLE = [
    name for name in platform_names() if "\nextends = " not in load_platform(name).path.read_text()
]


@pytest.mark.parametrize("name", WHOLE)
def test_a_cut_platform_is_never_right(
    weighbridge: Callable[..., tuple[int, str, str]], tmp_path: Path, name: str
) -> None:
    """Wherever a file ends before its paths, what is left out is named with what is torn."""
    lines = load_platform(name).path.read_text().splitlines(keepends=True)
    paths = lines.index("[[path]]\n")
    schema = next(number for number, line in enumerate(lines) if line.startswith("schema")) + 1
    for number in range(schema, paths, 7):
        (tmp_path / "cut.toml").write_text("".join(lines[:number]))
        status, out, err = weighbridge("check", "cut.toml")
        assert (status, out) == (2, "")
        told = err.splitlines()
        assert len(told) == len(set(told))
        # A file that ends within its first lines lacks fields that all the rest depends on.
        said = ("no path in cut.toml", "missing field", "TOML syntax")
        assert any(words in line for words in said for line in told)


def test_a_torn_table_hides_no_other_fault(
    weighbridge: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    text = PLATFORM.read_text()
    (tmp_path / "cut.toml").write_text(text[: text.index("[link.HF64]")] + "[link.HF64]\n")
    told = weighbridge("check", "cut.toml")[2].splitlines()
    assert sum("missing field 'link.HF64." in line for line in told) == 3
    assert sum("no path in cut.toml" in line for line in told) == 1


def test_a_study_must_fit_its_platform(refused: Callable[..., str], tmp_path: Path) -> None:
    text = STUDY.read_text()
    (tmp_path / "s.toml").write_text(text.replace('"HF32"', '"HF256"'))
    line = text.splitlines().index('link = "HF32"') + 1
    assert f"cyclonev has no link 'HF256' in s.toml, line {line}; allowed: " in refused(
        "check", "s.toml"
    )
    (tmp_path / "s.toml").write_text(text.replace('"HF32"', '["HF256", "HF256"]'))
    assert "no link 'HF256'" in refused("check", "s.toml")
    (tmp_path / "s.toml").write_text(text.replace('"cyclonev"', '"cyclonex"'))
    assert "unknown platform 'cyclonex'" in refused("check", "s.toml")


def _replaced(pattern: str, by: str) -> Callable[[str], str]:
    def replace(text: str) -> str:
        changed = re.sub(pattern, by, text, count=1, flags=re.MULTILINE)
        assert changed != text, pattern
        return changed

    return replace


#: Faults of a platform, each in a place of its own, and what is said of it.
OF_A_PLATFORM = {
    "unknown field 'bogus'": _replaced(r"^schema", "bogus = 1\nschema"),
    "unknown kind 'sdrum'": _replaced('kind = "sdram"', 'kind = "sdrum"'),
    "reference clock 'nompu'": _replaced('reference_clock = "', 'reference_clock = "no'),
    "'l2.bytes' is -512 KiB": _replaced(r'(bytes = { value = )512(, unit = "KiB")', r"\1-512\2"),
    "has the unit 'MHz'": _replaced(r'(latency = { value = [0-9.]+, unit = )"ns"', r'\1"MHz"'),
    "missing field 'title'": _replaced("^title = .*\n", ""),
    "no column 'bogus'": _replaced(r'(\[\[path\]\]\ntitle = ")', r"\1{bogus}"),
    "uses 'xhf'": _replaced(r'(\[link.HF32\]\ncomponent = ")', r"\1x"),
    "leads to 'xl1'": _replaced(r'(\nto = \[")', r"\1x"),
    "no field 'bogus_field'": _replaced('kind = "pl330"\n', 'kind = "pl330"\nbogus_field = 3\n'),
    "the master 'pl331'": _replaced('master = "pl330"', 'master = "pl331"'),
    "'HF64.width' is 63 bit": _replaced(
        r"(\[link.HF64\](?:\n[^\[]+)*?\nwidth = { value = )64", r"\g<1>63"
    ),
}
#: The same of a study; an unknown platform has no words that could be wrong.
OF_A_STUDY = {
    "unknown platform 'cyclonex'": _replaced('"cyclonev"', '"cyclonex"'),
    "missing field 'title'": _replaced("^title", "titel"),
    "size '-2 B'": _replaced('"2 B"', '"-2 B"'),
    "paths.0.bufer": _replaced("^buffer =", "bufer ="),
    "'-3' is not positive": _replaced("^fpga_mhz = 100", "fpga_mhz = -3"),
    "no link 'HF256'": _replaced('"HF32"', '"HF256"'),
    "no os 'windows'": _replaced('"linux"', '"windows"'),
}
UNSEEN = {("no os 'windows'", "unknown platform 'cyclonex'")}


@pytest.mark.parametrize(
    ("file", "faults"), [(PLATFORM, OF_A_PLATFORM), (STUDY, OF_A_STUDY)], ids=["platform", "study"]
)
def test_no_fault_hides_another(
    weighbridge: Callable[..., tuple[int, str, str]],
    tmp_path: Path,
    file: Path,
    faults: dict[str, Callable[[str], str]],
) -> None:
    """Each beside the next, told once and with its line, but for what is missing and has none."""
    for said in itertools.pairwise([*faults, next(iter(faults))]):
        text = file.read_text()
        for one in said:
            text = faults[one](text)
        (tmp_path / "x.toml").write_text(text)
        status, out, err = weighbridge("check", "x.toml")
        assert (status, out) == (2, "")
        for one in said:
            told = [line for line in err.splitlines() if one in line]
            assert len(told) == ((said not in UNSEEN) or one == said[1]), (said, err)
            assert all("x.toml, line " in line or "missing" in line for line in told)


def test_all_faults_are_told_together(
    weighbridge: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    text = PLATFORM.read_text()
    for change in OF_A_PLATFORM.values():
        text = change(text)
    (tmp_path / "x.toml").write_text(text)
    err = weighbridge("check", "x.toml")[2]
    assert [one for one in OF_A_PLATFORM if one not in err] == []


def test_names_are_checked_as_files_are(
    weighbridge: Callable[..., tuple[int, str, str]], refused: Callable[..., str]
) -> None:
    names = [*platform_names(), *machine_names(), *study_names()]
    status, out, err = weighbridge("check", *names)
    assert (status, err) == (0, "")
    assert [line.partition(": ")[0] for line in out.splitlines()] == names
    assert "no file, platform or study 'cyclonex'; did you mean 'cyclonev'?" in refused(
        "check", "cyclonex"
    )
