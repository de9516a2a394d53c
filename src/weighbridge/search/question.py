# SPDX-License-Identifier: Apache-2.0
"""What a search file may say, read against its platform: a question, goals, variables and costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from weighbridge.advice.paths import CHOOSING, FREE, FREE_AXES
from weighbridge.advice.purpose import Purpose
from weighbridge.dataset.schema import Value, column_of, is_parameter
from weighbridge.dataset.values import ALIASES, given, shown
from weighbridge.errors import InputError, InputErrors
from weighbridge.platforms import Platform, load_platform
from weighbridge.platforms.changing import changeable
from weighbridge.quantities import (
    check_frequency_mhz,
    parse_rate,
    parse_share,
    parse_size,
    parse_time,
)
from weighbridge.search.formula import Formula, parse
from weighbridge.studies.designs import Block, Range, resolved, within
from weighbridge.tomlsource import faults, line_of, near, read_toml

#: What a design is judged by: metric -> what it is.
METRICS = {"period": "time from one block to the next", "latency": "time of a block",
           "processor": "share of a core"}  # fmt: skip

#: Of Purpose, what may be varied, and what the question may say beside it.
_FLOWS = ("depth", "streams")
_SAID = (*_FLOWS, "stream", "duplex", "consume")
_PATH = tuple(one for one in (*CHOOSING, *FREE, *FREE_AXES) if one != "size_bytes")
#: Designs of a search: more are a slip.
MOST = 200_000


class Over(BaseModel):
    """A variable: its values or its range, what each costs, and which way is better.

    cost: a number for each unit of the value, a list with one for each value, or a formula in which
    `value` is the value. better: 'more' or 'less' of it never makes a design worse; 'unknown'.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    values: Range | Annotated[list[str | bool | int | float], Field(min_length=1)]
    cost: float | str | list[float] = 0.0
    better: Literal["more", "less", "unknown"] | None = None


class Goal(BaseModel):
    """At least this rate, at most this share of a core, at most this latency."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rate: str | None = None
    processor: str | None = None
    latency: str | None = None


class Cost(BaseModel):
    """What designs cost beside their variables: a formula over these; and what a unit is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    formula: str = ""
    unit: str = ""


class File(BaseModel):
    """A search file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    title: str
    platform: str
    question: dict[str, str | bool | int | float]
    goal: Goal
    over: dict[str, Over] = Field(min_length=1)
    cost: Cost = Cost()

    @field_validator("over", mode="before")
    @classmethod
    def _flat(cls, raw: Any) -> Any:
        if not isinstance(raw, dict):
            return raw
        flat: dict[str, Any] = {}
        for name, said in raw.items():
            # TOML reads sdram.clock without quotes as a table in a table.
            if isinstance(said, dict) and not said.keys() & {"values", "cost", "better"}:
                flat |= {f"{name}.{field}": _over(inner) for field, inner in said.items()}
            else:
                flat[name] = _over(said)
        return flat


def _over(said: Any) -> Any:
    return {"values": said} if isinstance(said, list) else said


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable with its values ascending (words as in the file), costs and directions.

    unit: of the values, for people. directions: metric -> 1 where more of it is never worse, -1
    where less is not, 0 where nothing is known. assumed: no file said so.
    """

    name: str
    values: tuple[Value, ...]
    unit: str
    costs: tuple[float, ...]
    directions: Mapping[str, int]
    assumed: bool

    def said(self, step: int) -> str:
        value = self.values[step]
        text = f"{value:g}" if isinstance(value, float) else shown(value)
        return f"{text} {self.unit}".rstrip()

    @property
    def changes_platform(self) -> bool:
        return is_parameter(self.name)


@dataclass(frozen=True, slots=True)
class Question:
    """A search file, read. limits: metric -> what it must not exceed, of the goals that there are.

    words: KEY=VALUE of the path. rate: bytes per second that are asked for, or None.
    """

    name: str
    title: str
    platform: Platform
    size: int
    words: tuple[str, ...]
    purpose: Purpose
    rate: float | None
    limits: Mapping[str, float]
    variables: tuple[Variable, ...]
    total: Formula | None
    unit: str

    @property
    def count(self) -> int:
        """Designs, those that are no path among them."""
        number = 1
        for variable in self.variables:
            number *= len(variable.values)
        return number


def load(path: Path) -> Question:
    """Read and check a search file; InputErrors with every fault and its line."""
    data, text = read_toml(path)
    try:
        file = File.model_validate(data)
    except ValidationError as error:
        names = [*File.model_fields, *Over.model_fields, *Goal.model_fields, *Cost.model_fields]
        shapes = ("Range", "list[union[str,bool,int,float]]", "float", "str", "list[float]")
        raise InputErrors(faults(error, path, text, names, shapes)) from None
    return _Reading(file, path, text).question()


class _Reading:
    """A file with its place, for messages."""

    def __init__(self, file: File, path: Path, text: str) -> None:
        self._file, self._path, self._text = file, path, text
        beside = path.parent / file.platform
        own = file.platform.endswith(".toml") and beside.is_file()
        self._platform = load_platform(str(beside) if own else file.platform)

    def _at(self, *location: str) -> str:
        dotted = tuple(part for one in location for part in one.split("."))
        lines = [line_of(self._text, spelt) or 0 for spelt in (location, dotted)]
        return f"{self._path}, line {max(lines)}" if any(lines) else str(self._path)

    def question(self) -> Question:
        file = self._file
        said = {ALIASES.get(name, name): value for name, value in file.question.items()}
        for name in said:
            if name not in (*_PATH, *_SAID, "size_bytes"):
                known = (*_PATH, *_SAID, "size")
                raise InputError(f"unknown '{name}'", self._at("question", name), near(name, known))
            kind = {"stream": bool, "duplex": bool, "depth": int, "streams": int}.get(name)
            if kind is not None and type(said[name]) is not kind:
                asked = "true or false" if kind is bool else "a whole number"
                raise InputError(
                    f"'{name}' is '{said[name]}'", self._at("question", name), f"give {asked}"
                )
            if name in file.over:
                raise InputError(f"'{name}' is given and varied", self._at("over", name))
        if "size_bytes" not in said:
            raise InputError("no size", self._at("question"), 'write size = "64 KiB"')
        purpose = Purpose(
            **{name: said.pop(name) for name in _SAID if name in said}  # type: ignore[arg-type]
        )
        size = self._parsed(parse_size, said.pop("size_bytes"), "question", "size")
        rate, limits = self._goal(size)
        variables = tuple(self._variable(name, over, limits) for name, over in file.over.items())
        words = tuple(f"{name}={shown(value)}" for name, value in said.items())
        read = Question(
            file.name, file.title, self._platform, size, words, purpose, rate, limits, variables,
            self._total(variables), file.cost.unit,
        )  # fmt: skip
        if read.count > MOST:
            raise InputError(f"{read.count} designs", self._at("over"), f"at most {MOST}")
        flows = [name for name in _FLOWS if name in file.over or name in file.question]
        if flows and not purpose.stream:
            raise InputError(f"'{flows[0]}' is of a stream", str(self._path), "add stream = true")
        return read

    def _parsed(self, parser: Any, value: object, *location: str) -> Any:
        try:
            return parser(str(value))
        except InputError as error:
            raise InputError(error.what, self._at(*location), error.mend) from None

    def _goal(self, size: int) -> tuple[float | None, dict[str, float]]:
        goal = self._file.goal
        limits: dict[str, float] = {}
        rate = None
        if goal.rate is not None:
            rate = self._parsed(parse_rate, goal.rate, "goal", "rate")
            limits["period"] = size / rate
        if goal.latency is not None:
            limits["latency"] = self._parsed(parse_time, goal.latency, "goal", "latency")
        if goal.processor is not None:
            share = self._parsed(
                lambda text: parse_share(text, ""), goal.processor, "goal", "processor"
            )
            if not 0 < share <= 1:
                raise InputError(
                    f"a share of {share:g}", self._at("goal", "processor"), "above 0, up to 100 %"
                )
            limits["processor"] = share
        if not limits:
            known = ", ".join(Goal.model_fields)
            raise InputError("no goal", self._at("goal"), f"give one of {known}")
        return rate, limits

    def _variable(self, name: str, over: Over, limits: Mapping[str, float]) -> Variable:
        place = self._at("over", name)
        values, unit = self._values(name, over, place)
        costs = self._costs(over, values, place)
        numeric = all(_number(value) for value in values)
        if numeric:
            order = sorted(range(len(values)), key=lambda at: float(values[at] or 0))
            values = [values[at] for at in order]
            costs = [costs[at] for at in order]
        elif over.better in ("more", "less"):
            raise InputError(f"'{name}' has no order", place, "its values are no numbers")
        directions = self._directions(name, over, limits, numeric)
        return Variable(
            name, tuple(values), unit, tuple(costs), directions, over.better is None and numeric
        )

    def _values(self, name: str, over: Over, place: str) -> tuple[list[Value], str]:
        if is_parameter(name):
            said = over.values
            if isinstance(said, list) and any(isinstance(one, bool) for one in said):
                raise InputError(f"'{name}' is true or false", place, "give quantities")
            block = Block(parameters={name: said})
            axis = resolved(block, self._platform, {name: place}).axes[0]
            if not axis.values:
                raise InputError(f"'{name}' has no steps", place, "add steps = 5")
            return list(axis.values), changeable(self._platform, name, place).unit
        column = ALIASES.get(name, name)
        if column not in (*_PATH, *_FLOWS):
            names = [one.name for one in self._platform.parameters()]
            mend = near(name, [*_PATH, *_FLOWS, *names])
            raise InputError(f"unknown variable '{name}'", place, mend)
        if column != name:
            raise InputError(f"'{name}'", place, f"write {column}")
        values = (
            _spread(name, over.values, place) if isinstance(over.values, Range) else over.values
        )
        typed: list[Value] = []
        for value in values:
            try:
                one = _whole(value) if name in _FLOWS else given(name, value)
                if one is None:
                    raise ValueError("no value")
                if name == "fpga_mhz":
                    check_frequency_mhz(float(one))
            except InputError as error:
                raise InputError(error.what, place, error.mend) from None
            except ValueError as error:
                raise InputError(str(error), place) from None
            typed.append(one)
        if len(set(typed)) != len(typed):
            raise InputError(f"'{name}' has a value twice", place)
        return typed, "MHz" if name == "fpga_mhz" else ""

    def _costs(self, over: Over, values: Sequence[Value], place: str) -> list[float]:
        if isinstance(over.cost, list):
            if len(over.cost) != len(values):
                raise InputError(f"{len(over.cost)} costs for {len(values)} values", place)
            costs = list(over.cost)
        elif not over.cost:
            return [0.0] * len(values)
        elif not all(_number(value) for value in values):
            raise InputError("a cost of words", place, "give a list with one cost for each")
        elif isinstance(over.cost, str):
            try:
                formula = parse(over.cost, ["value"])
                costs = [formula.value({"value": float(value or 0)}) for value in values]
            except InputError as error:
                raise InputError(error.what, f"{place}, {error.where}", error.mend) from None
        else:
            costs = [over.cost * float(value or 0) for value in values]
        if any(not abs(cost) < 1e300 for cost in costs):
            raise InputError("a cost that is not finite", place)
        return costs

    def _directions(
        self, name: str, over: Over, limits: Mapping[str, float], numeric: bool
    ) -> dict[str, int]:
        if not numeric or over.better == "unknown":
            usual = dict.fromkeys(METRICS, 0)
        elif over.better is not None:
            usual = dict.fromkeys(METRICS, 1 if over.better == "more" else -1)
        else:
            usual = _usual(name, self._platform)
        if "period" not in limits:
            # Whoever is faster has less time beside which the processor is free.
            usual["processor"] = 0
        return {metric: usual[metric] for metric in limits}

    def _total(self, variables: Sequence[Variable]) -> Formula | None:
        said = self._file.cost.formula
        if not said:
            return None
        try:
            return parse(said, [variable.name for variable in variables])
        except InputError as error:
            place = f"{self._at('cost', 'formula')}, {error.where}"
            raise InputError(error.what, place, error.mend) from None


def _number(value: Value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _whole(value: object) -> int:
    number = float(str(value))
    if number != int(number) or not 1 <= number <= 64:
        raise ValueError(f"'{value}' is not a whole number from 1 to 64")
    return int(number)


def _spread(name: str, said: Range, place: str) -> list[str | bool | int | float]:
    """The values of a range of a column of numbers."""
    whole = name in _FLOWS or column_of(name).kind == "integer"
    if name not in _FLOWS and column_of(name).kind not in ("integer", "number"):
        raise InputError(f"'{name}' has no range", place, "give a list of values")
    if said.steps is None:
        raise InputError(f"'{name}' has no steps", place, "add steps = 5")
    try:
        ends = [float(given(name, end) or 0) if name not in _FLOWS else float(_whole(end))
                for end in (said.start, said.end)]  # fmt: skip
    except (ValueError, InputError) as error:
        raise InputError(str(error), place) from None
    if not 0 < ends[0] < ends[1]:
        raise InputError(f"'{name}' goes from {ends[0]:g} to {ends[1]:g}", place)
    shares = (step / (said.steps - 1) for step in range(said.steps))
    spread = (within(ends[0], ends[1], share, said.scale == "log", whole) for share in shares)
    return list(dict.fromkeys(spread))


def _usual(name: str, platform: Platform) -> dict[str, int]:
    """What more of a variable usually does, by what it is."""
    if name == "depth":
        # Blocks wait behind each other, and the path waits for none.
        return {"period": 1, "latency": -1, "processor": 1}
    if name == "fpga_mhz":
        return dict.fromkeys(METRICS, 1)
    if name == "streams":
        return dict.fromkeys(METRICS, -1)
    if not is_parameter(name):
        return dict.fromkeys(METRICS, 0)
    field = platform.field(changeable(platform, name, "").name)
    if field.dimension == "frequency" or name.endswith(".width"):
        return dict.fromkeys(METRICS, 1)
    # An interval is a time of which less is not better.
    if field.dimension in ("time", "cycles") and not name.endswith("interval"):
        return dict.fromkeys(METRICS, -1)
    return dict.fromkeys(METRICS, 0)
