# SPDX-License-Identifier: Apache-2.0
"""Mutated inputs of every kind, each with an answer or one clear line: `make fuzz`.

    python tools/fuzz.py --seed 1 --count 100000            in process, by forked servers
    python tools/fuzz.py --seed 1 --count 300 --command     through the command itself
    python tools/fuzz.py --seed 1 --first 4711 --keep DIR   one of them, its files kept in DIR

An input is a command line with the files that it reads; its number and the seed say which, so
that a finding is had again. A finding is a status that is none of 0 and 2 (nor compare's 1), a
fault that is not told in a line of its own, a trace of Python, a signal, more than 10 s of
processor time, more than 1 GiB of memory, or an answer that physics forbids.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import pkgutil
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import weighbridge.cli
from weighbridge.advice.paths import command_words
from weighbridge.backends.twin import Twin
from weighbridge.dataset.published import published_rows
from weighbridge.dataset.runs import new_manifest, write_run
from weighbridge.platforms import Platform, load_platform, platform_names
from weighbridge.platforms.kinds import KINDS, UNITS, Field
from weighbridge.quantities import parse_quantity
from weighbridge.studies import load_study, study_names

MEMORY_LIMIT = 1 << 30
#: Of processor time, for an input; a process that waits for something is ended after the other.
SECONDS, WALL_SECONDS = 10, 120
#: Inputs that one process answers: what one leaves behind in it is seen by the next ones.
BATCH = 80
#: Studies of few points that take long each.
_LONG = {"zynq7000/datra-large"}
#: Packages whose modules a command imports when it needs them, and each server would again.
_LATE = ("advice", "analysis", "api", "cli", "dataset")
#: Rates above the ceiling and phases beside their sum, by floating point alone.
_ROUNDING = 1e-6

#: What breaks readers: ends of ranges, other types, other scripts, what terminals obey.
_NASTY = (
    b"", b"\0", b"\n", b"\r", b'"', b"'", b",", b"-", b"-1", b"0", b"1e309", b"1e-320", b"nan",
    b"inf", b"-inf", b"1_0", b"9" * 25, b"9" * 5000, b"true", b"null", b"[]", b"{}", b'""',
    b"[" * 2000, b'{"a":' * 2000, b"(" * 2000, b"\\ud800", b"\xed\xa0\x80", b"\xff", b"\x1b[31m",
    b"\xef\xbb\xbf", "\u0663".encode(), "\u202e".encode(), b"x" * 100_000, b"=", b"..", b"--",
    b"/*", b"ports", b"seconds", b"pcie", b"zynq7000", b"fpga_dmac", b"9**9**9", b"{link}", b"{",
    b"{0}", b"{link.x}", b"[[path]]", b"read_text('/etc/passwd')",
)  # fmt: skip
_NUMBERS = (
    "0", "1", "-1", "2", "3", "7", "0.5", "1e-3", "1e-9", "1e-320", "63", "64", "100", "1000",
    "4096", "65536", "1e6", "1e7", "1e9", "2147483648", "4294967295", "4294967296", "1e12", "1e18",
    "18446744073709551616", "1e30", "1e308", "nan", "inf", "-0.0", "-1e9", "0x1000", "1.0000001",
)  # fmt: skip
_UNITS = ("", "", "ns", "us", "ms", "ps", "cycles", "B", "KiB", "MiB", "GiB", "bit", "MHz", "kHz",
          "GHz", "s", "m", "%", "kg", "ns/B", "MB/s", "delta_degC", "\u00b5s", "**2")  # fmt: skip


@dataclass(frozen=True)
class Input:
    """What a command is given: its words, and the files of the directory that it runs in."""

    kind: str
    words: list[str]
    files: Mapping[str, bytes] = field(default_factory=dict)

    def line(self) -> str:
        return ascii(shlex.join(["weighbridge", *self.words]))[1:-1]


@dataclass(frozen=True)
class Outcome:
    """status: of the command, negative for the signal that ended it."""

    status: int
    out: str
    err: str
    seconds: float


def generated(seed: int, number: int) -> Input:
    """The input of a number; each kind has its turn."""
    random = Random(f"{seed}/{number}")
    kinds = list(_KINDS)
    kind = kinds[number % len(kinds)]
    return _KINDS[kind](random)


def cut(random: Random, whole: bytes) -> bytes:
    """The content with one to four parts cut, doubled, moved or replaced, or bits flipped."""
    content = whole
    for _ in range(random.choice((1, 1, 1, 2, 3, 4))):
        first = random.randint(0, len(content))
        longest = random.choice((0, 1, 1, 1, 2, 5, 20, 100, 1 << 20))
        last = min(len(content), first + longest)
        part = content[first:last]
        fillings = (
            random.choice(_NASTY),
            random.randbytes(random.randint(1, 4)),
            b"",
            part[:1000] * 3,
            content[last : last + 9] + part,
            bytes(byte ^ 1 << random.randrange(8) for byte in part[:2]) + part[2:],
        )
        filling = random.choice(fillings)
        content = content[:first] + filling + content[last:]
    return content


# ---- platforms: what is set, and their files ----


@cache
def _platform(name: str) -> Platform:
    return load_platform(name)


@cache
def _text(name: str) -> str:
    return _platform(name).path.read_text()


def _within(random: Random, allowed: Field) -> float:
    """A number that a field allows, in the engine's unit; rather often an end of its range."""
    if allowed.among:
        return random.choice(allowed.among)
    low, high = allowed.least, allowed.most
    value = random.choice(
        (
            low,
            high,
            low + 1,
            random.uniform(low, high),
            math.exp(random.uniform(math.log(max(low, 1e-3)), math.log(max(high, 1e-3)))),
        )
    )
    if allowed.power:
        return float(2 ** round(math.log2(max(value, 1))))
    return float(round(value)) if allowed.whole else value


def _number(random: Random, platform: Platform, name: str, unit: str) -> str:
    """A number for a parameter in its unit: within its range, near its value, or rubbish."""
    allowed = platform.field(name)
    roll = random.random()
    if roll < 0.8:
        return repr(_within(random, allowed) / UNITS[allowed.dimension][unit])
    if roll < 0.9:
        own = {one.name: one.value for one in platform.parameters()}[name]
        return repr(own * random.choice((0.5, 0.9, 1.1, 2, 3, 10, 0.01, 100)))
    return random.choice(_NUMBERS)


def _asked(random: Random, platform: Platform, target: str, words: list[str]) -> list[str]:
    """A question about a platform, about one of its paths where it needs one."""
    point = random.choice(platform.paths())
    size = random.choice((1, 2, 4, 60, 64, 1450, 4096, 1 << 16, random.randint(1, 1 << 13)))
    if random.random() < 0.04:
        size = random.choice((1 << 20, 1 << 24, 1 << 28, 10**6 + 1))
    way = random.choice(("cpu_to_fpga", "fpga_to_cpu"))
    path = [word for word in command_words(point) if not word.startswith(("direction", "fpga"))]
    path.append(f"direction={way}")
    if point.fpga_mhz is not None and random.random() < 0.5:
        path.append(f"fpga_mhz={random.choice((1, 2, 10, 33.3, 75, 100, 142.857, 150, 333, 1000))}")
    if random.random() < 0.15:
        path.append(random.choice(("consume=cpu_stream", "consume=cpu_random", "flow=steady")))
    roll = random.random()
    if roll < 0.72:
        return ["explain", target, *path, f"--size={size}", "--json", *words]
    if roll < 0.8:
        return ["explain", target, *path, f"--size={size}", *words]
    if roll < 0.92:
        largest = random.choice(("64", "4KiB", "64KiB"))
        return ["curve", target, *path, "--points=4", f"--to={largest}", "--json", *words]
    size = min(size, 1 << 12)
    stream = ["--stream"] if random.random() < 0.3 else []
    return ["advise", target, f"--size={size}", f"--direction={way}", "--json", *stream, *words]


def _set(random: Random) -> Input:
    platform = _platform(random.choice(platform_names()))
    words = []
    parameters = list(platform.parameters())
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        one = random.choice(parameters)
        name = one.name
        if random.random() < 0.05 and "." in name:
            name = (
                f"{name.rpartition('.')[0]}.{random.choice(('clock', 'width', 'lanes', '', 'x'))}"
            )
        text = _number(random, platform, one.name, one.unit)
        roll = random.random()
        if roll < 0.05:
            text += random.choice(_UNITS)
        elif roll < 0.08:
            text = cut(random, text.encode()).decode("utf-8", "surrogateescape").replace("\0", "")
        words += ["--set", f"{name}={text}"]
    return Input("set", _asked(random, platform, platform.name, words))


_VALUE = re.compile(r"value = ([^,}\s]+)")
_ASSIGNED = re.compile(r"^([a-z_]+) = ", re.MULTILINE)


def _platform_file(random: Random) -> Input:
    name = random.choice(platform_names())
    platform = _platform(name)
    text = _text(name)
    for _ in range(random.choice((1, 1, 1, 2, 3, 6))):
        text = random.choices(
            (_renumbered, _relined, _replaced, _reworded, _resectioned), (6, 2, 3, 3, 1)
        )[0](random, text, platform)
    content = text.encode()
    if random.random() < 0.1:
        content = cut(random, content)
    if random.random() < 0.1:
        return Input("platform", ["check", "mine.toml"], {"mine.toml": content})
    return Input("platform", _asked(random, platform, "mine.toml", []), {"mine.toml": content})


def _renumbered(random: Random, text: str, platform: Platform) -> str:
    """One number of a platform file replaced."""
    found = random.choice(list(_VALUE.finditer(text)))
    owner = re.findall(r"^\[+([\w.-]+)\]+", text[: found.start()], re.MULTILINE)
    key = text[text.rfind("\n", 0, found.start()) + 1 :].partition(" ")[0]
    name = f"{owner[-1].split('.', 1)[-1] if owner else ''}.{key}"
    name = f"clock.{key}" if owner and owner[-1] == "clock" else name
    units = {one.name: one.unit for one in platform.parameters()}
    new = _number(random, platform, name, units[name]) if name in units else random.choice(_NUMBERS)
    return text[: found.start(1)] + new + text[found.end(1) :]


def _relined(random: Random, text: str, _: Platform) -> str:
    """One line dropped, doubled, or swapped with another."""
    lines = text.split("\n")
    first, second = random.randrange(len(lines)), random.randrange(len(lines))
    roll = random.random()
    if roll < 0.5:
        del lines[first]
    elif roll < 0.75:
        lines.insert(second, lines[first])
    else:
        lines[first], lines[second] = lines[second], lines[first]
    return "\n".join(lines)


def _replaced(random: Random, text: str, _: Platform) -> str:
    """What stands after one key replaced by what stands after the same one elsewhere."""
    key = random.choice(("kind", "to", "clock", "windows", "component", "window", "reference_clock",
                         "level", "replacement", "master", "link", "os", "route", "buffer",
                         "traffic", "adds", "on", "inner", "outer", "offset", "title", "copy",
                         "scattered", random.choice(_ASSIGNED.findall(text))))  # fmt: skip
    found = list(re.finditer(rf"^{key} = (.*)$", text, re.MULTILINE))
    if not found:
        return text
    one = random.choice(found)
    new = random.choice(found)[1]
    if random.random() < 0.3:
        new = random.choice(
            (*_NUMBERS, "[]", '""', '"cpu"', "true", "{}", '["cpu", "cpu"]', '"{x}"')
        )
    return text[: one.start(1)] + new + text[one.end(1) :]


def _reworded(random: Random, text: str, platform: Platform) -> str:
    """One word in quotes replaced by another of the file's, or one number outside of them."""
    if random.random() < 0.4:
        found = list(re.finditer(r"(?<![\w\".])(0x[0-9a-fA-F_]+|\d+)(?![\w\".])", text))
        news = [*_NUMBERS, *(one[0] for one in found)]
    else:
        found = list(re.finditer(r'(?<=")[a-z][\w-]*(?=")', text))
        news = [*platform.components, *KINDS, *(one[0] for one in found)]
    one = random.choice(found)
    return text[: one.start()] + random.choice(news) + text[one.end() :]


def _resectioned(random: Random, text: str, _: Platform) -> str:
    """One table dropped, doubled, or moved to the end."""
    parts = re.split(r"(?m)^(?=\[)", text)
    number = random.randrange(len(parts))
    roll = random.random()
    if roll < 0.3:
        return "".join((*parts, parts[number]))
    part = parts.pop(number)
    return "".join(parts) + (part if roll < 0.6 else "")


# ---- studies and tables ----


@cache
def _study_text(name: str) -> str:
    """A study of few points: two sizes and few of each list of numbers."""
    path = Path(weighbridge.__file__).parent / "studies" / f"{name}.toml"
    text = path.read_text()
    text = re.sub(r'_bytes = \[\s*("[^"]*"),[^\]]*\]', r"_bytes = [\1]", text)
    text = re.sub(r"size_bytes = \[[^\]]*\]", 'size_bytes = ["64 B", 1024]', text)
    return re.sub(r"= \[(\d[\d.]*), [\d., ]*\]", r"= [\1]", text)


@cache
def _studies(most: int) -> list[str]:
    """Those of fewer points, whose shorter form is answered soon."""
    short = [name for name in study_names() if len(load_study(name).points()) < most]
    return [name for name in short if name not in _LONG]


def _study(random: Random) -> Input:
    checked = random.random() < 0.6
    text = _study_text(random.choice(_studies(10_000 if checked else 500)))
    platform = _platform(re.findall(r'^platform = "(.*)"', text, re.MULTILINE)[0])
    for _ in range(random.choice((0, 1, 1, 2, 3))):
        text = random.choice((_relined, _reworded, _resectioned, _replaced))(random, text, platform)
    content = text.encode()
    if random.random() < 0.3:
        content = cut(random, content)
    if checked:
        return Input("study", ["check", "mine.toml"], {"mine.toml": content})
    where = random.choice(([], ["--where", "size_bytes=64"], ["--where", "os=linux"]))
    words = ["run", "mine.toml", "-o", "out", "--processes=1", *where]
    return Input("study", words, {"mine.toml": content})


_MAP = b"""\
skip = ["operator"]
[constants]
platform = "cyclonev"
study = "mine"
os = "linux"
master = "cpu"
link = "HF32"
ports = 1
[columns]
bytes = { to = "size_bytes", unit = "KiB" }
"time (us)" = { to = "seconds", unit = "us" }
dir = { to = "direction", values = { WR = "cpu_to_fpga", RD = "fpga_to_cpu" } }
[integrity]
column = "crc"
good = ["ok"]
"""
_CSV = b"""\
bytes,time (us),dir,crc,operator,cache_level,buffer,fpga_mhz
64,128,WR,ok,me,9,user,100
4,90000,RD,ok,you,9,user,100
1,1e-3,WR,no,,9,user,100
"""
_JSONL = b"""\
{"bytes": 64, "time (us)": 128, "dir": "WR", "crc": "ok", "buffer": "user"}
{"bytes": 4, "time (us)": 0.5, "dir": "RD", "crc": "ok", "cache_level": 9}
{"bytes": 1, "time (us)": 9, "dir": "WR", "crc": "no", "fpga_mhz": 150}
"""
_SQL = (
    b"SELECT os, link, median(seconds) AS t, count(*) FROM results JOIN runs USING (run) "
    b"WHERE size_bytes BETWEEN 2 AND 64 GROUP BY ALL HAVING count(*) > 0 ORDER BY t DESC LIMIT 9"
)


def _imported(kind: str, table: str, files: dict[str, bytes]) -> Input:
    return Input(kind, ["import", table, "--map", "map.toml", "-o", "out"], files)


def _map(random: Random) -> Input:
    return _imported("map", "t.csv", {"t.csv": _CSV, "map.toml": cut(random, _MAP)})


def _csv(random: Random) -> Input:
    return _imported("csv", "t.csv", {"t.csv": cut(random, _CSV), "map.toml": _MAP})


def _jsonl(random: Random) -> Input:
    return _imported("jsonl", "t.jsonl", {"t.jsonl": cut(random, _JSONL), "map.toml": _MAP})


@cache
def _run_files() -> dict[str, bytes]:
    """A finished run of four points."""
    points = load_study("cyclonev/hps-to-fpga").points(["size_bytes=64", "master=cpu"])[:4]
    twin = Twin(_platform("cyclonev"))
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "run"
        manifest = new_manifest(
            {"points": "a", "model": "m"}, ["weighbridge", "run"], backend="twin"
        )
        write_run(path, [twin.predict(point).row() for point in points], manifest)
        return {file.name: file.read_bytes() for file in path.iterdir()}


def _run(random: Random) -> Input:
    whole = _run_files()
    files = {f"run/{name}": content for name, content in whole.items()}
    name = random.choice(list(files))
    if random.random() < 0.05:
        del files[name]
    else:
        files[name] = cut(random, files[name])
    words = random.choice(
        (
            ["query", "FROM results", "run", "--json"],
            ["query", "FROM runs", "run", "--safe"],
            ["compare", "run", "twin"],
            ["compare", "twin", "run", "--json"],
        )
    )
    return Input("run", words, files)


def _sql(random: Random) -> Input:
    files = {f"run/{name}": content for name, content in _run_files().items()}
    sql = cut(random, _SQL).decode("utf-8", "surrogateescape").replace("\0", " ")
    return Input("sql", ["query", "--safe", "--", sql, "run"], files)


_KINDS: dict[str, Callable[[Random], Input]] = {
    "set": _set,
    "platform": _platform_file,
    "study": _study,
    "map": _map,
    "csv": _csv,
    "jsonl": _jsonl,
    "run": _run,
    "sql": _sql,
}


# ---- answers ----


def _written(one: Input, directory: Path) -> None:
    for name, content in one.files.items():
        path = directory / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)


def faults(one: Input, outcome: Outcome) -> list[str]:
    """What is wrong with what a command said; nothing for an answer or a clear refusal."""
    found = []
    said = outcome.err.splitlines()
    if outcome.status < 0:
        return [f"ended by {signal.Signals(-outcome.status).name}"]
    if outcome.status not in ((0, 1, 2) if one.words[0] == "compare" else (0, 2)):
        found.append(f"status {outcome.status}")
    if "Traceback" in outcome.out + outcome.err:
        found.append("a traceback")
    if "\x1b" in outcome.out + outcome.err:
        found.append("an escape for the terminal")
    if outcome.seconds > SECONDS:
        found.append(f"{outcome.seconds:.1f} s of processor time")
    if outcome.status == 2 and not said:
        found.append("nothing said")
    if outcome.status == 2 and not all(line.startswith("weighbridge: ") for line in said):
        found.append("more than a line for a fault")
    if len(said) > len(set(said)):
        found.append("the same fault twice")
    if outcome.status == 0 and "--json" in one.words:
        found += _absurd(one.words[0], outcome.out)
    return found


def _absurd(command: str, text: str) -> Iterator[str]:
    """What physics forbids, or JSON, in an answer."""

    def no_number(name: str) -> float:
        raise ValueError(f"{name} is no JSON")

    try:
        said: Any = json.loads(text, parse_constant=no_number)
    except ValueError as error:
        yield str(error)
        return
    if command == "explain":
        yield from _forbidden(said, said["point"])
        total = sum(phase["seconds"] for phase in said["phases"])
        if not math.isclose(total, said["seconds"], rel_tol=_ROUNDING):
            yield f"phases of {total} s in {said['seconds']} s"
        for part in said["phases"]:
            if part["seconds"] < 0:
                yield f"a phase of {part['seconds']} s"
        for hop in said["hops"]:
            if min(hop["busy_seconds"], hop["waiting_seconds"]) < 0:
                yield f"{hop['component']} is busy for a negative time"
        without = said.get("seconds_without_bound")
        if without is not None and not 0 <= without <= said["seconds"] * (1 + _ROUNDING):
            yield f"{without} s without what bounds {said['seconds']} s"
    elif command == "curve":
        for row in said["sizes"]:
            yield from _forbidden(row, said["point"])
    elif command == "advise":
        for row in said["paths"]:
            yield from _forbidden(row, row["point"])


def _forbidden(row: dict[str, Any], point: dict[str, Any]) -> Iterator[str]:
    if not 0 < row["seconds"] < math.inf:
        yield f"{row['seconds']} s"
    if not 0 < row["rate_mb_per_s"] < math.inf:
        yield f"{row['rate_mb_per_s']} MB/s"
    share = row["ceiling_share"]
    # What is ranked does not say whether it ends with accesses under way; these may.
    posted = row["quality"] == "posted" if "quality" in row else point["master"] in ("cpu", "pl330")
    if share is not None and share > 1 + _ROUNDING and not posted:
        yield f"{share:.9g} of the ceiling"


# ---- servers ----


def in_process(one: Input, directory: Path) -> Outcome:
    """What main() says, in this process and in the directory, where its output goes to files."""
    _written(one, directory)
    os.chdir(directory)
    for number, name in ((1, "stdout"), (2, "stderr")):
        opened = os.open(name, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    began = time.process_time()
    try:
        status = weighbridge.cli.main(one.words)
    except BaseException:
        traceback.print_exc()
        status = 1
    seconds = time.process_time() - began
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return Outcome(status, _read("stdout"), _read("stderr"), seconds)


def _read(name: str | Path) -> str:
    return Path(name).read_text(encoding="utf-8", errors="replace")


def _limited() -> None:
    """Bounds what the calling process may write to: DuckDB reserves as much and leaves it alone."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_LIMIT, MEMORY_LIMIT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@cache
def _warm() -> None:
    """Loads what every server would else load for itself: modules, units, what is published."""
    for name in _LATE:
        package = import_module(f"weighbridge.{name}")
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    parse_quantity("1 ns", "ns")
    published_rows()


def served(inputs: list[tuple[int, Input]]) -> Iterator[tuple[int, Input, Outcome]]:
    """The outcomes of inputs, by a forked process; by another where one is ended."""
    _warm()
    left = list(inputs)
    while left:
        with tempfile.TemporaryDirectory(prefix="weighbridge-fuzz-") as scratch:
            reader, writer = os.pipe()
            child = os.fork()
            if not child:
                os.close(reader)
                _serve(left, Path(scratch), writer)
                os._exit(0)
            os.close(writer)
            with open(reader, encoding="utf-8") as told:
                for line in told:
                    number, one = left.pop(0)
                    yield number, one, Outcome(**json.loads(line))
            _, ended = os.waitpid(child, 0)
        if left:
            number, one = left.pop(0)
            yield number, one, Outcome(os.waitstatus_to_exitcode(ended), "", "", math.nan)


def _serve(inputs: list[tuple[int, Input]], scratch: Path, writer: int) -> None:
    _limited()
    for number, one in inputs:
        directory = scratch / str(number)
        directory.mkdir()
        # Both end the process by a signal, wherever it is.
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        signal.alarm(WALL_SECONDS)
        outcome = in_process(one, directory)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
        os.write(writer, (json.dumps(vars(outcome)) + "\n").encode())
        os.chdir(scratch)
        shutil.rmtree(directory)


def commanded(inputs: list[tuple[int, Input]]) -> Iterator[tuple[int, Input, Outcome]]:
    """The outcomes of inputs, each by a process of the command itself."""
    command = Path(sys.executable).parent / "weighbridge"

    def limits() -> None:
        _limited()
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))

    for number, one in inputs:
        with tempfile.TemporaryDirectory(prefix="weighbridge-fuzz-") as scratch:
            _written(one, Path(scratch))
            before = _spent()
            words = [os.fsencode(word) for word in one.words]
            ended = subprocess.run(
                [command, *words], cwd=scratch, capture_output=True, preexec_fn=limits
            )
            out, err = (part.decode("utf-8", "replace") for part in (ended.stdout, ended.stderr))
            yield number, one, Outcome(ended.returncode, out, err, _spent() - before)


def _spent() -> float:
    """Seconds of processor time of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def campaign(
    seed: int,
    numbers: range,
    serve: Callable[[list[tuple[int, Input]]], Iterator[tuple[int, Input, Outcome]]] = served,
    told: Callable[[int, Input, Outcome, list[str]], None] = lambda *_: None,
) -> Counter[tuple[str, int]]:
    """Answers of each kind by their status; `told` has each outcome and what is wrong with it."""
    counts: Counter[tuple[str, int]] = Counter()
    for first in range(numbers.start, numbers.stop, BATCH):
        batch = numbers[first - numbers.start :][:BATCH]
        for number, one, outcome in serve([(n, generated(seed, n)) for n in batch]):
            counts[one.kind, outcome.status] += 1
            told(number, one, outcome, faults(one, outcome))
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description="Mutated inputs of every kind.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first")
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--command", action="store_true", help="through the command itself")
    parser.add_argument("--keep", type=Path, help="write the files of the inputs here")
    asked = parser.parse_args()
    numbers = range(asked.first, asked.first + asked.count)
    if asked.keep:
        for number in numbers:
            one = generated(asked.seed, number)
            (asked.keep / str(number)).mkdir(parents=True, exist_ok=True)
            _written(one, asked.keep / str(number))
            print(one.line())
    found = 0

    def told(number: int, one: Input, outcome: Outcome, wrong: list[str]) -> None:
        nonlocal found
        if wrong:
            found += 1
            last = ascii((outcome.err.splitlines() or [""])[-1])[1:-1]
            print(f"{number} {one.kind}: {'; '.join(wrong)}\n  {one.line()[:500]}\n  {last[:300]}")
        if number % 1000 == 999:
            print(f"{number + 1 - numbers.start} inputs, {found} findings", flush=True)

    counts = campaign(asked.seed, numbers, commanded if asked.command else served, told)
    for kind in _KINDS:
        answers = {status: n for (one, status), n in sorted(counts.items()) if one == kind}
        said = ", ".join(f"{n} with status {status}" for status, n in answers.items())
        print(f"{kind}: {said}")
    print(f"{len(numbers)} inputs of seed {asked.seed}: {found} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
