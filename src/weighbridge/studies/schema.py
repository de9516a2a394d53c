# SPDX-License-Identifier: Apache-2.0
"""What a study file may say, and the points it stands for."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, field_validator, model_validator

from weighbridge.dataset.blocks import VARIED, Block, PlacedBlock
from weighbridge.dataset.schema import AXES, Point, Value, column_of, is_parameter
from weighbridge.dataset.values import parse_where, shown, spelled
from weighbridge.errors import InputError
from weighbridge.studies.designs import Block as DesignBlock
from weighbridge.studies.designs import Design, Designs
from weighbridge.tomlsource import near

#: Columns along which a point off the study's grid makes sense.
CONTINUOUS = ("fpga_mhz", "size_bytes")


class NoiseFloor(BaseModel):
    """How far two boards of the study differ: a cited constant, as fractions of the time."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    median: float = Field(gt=0, lt=1)
    p90: float = Field(gt=0, lt=1)
    source: str


class Study(BaseModel):
    """A set of points to walk: every path in every build, along every axis.

    paths:  ways the bytes may travel, one block each.
    builds: FPGA projects (a link and the clocks it closes at); optional.
    axes:   what is varied in all of them (direction, size).
    designs: what is changed in the platforms; each path is walked in each design.
    faults: what was wrong with the published measurements and can be asked for, by name.
    seconds: what a backend that measures may take for all points, about.
    asked:  columns that only a condition can give, such as a device of the machine that answers.
    In a block each column has one value or a list; a block stands for their product. Where there
    are several platforms, a block of paths or builds may say of which ones it is.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    title: str
    platforms: tuple[str, ...] = Field(alias="platform", min_length=1)
    description: str
    source: str
    noise_floor: NoiseFloor | None = None
    faults: dict[str, str] = {}
    seconds: float | None = Field(default=None, gt=0)
    asked: tuple[str, ...] = ()
    axes: Block
    builds: list[PlacedBlock] = [{}]
    paths: list[PlacedBlock] = Field(min_length=1)
    designs: list[DesignBlock] = []
    #: Platform -> the file of one's own that describes it.
    _files: dict[str, str] = PrivateAttr(default_factory=dict)
    #: Platform -> its designs, block by block; of a study that changes nothing there are none.
    _designs: dict[str, list[Designs]] = PrivateAttr(default_factory=dict)

    @field_validator("platforms", mode="before")
    @classmethod
    def _one_or_several(cls, raw: object) -> object:
        return (raw,) if isinstance(raw, str) else raw

    @model_validator(mode="after")
    def _consistent(self) -> Study:
        for build, path in itertools.product(self.builds, self.paths):
            blocks = (path, build, self.axes)
            columns = [column for block in blocks for column in block if column != "platform"]
            for column in ("direction", "size_bytes"):
                if column not in columns:
                    raise ValueError(f"no axis '{column}'")
            columns += self.asked
            if twice := sorted({column for column in columns if columns.count(column) > 1}):
                raise ValueError(f"column '{twice[0]}' is given twice: in a path, build or axis")
        if strange := [column for column in self.asked if column not in VARIED]:
            raise ValueError(f"unknown column '{strange[0]}' in asked; {near(strange[0], VARIED)}")
        if len(set(self.platforms)) != len(self.platforms):
            raise ValueError("a platform is given twice")
        named = [block.get("platform", []) for block in (*self.paths, *self.builds)]
        for name in itertools.chain(*named, *(block.platform or () for block in self.designs)):
            if name not in self.platforms:
                raise ValueError(
                    f"a block is of platform '{name}'; {near(str(name), self.platforms)}"
                )
        return self

    @property
    def platform(self) -> str:
        """The platform; of several the first."""
        return self.platforms[0]

    def described_by(self, platform: str) -> str:
        """What load_platform() takes: a platform's name, or the path of a file of one's own."""
        return self._files.get(platform, platform)

    @property
    def files(self) -> dict[str, str]:
        """Platform -> the file of one's own that describes it, of those that have one."""
        return dict(self._files)

    def on(self, files: Mapping[str, str]) -> Study:
        """The study with platforms that files describe, by their names."""
        study = self.model_copy()
        study._files = self._files | dict(files)
        study._designs = self._designs
        return study

    def designed(self, designs: Mapping[str, list[Designs]]) -> Study:
        """The study with its designs, as its platforms understand them."""
        study = self.on({})
        study._designs = dict(designs)
        return study

    @property
    def key(self) -> str:
        """The name under which load_study() finds it: 'cyclonev/hps-to-fpga'."""
        return f"{'+'.join(self.platforms)}/{self.name}"

    def allowed(self) -> dict[str, list[Value]]:
        """Every column the study uses, with its values: numbers sorted, words as in the file."""
        allowed: dict[str, dict[Value, None]] = {}
        for grid in self._grids():
            for column, values in grid.items():
                allowed.setdefault(column, {}).update(dict.fromkeys(values))
        if self.faults:
            allowed["fault"] = dict.fromkeys(self.faults)
        for block in itertools.chain(*self._designs.values()):
            for column, changed in block.values().items():
                allowed.setdefault(column, {}).update(dict.fromkeys(changed))
        columns = [*VARIED, *sorted(filter(is_parameter, allowed))]
        return {column: _tidy(column, allowed[column]) for column in columns if column in allowed}

    def _grids(self) -> Iterator[dict[str, list[Value]]]:
        everywhere: list[Value] = list(self.platforms)
        for path, build in itertools.product(self.paths, self.builds):
            both = [block.get("platform", everywhere) for block in (path, build)]
            shared = [name for name in everywhere if all(name in own for own in both)]
            if shared:
                yield path | build | self.axes | {"platform": shared}

    def points(self, where: Iterable[str] = ()) -> list[Point]:
        """The study's points in a list; see walk()."""
        return list(self.walk(where))

    def walk(self, where: Iterable[str] = ()) -> Iterator[Point]:
        """The study's points one by one: a platform's designs in the order of the file, in each its
        paths, sizes running fastest.

        where: 'key=value' conditions; a key repeated widens the choice, different keys narrow
        it. A size or clock that is not on the grid is taken as it is, in place of the grid's.
        InputError, before the first point, for an unknown key or value; and if nothing is left.
        """
        conditions = list(where)
        wanted = self._checked(parse_where(conditions))
        # No point has a fault unless it is asked for.
        fault = {"fault": wanted.pop("fault")} if "fault" in wanted else {}
        given = {column: wanted.pop(column) for column in self.asked if column in wanted}
        grids = [grid | fault | given for grid in self._grids()]
        for column, values in wanted.items():
            if column not in CONTINUOUS and not is_parameter(column):
                grids = [_narrowed(grid, column, values) for grid in grids]
        grids = [grid for grid in grids if all(grid.values())]
        for column in CONTINUOUS:
            if column in wanted:
                on_grid = {value for grid in grids for value in grid.get(column, [])}
                off_grid = [value for value in wanted[column] if value not in on_grid]
                grids = [_narrowed(grid, column, wanted[column], off_grid) for grid in grids]
        changed = {column: wanted[column] for column in wanted if is_parameter(column)}
        points = self._points(grids, changed)
        first = next(points, None)
        if first is None:
            raise InputError(f"no point of {self.key} has " + " and ".join(conditions), "--where")
        return itertools.chain((first,), points)

    def _points(
        self, grids: Sequence[dict[str, list[Value]]], changed: Mapping[str, list[Value]]
    ) -> Iterator[Point]:
        for platform in self.platforms:
            own = [grid for grid in grids if platform in grid["platform"]]
            for design in self._designs_of(platform, changed) if own else ():
                for grid in own:
                    yield from self._product(grid, platform, design)

    def _designs_of(self, platform: str, changed: Mapping[str, list[Value]]) -> Iterator[Design]:
        """A platform's designs that have the wanted values of parameters."""
        if not self.designs:
            yield ()
            return
        for block in self._designs[platform]:
            for design in block:
                has = dict(design)
                if all(has.get(name) in values for name, values in changed.items()):
                    yield design

    def added(self, where: Iterable[str]) -> dict[str, list[Value]]:
        """Sizes and clocks that the conditions of points() ask for and the study does not have."""
        wanted = parse_where(list(where))
        allowed = self.allowed()
        beside = {
            column: [value for value in wanted.get(column, []) if value not in allowed[column]]
            for column in CONTINUOUS
            if column in allowed
        }
        return {column: values for column, values in beside.items() if values}

    def _checked(self, wanted: dict[str, list[Value]]) -> dict[str, list[Value]]:
        # Any study may be asked for by its own name and platform: compare takes these keys too.
        allowed = self.allowed()
        allowed |= {"platform": list(self.platforms), "study": [self.name]}
        for column, values in wanted.items():
            if column in self.asked:
                continue
            if column not in allowed:
                raise InputError(
                    f"{self.key} does not vary '{column}'", "--where", near(column, allowed)
                )
            choices = [*allowed[column]]
            if is_parameter(column) or any(column not in grid for grid in self._grids()):
                choices.append(None)  # 'route=': the paths without one
            wanted[column] = values = [spelled(value, choices) for value in values]
            for value in values:
                if value not in choices and (column not in CONTINUOUS or value is None):
                    raise InputError(
                        f"unknown {column} '{shown(value)}'",
                        f"{self.key}, --where",
                        "allowed: " + ", ".join(map(shown, allowed[column])),
                    )
        return {column: wanted[column] for column in wanted if column != "study"}

    def _product(
        self, grid: dict[str, list[Value]], platform: str, design: Design
    ) -> Iterator[Point]:
        # The slowest axis first, so that the points of one curve are neighbours.
        columns = [name for name in VARIED if name in grid and name != "size_bytes"]
        for values in itertools.product(*(grid[name] for name in columns)):
            fields: dict[str, Any] = dict(zip(columns, values, strict=True))
            axes = tuple((name, fields.pop(name)) for name in sorted(AXES) if name in fields)
            for size in grid["size_bytes"]:
                yield Point(
                    platform=platform,
                    study=self.name,
                    size_bytes=size,  # type: ignore[arg-type]
                    axes=axes,
                    design=design,
                    **fields,
                )


def _tidy(column: str, values: Iterable[Value]) -> list[Value]:
    numeric = column_of(column).kind in ("integer", "number")
    return sorted(values, key=float) if numeric else list(values)  # type: ignore[arg-type]


def _narrowed(
    grid: dict[str, list[Value]], column: str, wanted: list[Value], extra: list[Value] | None = None
) -> dict[str, list[Value]]:
    """The grid with `column` reduced to the wanted values it has, and the extra ones."""
    # None never equals False or 0 here, as it would not in the file either.
    kept = [value for value in grid.get(column, [None]) if value in wanted] + (extra or [])
    return grid | {column: kept}
