# SPDX-License-Identifier: Apache-2.0
"""Designs: what a study changes in its platforms, as products, lists and samples of parameters.

A file says quantities ("400 MHz"); a platform gives each parameter its unit and its physical range.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from weighbridge.dataset.schema import is_parameter
from weighbridge.errors import InputError
from weighbridge.quantities import parse_quantity

if TYPE_CHECKING:
    from weighbridge.platforms import Platform
    from weighbridge.platforms.kinds import Field as Physical

#: Parameters with their values in their own units, by name: Point.design.
Design = tuple[tuple[str, float], ...]

#: Digits of a value within a range: as many as a table shows, so that it can be asked for again.
_DIGITS = 6


class Range(BaseModel):
    """From one quantity to another; in a product in so many steps, evenly or by equal ratios."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    start: str | float = Field(alias="from")
    end: str | float = Field(alias="to")
    steps: int | None = Field(default=None, ge=2, le=100_000)
    scale: Literal["linear", "log"] = "linear"


class Sample(BaseModel):
    """Designs drawn at random, each parameter spread evenly over its range or its list."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["latin_hypercube", "sobol"]
    count: int = Field(ge=1, le=10_000_000)
    seed: int = Field(default=1, ge=0)


class Block(BaseModel):
    """One [[designs]]: the product of its parameters' values, or a sample of them.

    platform: of which platforms of the study; None is all.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    platform: tuple[str, ...] | None = None
    sample: Sample | None = None
    parameters: dict[str, Range | list[str | float]] = {}

    @model_validator(mode="before")
    @classmethod
    def _sorted(cls, raw: Any) -> Any:
        if not isinstance(raw, dict) or "parameters" in raw:
            return raw
        own = {name: raw[name] for name in ("platform", "sample") if name in raw}
        if isinstance(own.get("platform"), str):
            own["platform"] = (own["platform"],)
        return own | {"parameters": _flat(raw, own)}

    @model_validator(mode="after")
    def _named(self) -> Block:
        for name, values in self.parameters.items():
            if not is_parameter(name):
                raise ValueError(f"'{name}' is no parameter; write it like \"sdram.clock\"")
            if isinstance(values, list) and not values:
                raise ValueError(f"'{name}' has no value")
            if isinstance(values, Range) and self.sample is None and values.steps is None:
                raise ValueError(f"'{name}' has no steps, which a range outside of a sample needs")
        if self.sample and not self.parameters:
            raise ValueError("a sample of no parameter")
        return self


def _flat(raw: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a block: TOML reads `sdram.clock = 1` without quotes as a table."""
    flat: dict[str, Any] = {}
    for name, said in raw.items():
        if name in own:
            continue
        if isinstance(said, dict) and not said.keys() & {"from", "to"}:
            flat |= {f"{name}.{field}": _listed(inner) for field, inner in said.items()}
        else:
            flat[name] = _listed(said)
    return flat


def _listed(said: Any) -> Any:
    return said if isinstance(said, (dict, list)) else [said]


@dataclass(frozen=True, slots=True)
class Axis:
    """What a parameter may be: some values, or a range that a sample draws from.

    whole: it goes in whole numbers of its unit.
    """

    name: str
    values: tuple[float, ...] = ()
    start: float = 0.0
    end: float = 0.0
    log: bool = False
    whole: bool = False

    def at(self, share: float) -> float:
        """The value at a share in [0, 1) of the list or the range."""
        if self.values:
            return self.values[min(int(share * len(self.values)), len(self.values) - 1)]
        return within(self.start, self.end, share, self.log, self.whole)


@dataclass(frozen=True, slots=True)
class Designs:
    """The designs of one block for one platform."""

    axes: tuple[Axis, ...]
    sample: Sample | None

    def __iter__(self) -> Iterator[Design]:
        """Each design once: the last parameter runs fastest, a sample in the order of its draw."""
        names = [axis.name for axis in self.axes]
        if self.sample is None:
            drawn: Iterator[Sequence[float]] = itertools.product(
                *(axis.values for axis in self.axes)
            )
            for values in drawn:
                yield _design(names, values)
            return
        seen: set[Design] = set()
        for shares in _shares(self.sample, len(self.axes)):
            design = _design(names, [axis.at(u) for axis, u in zip(self.axes, shares, strict=True)])
            if design not in seen:
                seen.add(design)
                yield design

    def values(self) -> dict[str, list[float]]:
        """Every value of each parameter, ascending."""
        if self.sample is None:
            return {axis.name: sorted(axis.values) for axis in self.axes}
        found: dict[str, set[float]] = {axis.name: set() for axis in self.axes}
        for design in self:
            for name, value in design:
                found[name].add(value)
        return {name: sorted(values) for name, values in found.items()}


def _design(names: Sequence[str], values: Sequence[float]) -> Design:
    return tuple(sorted(zip(names, values, strict=True)))


def _shares(sample: Sample, axes: int) -> Iterator[Sequence[float]]:
    """Points of the unit cube, the same for a seed everywhere."""
    try:
        from scipy.stats import qmc
    except ImportError:
        raise InputError(
            "a sample needs SciPy, which is not installed",
            mend="pip install 'weighbridge[calibrate]'",
        ) from None
    if sample.kind == "latin_hypercube":
        yield from qmc.LatinHypercube(axes, rng=sample.seed).random(sample.count).tolist()
        return
    engine = qmc.Sobol(axes, rng=sample.seed)
    # In powers of two, which keep the sequence balanced as far as it goes.
    left = sample.count
    yield from engine.random_base2((left - 1).bit_length())[:left].tolist()


def within(start: float, end: float, share: float, log: bool, whole: bool) -> float:
    value = start * (end / start) ** share if log else start + (end - start) * share
    return float(round(value)) if whole else float(f"{value:.{_DIGITS}g}")


def resolved(block: Block, platform: Platform, where: Mapping[str, str]) -> Designs:
    """The block's designs for a platform, every value in its parameter's unit and physical.

    where: parameter -> the place in the file, for messages. InputError for what is wrong.
    """
    from weighbridge.platforms.changing import changeable
    from weighbridge.platforms.kinds import UNITS

    axes, meant = [], dict[str, str]()
    for name, said in block.parameters.items():
        place = where[name]
        parameter = changeable(platform, name, place)
        if (other := meant.setdefault(parameter.name, name)) != name:
            raise InputError(f"'{name}' and '{other}' are one parameter", place, "keep one of them")
        field = platform.field(parameter.name)
        scale = UNITS[field.dimension][parameter.unit]

        def quantity(text: str | float, *, unit: str = parameter.unit, at: str = place) -> float:
            try:
                return parse_quantity(str(text), unit)
            except InputError as error:
                raise InputError(error.what, at, error.mend) from None

        if isinstance(said, Range):
            axis = _ranged(name, said, quantity(said.start), quantity(said.end), field, place)
            tried: Sequence[float] = axis.values or (axis.start, axis.end)
        else:
            tried = tuple(dict.fromkeys(quantity(one) for one in said))
            axis = Axis(name, tuple(tried))
        for value in tried:
            if fault := field.fault(value * scale):
                raise InputError(f"'{name}' of {value:g} {parameter.unit}: {fault}", place)
        axes.append(axis)
    return Designs(tuple(axes), block.sample)


def _ranged(name: str, said: Range, start: float, end: float, field: Physical, place: str) -> Axis:
    if not start < end:
        raise InputError(f"'{name}' goes from {start:g} to {end:g}", place, "from less to more")
    if said.scale == "log" and start <= 0:
        raise InputError(f"'{name}' goes by equal ratios from {start:g}", place, "begin above 0")
    if field.power or field.among:
        among = ", ".join(f"{one:g}" for one in field.among) or "powers of two"
        raise InputError(f"'{name}' goes in steps ({among})", place, "give a list of values")
    log = said.scale == "log"
    if said.steps is None:
        return Axis(name, (), start, end, log, field.whole)
    shares = (step / (said.steps - 1) for step in range(said.steps))
    values = (within(start, end, share, log, field.whole) for share in shares)
    return Axis(name, tuple(dict.fromkeys(values)))
