# SPDX-License-Identifier: Apache-2.0
"""What a page is answered: the twin's own numbers, with the texts that the command prints.

Seconds, bytes and bytes per second, all digits of them; beside a number that people read stands its
text. The twins of the platforms asked last stay open.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any

from weighbridge.advice.crossovers import crossovers, largest
from weighbridge.advice.curves import curve, sizes_between
from weighbridge.advice.paths import candidates, command_words
from weighbridge.advice.purpose import Purpose
from weighbridge.advice.questions import paragraph
from weighbridge.advice.ranking import Ranked, headline_ceiling, rank
from weighbridge.advice.timeline import timeline
from weighbridge.api.answers import Advice, Explained
from weighbridge.backends import with_model
from weighbridge.backends.twin import Twin
from weighbridge.calibration.panel import Panel
from weighbridge.calibration.sensitivity import sensitivity
from weighbridge.cli.wording import explain_command, extrapolated, os_named, path_named, percent
from weighbridge.dataset.published import published_path
from weighbridge.dataset.schema import Point
from weighbridge.dataset.values import DIRECTIONS
from weighbridge.errors import InputError
from weighbridge.explore.questions import Question, path_key, question
from weighbridge.platforms import Platform, load_platform, machine_names
from weighbridge.platforms.changing import overridden
from weighbridge.platforms.kinds import UNITS
from weighbridge.quantities import format_rate, format_size, format_time, parse_quantity

#: Called after each part of an answer; it raises where nobody waits for the rest.
Advance = Callable[[], None]

#: Twins that stay open: a drag asks for many platforms, one after the other.
_OPEN = 16
#: Slices that a page draws at once.
_SLICES = 20_000
#: Ways in one picture, as many as its colours tell apart.
_CURVES = 6
#: A page starts at so many bytes, or at the next smaller power of two that is answered.
_START = 64 << 10
#: A slider ends at this factor below and above the file's own value.
_REACH = 4.0


class Lab:
    """Answers questions about some platforms."""

    def __init__(self, platforms: Mapping[str, str]) -> None:
        """platforms: name -> how load_platform() is asked for it."""
        self.arguments = dict(platforms)
        self._files = {name: load_platform(text) for name, text in platforms.items()}
        for platform in self._files.values():
            with_model(platform)
        self._twin_of = lru_cache(_OPEN)(self._opened)
        self._last: dict[str, tuple[Question, list[Ranked]]] = {}
        parse_quantity("1ns", "ns")  # pint takes a third of a second over its first

    def question(self, pairs: Sequence[tuple[str, str]]) -> Question:
        """The question of an address's pairs; InputError where it is none."""
        return question(pairs, self._files)

    def twin(self, asked: Question) -> Twin:
        """The twin of a question's platform with its changes."""
        return self._twin_of(asked.platform, asked.overrides)

    def _opened(self, platform: str, overrides: tuple[tuple[str, str], ...]) -> Twin:
        return Twin(overridden(self._files[platform], dict(overrides)))

    def setup(self) -> dict[str, Any]:
        """What a page needs before its first question."""
        return {"platforms": [self.described(name) for name in self._files]}

    def described(self, name: str) -> dict[str, Any]:
        """What a page says and draws of a platform."""
        from weighbridge.report.diagram import diagram

        platform = self._files[name]
        paths = platform.paths()
        systems = list(dict.fromkeys(point.os for point in paths if point.os))
        return {
            "name": platform.name,
            "title": platform.title,
            "os": [[name, os_named(name)] for name in systems],
            "fpga_mhz": next((point.fpga_mhz for point in paths if point.fpga_mhz), None),
            "memory_bytes": platform.memory_bytes,
            "usual": self._usual(name),
            "diagram": diagram(platform, style=""),
        }

    def _usual(self, name: str) -> dict[str, str]:
        """The size and direction that a page starts with: some path can be asked at them."""
        twin, purpose = self._twin_of(name, ()), Purpose()

        def possible(point: Point) -> bool:
            try:
                return purpose.fits(point) and bool(twin.flows(point))
            except InputError:
                return False

        sizes = [_START >> halved for halved in range(_START.bit_length())]
        ways = product(sizes, DIRECTIONS)
        size, direction = next(
            (way for way in ways if any(map(possible, candidates(twin.platform, way[1], way[0])))),
            (_START, DIRECTIONS[0]),
        )
        return {"size": format_size(size).replace(" ", ""), "direction": direction}

    def ranking(self, asked: Question, advance: Advance) -> dict[str, Any]:
        """Every path, best first, as `weighbridge advise --json` has them."""
        twin = self.twin(asked)
        found = self._ranked(asked, twin, advance)
        ceiling, link = headline_ceiling(found)
        rows = Advice(tuple(found), (), (), asked.purpose, 0).to_dict()["paths"]
        for row, one in zip(rows, found, strict=True):
            row |= {
                "key": path_key(one.point),
                "holds": one.holds,
                "os": os_named(one.point.os) if one.point.os else "",
                "rate": format_rate(one.point.size_bytes, one.seconds),
                "time": format_time(one.seconds),
                "latency": format_time(one.latency),
                "share": percent(one.ceiling_share),
                "processor": f"{100 * one.occupancy:.0f} %",
            }
        return {
            "paths": rows,
            "ceiling": f"{format_rate(ceiling, 1)} ({link})",
            "size": format_size(asked.size_bytes),
            "note": extrapolated(one.simulated_bytes for one in found),
            "command": asked.command(self.arguments[asked.platform]),
        }

    def _ranked(self, asked: Question, twin: Twin, advance: Advance) -> list[Ranked]:
        """A question's paths; the last of each platform are kept, for curves and turns need them
        again."""
        whole = asked.looking_at("")
        before, found = self._last.get(asked.platform, (None, []))
        if before != whole:
            found = rank(
                twin.platform,
                asked.size_bytes,
                asked.direction,
                asked.os,
                asked.fpga_mhz,
                None,
                asked.purpose,
                advance,
                twin,
            )
            self._last[asked.platform] = whole, found
        return found

    def _candidates(self, asked: Question, twin: Twin) -> list[Point]:
        return candidates(
            twin.platform, asked.direction, asked.size_bytes, asked.os, asked.fpga_mhz
        )

    def _point(self, asked: Question, twin: Twin, key: str) -> Point:
        """The point of the path that is looked at."""
        for path in self._candidates(asked, twin):
            if path_key(path) == key:
                return asked.purpose.asked(twin, path)
        raise InputError(f"no path '{key}' here", mend="leave path out for the best one")

    def path(self, asked: Question, advance: Advance) -> dict[str, Any]:
        """The path looked at, as `weighbridge explain --json` has it, and its busy shares."""
        twin = self.twin(asked)
        point = self._point(asked, twin, asked.path)
        explained = Explained.of(twin, point)
        explanation, bound = explained.explanation, explained.bound
        seconds = explanation.seconds
        gain = seconds / bound.seconds_without if bound.seconds_without > 0 else None
        told = explained.to_dict()
        for phase in told["phases"]:
            phase["time"] = format_time(phase["seconds"])
        for hop in told["hops"]:
            hop["busy"] = format_time(hop["busy_seconds"]) if hop["busy_seconds"] else "-"
            hop["waiting"] = format_time(hop["waiting_seconds"]) if hop["waiting_seconds"] else "-"
        busy: dict[str, float] = {}
        for hop in explanation.hops:
            name = hop.name.partition(" ")[0]  # of several equal ones each has its number
            busy[name] = max(busy.get(name, 0.0), hop.busy / seconds)
        words = command_words(point)
        return told | {
            "key": asked.path,
            "path": path_named(twin.platform, point),
            "flow": explanation.flow,
            "time": format_time(seconds),
            "rate": format_rate(point.size_bytes, seconds),
            "bytes_per_second": point.size_bytes / seconds,
            "ceiling": format_rate(point.size_bytes, explanation.ceiling_seconds),
            "share": percent(explanation.ceiling_seconds / seconds),
            "bound_share": percent(bound.seconds / seconds),
            "without": format_time(bound.seconds_without) if bound.next_name else None,
            "gain": gain if bound.next_name else None,
            "way": [str(point.master), *twin.path(point)],
            "busy": busy,
            "unchecked": twin.platform.unchecked(point) or None,
            "command": explain_command(
                self.arguments[asked.platform],
                words,
                point.size_bytes,
                dict(asked.overrides),
                None,
            ),
        }

    def turns(self, asked: Question, advance: Advance) -> dict[str, Any]:
        """From which size on which path is the fastest, and the answer in sentences."""
        twin = self.twin(asked)
        found = self._ranked(asked, twin, advance)
        paths = self._candidates(asked, twin)
        advance()
        turns = crossovers(twin.platform, paths, asked.purpose, twin)
        advance()
        return {
            "turns": [
                {"from": format_size(one.from_bytes), "bytes": one.from_bytes, "path": one.path}
                | {"key": path_key(one.point), "os": os_named(one.point.os)}
                for one in turns
            ],
            "reach": format_size(largest(twin, paths)),
            "answers": paragraph(twin, found, turns, asked.purpose),
        }

    def parameters(self, asked: Question, advance: Advance) -> dict[str, Any]:
        """Every number of the platform with its source and range, what it does to the path looked
        at, and the ends of its slider; those that matter most first."""
        twin = self.twin(asked)
        point = self._point(asked, twin, asked.path)
        effects: dict[str, float] = {}
        try:
            found = sensitivity(Panel(twin.platform, [point]), 0.1, 0, 1, lambda count: advance())
        except InputError:  # nothing changes it
            pass
        else:
            effects = {one.parameter.name: one.effect for one in found.influences}
            for step in found.steps:
                name, effect = step.parameter.name, step.effect or 0.0
                if abs(effect) > abs(effects.get(name, 0.0)):
                    effects[name] = effect
        rows = self._sliders(asked, twin.platform)
        for row in rows:
            row["effect"] = effects.get(row["name"])
        rows.sort(key=lambda row: -abs(row["effect"] or 0.0))
        return {"parameters": rows}

    def _sliders(self, asked: Question, platform: Platform) -> list[dict[str, Any]]:
        rows = []
        own = {one.name: one for one in self._files[asked.platform].parameters()}
        asked_clocks = {
            f"clock.{name}"
            for name, clock in platform.file.clock.items()
            if clock.axis == "fpga_mhz"
        }
        for parameter in platform.parameters():
            if parameter.name in asked_clocks:
                continue  # the question has it
            field = platform.field(parameter.name)
            scale = UNITS[field.dimension][parameter.unit]
            at = own[parameter.name].value
            whole = field.whole and scale == 1
            if field.among:
                ends = min(field.among) / scale, max(field.among) / scale
                steps = [value / scale for value in sorted(field.among)]
            else:
                ends = field.least / scale, field.most / scale
                steps = []
                if field.power and at > 0:
                    powers = (at * 2.0**power for power in range(-4, 5))
                    steps = [one for one in powers if not field.fault(one * scale)]
            near = (at / _REACH, at * _REACH) if at else (0.0, 10.0)
            rows.append(
                {
                    "name": parameter.name,
                    "meaning": field.meaning,
                    "value": parameter.value,
                    "own": at,
                    "unit": parameter.unit,
                    "source": own[parameter.name].source,
                    "fitted": own[parameter.name].fitted,
                    "least": ends[0],
                    "most": ends[1],
                    "low": max(near[0], ends[0]),
                    "high": min(near[1], ends[1]),
                    "whole": whole,
                    "steps": steps,
                }
            )
        return rows

    def curves(self, asked: Question, advance: Advance) -> dict[str, Any]:
        """Rate over size of the path looked at and of the best other ways, with what was
        published of them and the model's own error."""
        twin = self.twin(asked)
        found = self._ranked(asked, twin, advance)
        shown: list[Point] = []
        ways: set[tuple[object, ...]] = set()
        for one in sorted(found, key=lambda one: path_key(one.point) != asked.path):
            way = (one.point.os, one.point.master, one.point.route)
            if way not in ways and len(shown) < _CURVES:
                ways.add(way)
                shown.append(one.point)
        most = min(largest(twin, shown), twin.platform.memory_bytes)
        lines = []
        for point in shown:
            answers = curve(twin, point, sizes_between(2, most), advance)
            title = twin.platform.describe(point)
            name = f"{title}, {os_named(point.os)}" if asked.os is None and point.os else title
            lines.append(
                {
                    "name": name,
                    "key": path_key(point),
                    "error": twin.platform.error(point),
                    "sizes": [one.point.size_bytes for one in answers],
                    "seconds": [one.seconds for one in answers],
                    "published": [
                        [row["size_bytes"], row["seconds"]] for row in published_path(point)
                    ],
                }
            )
        return {"curves": lines}

    def timeline(self, asked: Question, advance: Advance, slices: int = _SLICES) -> dict[str, Any]:
        """The accesses of the path looked at, as `weighbridge explain --trace` writes them.

        Lanes of a component in their order; of each slice start, length and wait in picoseconds,
        its bytes, and 1 for a write. busy_seconds: of the component, over the transfers traced.
        """
        twin = self.twin(asked)
        point = self._point(asked, twin, asked.path)
        explanation = twin.explain(point, trace_slices=slices)
        drawn = timeline(twin, explanation)
        trace = explanation.trace
        assert trace is not None
        busy: dict[str, float] = {}
        for hop in explanation.hops:
            busy[hop.name] = hop.busy * trace.transfers
        lanes: dict[int, dict[str, Any]] = {}
        for event in drawn.events["traceEvents"]:
            lane = lanes.setdefault(
                event["tid"], {"title": "", "component": "", "busy_seconds": None, "slices": []}
            )
            if event["name"] == "thread_name" and event["ph"] == "M":
                lane["title"] = event["args"]["name"]
            elif event["ph"] == "X":
                start, long = round(event["ts"] * 1e6), round(event["dur"] * 1e6)
                if event["cat"] == "phase":
                    lane["slices"].append([start, long, event["name"]])
                    continue
                lane["component"] = event["cat"]
                lane["busy_seconds"] = busy.get(event["cat"])
                told = event["args"]
                waited = round(told["waiting_us"] * 1e6)
                write = int(told["direction"] == "write")
                lane["slices"].append([start, long, waited, told["bytes"], write])
        phases = lanes.pop(0)
        return {
            "phases": phases["slices"],
            "lanes": list(lanes.values()),
            "transfers": trace.transfers,
            "dropped": trace.dropped,
            "seconds": explanation.seconds,
        }

    def platform_file(self, asked: Question, advance: Advance) -> dict[str, Any]:
        """The platform with the question's changes, as a file that extends it.

        A change of what others have measured leaves their errors behind, as every extension does.
        """
        twin = self.twin(asked)
        return {"name": f"{asked.platform}-changed.toml", "text": _extension(twin, asked)}


def _extension(twin: Twin, asked: Question) -> str:
    import json

    changed = {one.name: one for one in twin.platform.parameters()}
    tables: dict[str, list[str]] = {}
    for name, text in asked.overrides:
        if name not in changed:  # a component's clock goes by the clock's own name
            owner = name.rpartition(".")[0]
            name = f"clock.{twin.platform.components[owner].clock}"
        *tables_above, field = twin.platform.place(name)
        one = changed[name]
        number = f"{one.value!r}"
        quantity = (
            f"{{ value = {number}, unit = {json.dumps(one.unit)}, "
            f"source = {json.dumps(f'set to {text}')} }}"
        )
        tables.setdefault(".".join(json.dumps(key) for key in tables_above), []).append(
            f"{json.dumps(field)} = {quantity}"
        )
    name = asked.platform
    title = f"{twin.platform.title}, changed"
    lines = ["schema = 1", f'extends = "{name}"', f'name = "{name}-changed"']
    lines.append(f"title = {json.dumps(title, ensure_ascii=False)}")
    for table in sorted(tables):
        lines += ["", *([f"[{table}]"] if table else []), *tables[table]]
    return "\n".join(lines) + "\n"


def platforms_for(argument: str | None) -> dict[str, str]:
    """Name -> how to load it: the platform of the command first, then all that come along."""
    from weighbridge.platforms import platform_names

    modelled = [name for name in platform_names() if name not in machine_names()]
    found = {} if argument is None else {load_platform(argument).name: argument}
    return found | {name: name for name in modelled if name not in found}
