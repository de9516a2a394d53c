# SPDX-License-Identifier: Apache-2.0
"""Runs as one offline HTML file: the study's figures and tables, and the answer first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from weighbridge.backends import MEASURING
from weighbridge.dataset.files import unwritable, write_text
from weighbridge.dataset.published import citations, published_rows
from weighbridge.dataset.schema import Value
from weighbridge.dataset.table import Row
from weighbridge.dataset.thinned import thinned
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform, machine_names
from weighbridge.report import measures
from weighbridge.report.accuracy import accuracy
from weighbridge.report.page import page, svg
from weighbridge.report.parts import Cell, Evidence, Section, table
from weighbridge.report.registry import pages
from weighbridge.report.runs import how_run
from weighbridge.report.study import study_page


def write_report(
    runs: Sequence[Path],
    out: Path,
    *,
    reference: Sequence[Path] | None = None,
    svg_directory: Path | None = None,
    platform: str | None = None,
) -> list[Path]:
    """Write the report of the runs to `out`, and each chart as SVG where a directory is given.

    runs, reference: run directories or CSV/Parquet files in the result schema, of one platform.
    Where a point is in several of them, the first one counts. Without a reference it is what was
    published of the runs' studies. platform: of runs of several, the one that is drawn.
    Returns the files written. Raises InputError for unreadable or unsuitable input and for an
    output that cannot be written.
    """
    totals: dict[Path | str, int] = {}

    def rows_of(path: Path) -> list[Row]:
        rows, totals[path] = thinned(path)
        return rows

    read = [(path, rows_of(path)) for path in runs]
    if platform is not None:
        read = [(path, [r for r in rows if r["platform"] == platform]) for path, rows in read]
        if not any(rows for _, rows in read):
            raise InputError(f"no row of platform '{platform}'", ", ".join(map(str, runs)))
        totals.clear()
    platform = _platform(read)
    compared: list[tuple[Path | str, list[Row]]]
    if reference is None:
        compared = _published(platform, {row["study"] for _, rows in read for row in rows})
    else:
        compared = [(path, rows_of(path)) for path in reference]
    evidence = Evidence.of(
        *([row for _, rows in group for row in rows] for group in (read, compared))
    )
    shown: list[Section] = []
    studies = list(dict.fromkeys(str(row["study"]) for row in evidence.rows))
    for made, names in pages(platform, studies).items():
        part = evidence.of_studies(names)
        shown += study_page(made, part) if isinstance(made, str) else made(part)
    shown.append(accuracy(evidence))
    if not any(section.figures for section in shown):
        raise InputError(
            "no rows of a study that the report draws",
            ", ".join(str(path) for path in runs),
            "run one of those that 'weighbridge list' names",
        )
    sections = [*shown, how_run(runs), _sources(read, compared, totals)]
    subtitle = f"{len(evidence.rows)} points{_answered(evidence.rows)}"
    crossing = platform not in machine_names()
    texts = {out: page(_title(platform), subtitle, sections, crossing)}
    if svg_directory is not None:
        for section in sections:
            for figure in section.figures:
                texts[svg_directory / f"{figure.id}.svg"] = svg(figure)
    for path, text in texts.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(path, error) from error
        write_text(text, path)
    return list(texts)


def _answered(rows: Sequence[Row]) -> str:
    """Who the rows are from: what was measured, on a machine or in an imported table, is no
    answer of a model."""
    backends = sorted({str(row["backend"]) for row in rows if row.get("backend")})
    measured = ", ".join(one for one in backends if one in MEASURING)
    models = ", ".join(one for one in backends if one not in MEASURING)
    told = [f"measured ({measured})"] if measured else []
    told += [f"answered by {models}"] if models else []
    return ", ".join(["", *told])


def _title(platform: str) -> str:
    """What the page is about: a machine without a model says it itself."""
    if platform in machine_names():
        return load_platform(platform).title
    return f"{platform}: moving bytes to and from the FPGA"


def _platform(read: Sequence[tuple[Path, Sequence[Row]]]) -> str:
    names = sorted({str(row["platform"]) for _, rows in read for row in rows})
    if len(names) > 1:
        raise InputError(
            f"runs of several platforms ({', '.join(names)})",
            mend="report one at a time with --platform",
        )
    return names[0] if names else "empty run"


def _published(platform: str, studies: set[Value]) -> list[tuple[Path | str, list[Row]]]:
    """What was published of the studies, each under its citation."""
    rows = published_rows([platform])
    return [
        (f"published: {citation}", [row for row in rows if row["study"] == study])
        for study, citation in citations(platform).items()
        if study in studies
    ]


def _sources(
    read: Sequence[tuple[Path, Sequence[Row]]],
    compared: Sequence[tuple[Path | str, Sequence[Row]]],
    totals: Mapping[Path | str, int],
) -> Section:
    """What was read and what was left out of it, by quality; a text is a citation.

    totals: how many rows a file has, of which those that were read may be few.
    """
    rows = []
    for role, group in (("run", read), ("reference", compared)):
        for path, found in group:
            left_out = measures.left_out(found)
            studies = dict.fromkeys(str(row.get("study")) for row in found)
            rows.append(
                (
                    Cell(role),
                    Cell(path if isinstance(path, str) else path.name or str(path)),
                    Cell(", ".join(studies)),
                    Cell(_count(len(found), totals.get(path)), "number"),
                    Cell(", ".join(f"{n} {quality}" for quality, n in left_out.items()) or "none"),
                )
            )
    return Section(
        "sources",
        "What was read",
        "Rows of quality ok, posted and board-dependent are drawn, those that something disturbed, "
        "and those of a twin; errors are taken over reference rows of quality ok only. The rows "
        "left out are listed here. Where a point is in several files, the first one given counts. "
        "Of very large runs the rows of some sizes were read, a few for each octave.",
        tables=table(
            "source-files",
            "Files, and their rows left out for their quality",
            ("Role", "File", "Studies", "Rows", "Left out"),
            rows,
        ),
    )


def _count(read: int, there: int | None) -> str:
    return str(read) if there in (None, read) else f"{read} of {there}"
