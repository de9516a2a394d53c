# SPDX-License-Identifier: Apache-2.0
"""The inputs of `make fuzz`: commands with the files that they read, each made of a seed."""

from __future__ import annotations

import math
import re
import shlex
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random

import weighbridge
from weighbridge.advice.paths import command_words
from weighbridge.backends.twin import Twin
from weighbridge.dataset.runs import new_manifest, write_run
from weighbridge.platforms import Platform, load_platform, platform_names
from weighbridge.platforms.kinds import KINDS, UNITS, Field
from weighbridge.studies import load_study, study_names

#: Studies of few points that take long each.
_LONG = {"zynq7000/datra-large"}
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


def generated(seed: int, number: int) -> Input:
    """The input of a number; each kind has its turn."""
    random = Random(f"{seed}/{number}")
    kinds = list(KINDS_OF_INPUT)
    kind = kinds[number % len(kinds)]
    return KINDS_OF_INPUT[kind](random)


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
    # What has no model is measured: an input would take the machine's time, and no two the same.
    answered = [name for name in study_names() if name.partition("/")[0] in platform_names()]
    short = [name for name in answered if len(list(islice(load_study(name).walk(), most))) < most]
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


#: A file of measurements, and the map that says what its columns mean.
MAP = b"""\
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
TABLE = b"""\
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
    return _imported("map", "t.csv", {"t.csv": TABLE, "map.toml": cut(random, MAP)})


def _csv(random: Random) -> Input:
    return _imported("csv", "t.csv", {"t.csv": cut(random, TABLE), "map.toml": MAP})


def _jsonl(random: Random) -> Input:
    return _imported("jsonl", "t.jsonl", {"t.jsonl": cut(random, _JSONL), "map.toml": MAP})


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


KINDS_OF_INPUT: dict[str, Callable[[Random], Input]] = {
    "set": _set,
    "platform": _platform_file,
    "study": _study,
    "map": _map,
    "csv": _csv,
    "jsonl": _jsonl,
    "run": _run,
    "sql": _sql,
}
