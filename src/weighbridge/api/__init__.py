# SPDX-License-Identifier: Apache-2.0
"""The questions, as functions: what the command line calls, and what `import weighbridge` offers.

Sizes are bytes or text ('64KiB'), clocks MHz or text ('150MHz'), everything else as on the command
line. A path is given by keywords: os, master, route, link, buffer, prepared, direction, fpga_mhz
and the others that `weighbridge explain` takes. Bad input raises InputError, nothing else does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, overload

from weighbridge.api.answers import (
    Advice,
    Answers,
    Compared,
    Explained,
    Prediction,
    Predictions,
    described,
)
from weighbridge.api.arguments import (
    Conditions,
    Overrides,
    Word,
    assignments,
    conditions,
    file_named,
    loaded,
    overrides,
    refusing,
    word,
)
from weighbridge.api.curves import Curve, Curves
from weighbridge.api.suggesting import Suggested, suggest
from weighbridge.backends import DEFAULT_SEED, Reach
from weighbridge.errors import InputError
from weighbridge.platforms import Platform, platform_names

if TYPE_CHECKING:
    from weighbridge.dataset.schema import Point, Value

__all__ = [
    "Advice",
    "Answers",
    "Compared",
    "Curve",
    "Curves",
    "Explained",
    "InputError",
    "Platform",
    "Prediction",
    "Predictions",
    "Reach",
    "Suggested",
    "advise",
    "compare",
    "curve",
    "explain",
    "plan",
    "platform",
    "platform_names",
    "predict",
    "run",
    "study_names",
    "suggest",
]


class Advance(Protocol):
    """Says how many more are done; left: seconds that the rest takes, where that is known."""

    def __call__(self, count: int, left: float | None = None, /) -> None: ...


#: progress(label, how many in all, how many done) opens a bar and yields what advances it.
Progress = Callable[[str, int, int], AbstractContextManager[Advance]]


def study_names() -> list[str]:
    """The studies that come with the package, as run() takes them."""
    from weighbridge import studies

    return studies.study_names()


@refusing
def platform(name_or_path: str | Path | Platform, /, **set: Word) -> Platform:
    """A platform by name or by its .toml file, for any other question here.

    set: numbers of it to replace, as in **{"sdram.clock": "533MHz"}; a double underscore does for
    the dot: sdram__clock="533MHz". A bare number is in the parameter's own unit.
    """
    return loaded(name_or_path, {name.replace("__", "."): value for name, value in set.items()})


@overload
def predict(
    platform: str | Path | Platform,
    *,
    size: Word,
    set: Overrides | None = None,
    seed: int = DEFAULT_SEED,
    exact: bool = False,
    **path: Word | None,
) -> Prediction: ...
@overload
def predict(
    platform: str | Path | Platform,
    *,
    size: list[Any] | tuple[Any, ...] | range,
    set: Overrides | None = None,
    seed: int = DEFAULT_SEED,
    exact: bool = False,
    **path: Word | None,
) -> Predictions: ...
@refusing
def predict(
    platform: str | Path | Platform,
    *,
    size: Any = None,
    set: Overrides | None = None,
    seed: int = DEFAULT_SEED,
    exact: bool = False,
    **path: Word | None,
) -> Prediction | Predictions:
    """How long a transfer takes; a list of sizes gives a table.

    set: parameters of the platform to replace, as {"sdram.clock": "533MHz"}. path: what is meant;
    what is not said is filled in, and refused where several paths are left. exact: all of a long
    transfer is simulated, where its prefix and a step behind that would do.
    """
    from weighbridge.backends.twin import Twin

    several = _several(size)
    sizes = list(size) if several else [size]
    if not sizes:
        raise InputError("no size", mend="give one, as in size='64KiB'")
    where = loaded(platform, set)
    points = [_point(where, path, one) for one in sizes]
    twin = Twin(where, _whole(seed, "seed", 0), _flag(exact, "exact"))
    found = tuple(described(where, twin.predict(point)) for point in points)
    return Predictions(found) if several else found[0]


@refusing
def explain(
    platform: str | Path | Platform,
    *,
    size: Word | None = None,
    set: Overrides | None = None,
    trace: bool = False,
    seed: int = DEFAULT_SEED,
    exact: bool = False,
    **path: Word | None,
) -> Explained:
    """Where the time of a transfer goes, and what would bound it next.

    trace: with every access at every component, up to a limit of slices; see
    Explained.write_trace(). The other arguments are those of predict().
    """
    from weighbridge.advice.timeline import MOST_SLICES
    from weighbridge.backends.twin import Twin

    where = loaded(platform, set)
    filled: dict[str, Value] = {}
    point = _point(where, path, size, filled)
    twin = Twin(where, _whole(seed, "seed", 0), _flag(exact, "exact"))
    return Explained.of(twin, point, MOST_SLICES if _flag(trace, "trace") else 0, filled)


@refusing
def advise(
    platform: str | Path | Platform,
    *,
    size: Word,
    direction: str,
    os: str | None = None,
    fpga_mhz: Word | None = None,
    where: Conditions | None = None,
    set: Overrides | None = None,
    consume: str = "none",
    stream: bool = False,
    depth: int | None = None,
    duplex: bool = False,
    streams: int | None = None,
    processor: Word = "100%",
    rate: Word | None = None,
    latency: Word | None = None,
    exact: bool = False,
    progress: Progress | None = None,
    **path: Word | Iterable[Word] | None,
) -> Advice:
    """Every path for a transfer of that size, ranked, and from which size on another one wins.

    where, path: only such paths, as in master="pl330" or link=["HF64", "HF128"]. stream: blocks of
    that size one after another, `depth` of them in flight, `streams` on a path, with `duplex` as
    much the other way. processor: the share of its time that is left for this, a fraction or text.
    rate: to sustain, bytes per second or text ('200MB/s'). latency: what a block may take, seconds
    or text ('500us').
    """
    from weighbridge.advice.crossovers import crossovers, largest
    from weighbridge.advice.paths import candidates
    from weighbridge.advice.purpose import Purpose
    from weighbridge.advice.questions import paragraph
    from weighbridge.advice.ranking import rank
    from weighbridge.backends.twin import Twin
    from weighbridge.dataset.values import parse_where
    from weighbridge.quantities import parse_frequency_mhz, parse_share, parse_size

    size_bytes = parse_size(word(size, "size"))
    usual = Purpose()
    purpose = Purpose(
        consume=word(consume, "consume").replace("-", "_"),
        stream=_flag(stream, "stream"),
        depth=usual.depth if depth is None else _whole(depth, "depth"),
        duplex=_flag(duplex, "duplex"),
        streams=usual.streams if streams is None else _whole(streams, "streams"),
        processor=parse_share(word(processor, "processor"), "--processor"),
        rate=None if rate is None else _rate(rate),
        latency=None if latency is None else _seconds(latency),
    )
    if not purpose.stream and (purpose.duplex, purpose.streams, purpose.depth) != (
        usual.duplex,
        usual.streams,
        usual.depth,
    ):
        raise InputError("--depth, --duplex and --streams are of a stream", mend="add --stream")
    clock = None if fpga_mhz is None else parse_frequency_mhz(word(fpga_mhz, "fpga_mhz"))
    wanted = parse_where(conditions(where, path))
    of = loaded(platform, set)
    system = None if os is None else word(os, "os")
    way = word(direction, "direction")
    twin = Twin(of, exact=_flag(exact, "exact"))
    paths = candidates(of, way, size_bytes, system, clock, wanted)
    with (progress or _silent)("paths", len(paths), 0) as advance:
        ranked = rank(of, size_bytes, way, system, clock, wanted, purpose, lambda: advance(1), twin)
    turns = crossovers(of, paths, purpose, twin)
    answers = paragraph(twin, ranked, turns, purpose)
    reach = largest(twin, paths)
    usual_mhz = next((path.fpga_mhz for path in of.paths() if path.fpga_mhz is not None), None)
    return Advice(tuple(ranked), tuple(turns), tuple(answers), purpose, reach, usual_mhz)


@refusing
def curve(
    platform: str | Path | Platform,
    *paths: str | Sequence[str] | Mapping[str, Word | None],
    smallest: Word = "2B",
    largest: Word = "2MiB",
    points: int | None = None,
    set: Overrides | None = None,
    exact: bool = False,
    progress: Progress | None = None,
    **path: Word | None,
) -> Curves:
    """Rate and time over the sizes, of one path or of several.

    paths: each as text ('os=linux master=pl330 route=acp'), as its words or as a mapping; none: the
    keywords alone. path: what all of them share. points: how many sizes; without it the powers of
    two.
    """
    from weighbridge.advice.curves import curve as answered
    from weighbridge.advice.curves import sizes_between
    from weighbridge.advice.paths import parsed, point_of
    from weighbridge.backends.twin import Twin
    from weighbridge.quantities import parse_size

    first, last = (parse_size(word(size, "a size")) for size in (smallest, largest))
    sizes = sizes_between(first, last, None if points is None else _whole(points, "points"))
    where = loaded(platform, set)
    twin = Twin(where, exact=_flag(exact, "exact"))
    asked = []
    for one in paths or ("",):
        words = [*_words(one), *assignments(path)]
        if "size_bytes" in parsed(words):
            raise InputError("a curve has no size of its own", mend="use --from and --to")
        point = point_of(where, words, sizes[0])
        twin.ceiling(point)  # refuses what cannot be asked before the first answer
        asked.append(point)
    if len({*asked}) != len(asked):
        raise InputError("the same path twice", mend="give each once")
    with (progress or _silent)("sizes", len(sizes) * len(asked), 0) as advance:
        answers = [answered(twin, point, sizes, lambda: advance(1)) for point in asked]
    return Curves(
        tuple(
            Curve(
                where.describe(one[-1].point),
                tuple(one),
                _published(one[-1].point),
                tuple(where.expected(answer.point) for answer in one),
            )
            for one in answers
        )
    )


@refusing
def run(
    study: str | Path,
    *,
    where: Conditions | None = None,
    points: str | Path | None = None,
    out: str | Path | None = None,
    backend: str | None = None,
    set: Overrides | None = None,
    seed: int = DEFAULT_SEED,
    exact: bool = False,
    processes: int = 1,
    platform: str | Path = "",
    reach: Reach | None = None,
    cluster: str = "",
    progress: Progress | None = None,
) -> Answers:
    """Answer every point of a study, or of the CSV file `points`.

    backend: who answers; None is who the platform's file names, the twin for most.
    platform: a file that is asked in place of the study's platform.
    reach: of measuring, where the machine is; None is this one.
    out: a run directory to write, which an interrupted run is taken up from; None writes nothing.
    processes: how many at a time; a script that asks for more than one must guard its main part
    with `if __name__ == "__main__"`.
    cluster: a Dask cluster that answers in their place, tcp://HOST:PORT of a scheduler, or local:N.
    """
    from weighbridge.api.studies import run as answered

    return answered(
        str(file_named(study, "study")),
        conditions(where, {}),
        None if points is None else file_named(points, "points"),
        None if out is None else file_named(out, "out"),
        None if backend is None else word(backend, "backend"),
        overrides(set),
        _whole(seed, "seed", 0),
        _flag(exact, "exact"),
        _whole(processes, "processes", 1),
        str(file_named(platform, "platform")) if platform else "",
        reach or Reach(),
        word(cluster, "cluster"),
        progress or _silent,
    )


@refusing
def plan(
    study: str | Path,
    *,
    where: Conditions | None = None,
    points: str | Path | None = None,
    seed: int = DEFAULT_SEED,
    reach: Reach | None = None,
) -> str:
    """The text of the plan that a probe is given for a study's points on a board.

    The probe's answers, recorded, are read by run() with `Reach(log=FILE)`.
    """
    from weighbridge.api.studies import plan as planned

    return planned(
        str(file_named(study, "study")),
        conditions(where, {}),
        None if points is None else file_named(points, "points"),
        _whole(seed, "seed", 0),
        reach or Reach(),
    ).text


@refusing
def compare(
    *sources: str | Path | Answers,
    where: Conditions | None = None,
    by: str | Iterable[str] = "study,os,master,route",
    all_quality: bool = False,
    set: Overrides | None = None,
    assume: Conditions | None = None,
    platform: str | Path = "",
    processes: int = 1,
    cluster: str = "",
    progress: Progress | None = None,
) -> Compared:
    """How far sources are from the last one, the reference: |A/B - 1| of the times of equal points.

    sources: run directories, CSV or Parquet files, names of backends, or what run() returned.
    by: columns to group by. assume: what a backend is asked with, whatever the rows say; platform:
    the file of its platform. all_quality: rows whose quality is not ok count, too. processes and
    cluster: as for run().
    """
    from weighbridge.api.comparing import compare as compared

    columns = word(by, "by").split(",") if not _several(by) else [word(one, "by") for one in by]
    return compared(
        sources,
        conditions(where, {}),
        columns,
        _flag(all_quality, "all_quality"),
        overrides(set),
        conditions(assume, {}),
        str(file_named(platform, "platform")) if platform else "",
        _whole(processes, "processes", 1),
        word(cluster, "cluster"),
        progress or _silent,
    )


def _point(
    where: Platform,
    path: Mapping[str, object],
    size: object,
    filled: dict[str, Value] | None = None,
) -> Point:
    from weighbridge.advice.paths import point_of
    from weighbridge.quantities import parse_size

    given = None if size is None else parse_size(word(size, "size"))
    return point_of(where, assignments(path), given, filled)


def _published(point: Point) -> dict[int, float]:
    """Size -> seconds of what was published of a path."""
    from weighbridge.dataset.published import published_path

    rows = published_path(point)
    return {int(row["size_bytes"] or 0): float(row["seconds"] or 0) for row in rows}


def _words(path: object) -> list[str]:
    if isinstance(path, str):
        return path.split()
    if isinstance(path, Mapping):
        return assignments(path)
    if isinstance(path, Sequence) and not isinstance(path, bytes):
        return [word(one, "a path") for one in path]
    raise InputError(f"a path of type {type(path).__name__}", mend="write it like 'os=linux'")


def _several(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | Mapping)


def _flag(value: object, where: str) -> bool:
    if isinstance(value, bool):
        return value
    raise InputError(f"{value!r:.40} is neither True nor False", where)


def _whole(value: object, where: str, least: int | None = None) -> int:
    """A whole number that is at least so much, where that is said."""
    text = word(value, where)
    try:
        number = int(text)
    except ValueError:
        raise InputError(f"'{text}' is not a whole number", where) from None
    if least is not None and not least <= number < 2**31:
        raise InputError(f"{where} {number}", mend=f"give {least} or more")
    return number


def _rate(value: object) -> float:
    """Bytes per second."""
    from weighbridge.quantities import parse_rate

    return parse_rate(value if isinstance(value, str) else f"{word(value, 'rate')}B/s")


def _seconds(value: object) -> float:
    from weighbridge.quantities import parse_time

    return parse_time(value if isinstance(value, str) else f"{word(value, 'latency')}s")


def _silent(label: str, total: int, done: int) -> AbstractContextManager[Advance]:
    return nullcontext(lambda count, left=None: None)
