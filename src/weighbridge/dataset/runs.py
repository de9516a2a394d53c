# SPDX-License-Identifier: Apache-2.0
"""Runs on disk: a directory with results.parquet, manifest.json and, until finished, a journal.

A run is written point by point into the journal, so that it can be interrupted anywhere and
taken up again; the table is written once, in the order of the points, when all are answered.
A run that memory need not hold has its rows in several files instead: dataset/parts.py.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform as machine
import shutil
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Annotated, Any

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

import weighbridge
from weighbridge.backends import Outcome
from weighbridge.dataset import strict_json
from weighbridge.dataset.files import check_writable, unwritable, write_text
from weighbridge.dataset.sample_store import SampleStore
from weighbridge.dataset.schema import COLUMNS, Point
from weighbridge.dataset.table import Row, check_columns, joining_key, typed_row, write_parquet
from weighbridge.errors import InputError
from weighbridge.tomlsource import faults

#: Parts of a run's identity that say how, not what: a finished run is redone when only they change.
REDONE = frozenset(("study", "platform", "model"))

#: Raised when a reader of an older version could misread what is written today.
SCHEMA_VERSION = 1

RESULTS, MANIFEST, JOURNAL = "results.parquet", "manifest.json", "journal.jsonl"
#: The folder of the rows of a run in several files.
PARTS = "results"


class _Named(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    name: str


class _Manifest(BaseModel):
    """What readers of a manifest rely on; it may say more."""

    model_config = ConfigDict(extra="allow", strict=True)

    identity: dict[str, str]
    command: list[str]
    started: str | None = None
    finished: str | None
    weighbridge: str | None = None
    backend: str | None = None
    study: _Named | None = None
    platform: _Named | None = None
    parts: dict[Annotated[str, StringConstraints(pattern=r"^\d+-\d+\.parquet$")], int] | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run."""

    path: Path
    manifest: dict[str, Any]

    @property
    def results(self) -> list[Path]:
        """The files of its rows, in order."""
        parts = self.manifest.get("parts")
        return [self.path / RESULTS] if parts is None else [self.path / PARTS / p for p in parts]

    @property
    def in_parts(self) -> bool:
        """Whether its rows are in several files, as many as no memory need hold."""
        return self.manifest.get("parts") is not None

    @classmethod
    def open(cls, path: Path) -> Run:
        """Check that `path` holds a whole run of this version; InputError otherwise."""
        manifest = read_manifest(path)
        if not manifest["finished"]:
            raise InputError(
                f"unfinished run {path}", mend="finish it with: " + " ".join(manifest["command"])
            )
        run = cls(path, manifest)
        for file in run.results:
            if not file.is_file():
                missing = file.relative_to(path)
                raise InputError(f"truncated run {path}: {missing} is missing", mend="run it again")
        return run


def find_runs(root: Path) -> list[Path]:
    """Every directory below `root` that holds a manifest, by name."""
    return sorted(manifest.parent for manifest in root.glob(f"*/{MANIFEST}"))


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of a run directory, checked for its version; InputError otherwise."""
    file = path / MANIFEST
    if not file.is_file():
        raise InputError(f"{path} is not a run: {MANIFEST} is missing")
    try:
        manifest = strict_json.read(file.read_bytes())
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"truncated run {path}: {MANIFEST} is unreadable ({error})") from error
    version = manifest.get("schema_version") if isinstance(manifest, dict) else None
    if not isinstance(manifest, dict) or not isinstance(version, int):
        raise InputError(f"{path} is not a run: {MANIFEST} has no schema_version")
    if version > SCHEMA_VERSION:
        raise InputError(
            f"run {path} is of a newer version ({version}; this one reads {SCHEMA_VERSION})",
            mend="upgrade weighbridge",
        )
    if missing := {"command", "identity", "finished"} - manifest.keys():
        raise InputError(f"truncated run {path}: {MANIFEST} lacks {', '.join(sorted(missing))}")
    try:
        _Manifest.model_validate(manifest)
    except ValidationError as error:
        raise faults(error, file, "")[0] from None
    return manifest


def digest(content: object) -> str:
    """SHA-256 of anything JSON can write."""
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def digest_each(contents: Iterable[object]) -> str:
    """digest() of a list that is never held as one."""
    found = hashlib.sha256(b"[")
    write = json.JSONEncoder(sort_keys=True, default=str).encode
    for number, content in enumerate(contents):
        found.update(((", " if number else "") + write(content)).encode())
    found.update(b"]")
    return found.hexdigest()


def new_manifest(identity: dict[str, str], command: list[str], **facts: Any) -> dict[str, Any]:
    """What is known when a run starts.

    identity: what decides the results (hashes, names); a run is only resumed if it is equal.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "weighbridge": weighbridge.__version__,
        "identity": identity,
        "command": command,
        **facts,
        "python": machine.python_version(),
        "machine": {"system": machine.platform(), "host": machine.node(), "cpus": os.cpu_count()},
        "started": now(),
        "finished": None,
    }


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def taken_up(path: Path, identity: dict[str, str]) -> dict[str, Any] | None:
    """The manifest of the run of this identity that a directory holds; None where it is begun anew.

    It is begun where nothing is there, and where a finished run of an older model or study file is
    done again in its place. InputError where something else is there.
    """
    if not path.exists() or (path.is_dir() and not any(path.iterdir())):
        return None
    if not (path / MANIFEST).is_file():
        raise InputError(f"{path} exists and is not a run", mend="choose another directory with -o")
    before = read_manifest(path)
    changed = [name for name, value in identity.items() if before["identity"].get(name) != value]
    if before["finished"] and changed and set(changed) <= REDONE:
        return None
    if changed:
        state = "finished" if before["finished"] else "unfinished"
        raise InputError(
            f"{path} holds another {state} run (its {', '.join(changed)} differs)",
            mend="choose another directory with -o, or remove it",
        )
    return before


def write_manifest(manifest: dict[str, Any], path: Path) -> None:
    """Into the run's directory, whole or not at all."""
    write_text(json.dumps(manifest, indent=2) + "\n", path / MANIFEST)


class Recording:
    """A run being written, new or resumed. Use as a context manager.

    outcomes: what is known so far, by the point's number.
    simulated_cycles: of the logic's, for all of them, once they are finished; None without logic.
    complete: the directory already holds this very run, finished. One of an older model or study
    file is done again in its place; anything else that is there is refused.
    Raises InputError if the directory holds something else, or cannot be written.
    """

    def __init__(self, path: Path, points: list[Point], manifest: dict[str, Any]) -> None:
        self.path, self._points, self._manifest = path, points, manifest
        self.outcomes: dict[int, Row | str] = {}
        self.complete = False
        self.simulated_cycles: int | None = None
        self._journal: IO[str] | None = None
        self.samples = SampleStore(path)
        manifest["points"] = len(points)
        before = taken_up(path, manifest["identity"])
        if before is not None:
            self._take_up(before)

    def _take_up(self, before: dict[str, Any]) -> None:
        if (self.path / PARTS).is_dir() and not before["finished"]:
            raise InputError(
                f"{self.path} was begun with --cluster",
                mend="go on with --cluster, or choose another directory with -o",
            )
        whole = before.get("parts") is not None or (self.path / RESULTS).is_file()
        self.complete = bool(before["finished"]) and whole
        if not self.complete:
            self._manifest["started"] = before.get("started")
            self._read_journal()

    def _read_journal(self) -> None:
        journal = self.path / JOURNAL
        if not journal.is_file():
            return
        whole = number = 0
        with journal.open("rb") as file:
            for line in file:
                # A killed writer leaves at most one torn line, the last.
                if not line.endswith(b"\n"):
                    break
                whole += len(line)
                number += 1
                try:
                    point, outcome = self._entry(line)
                except (ValueError, InputError) as error:
                    raise InputError(
                        f"not what a run writes ({error})",
                        f"{journal}, line {number}",
                        f"remove {self.path} and run it again",
                    ) from error
                self.outcomes[point] = outcome
        os.truncate(journal, whole)

    def _entry(self, line: bytes) -> tuple[int, Row | str]:
        """A line of the journal: the number of a point and its outcome; ValueError if it lies."""
        entry = strict_json.read(line)
        if not isinstance(entry, dict):
            raise ValueError("no object")
        point, why_not, cells = (entry.get(name) for name in ("point", "unanswered", "row"))
        if not isinstance(point, int) or isinstance(point, bool):
            raise ValueError("no number of a point")
        if not 0 <= point < len(self._points):
            raise ValueError(f"there is no point {point}")
        if isinstance(why_not, str) and why_not:
            return point, why_not
        if not isinstance(cells, dict):
            raise ValueError("no answer")
        check_columns(list(cells), self.path / JOURNAL)
        row = typed_row(cells.items(), "its row")
        asked = joining_key(dict.fromkeys(COLUMNS) | self._points[point].key())
        if row["seconds"] is None or joining_key(row) != asked:
            raise ValueError(f"its row is no answer to point {point}")
        return point, row

    def __enter__(self) -> Recording:
        if not self.complete:
            try:
                self.path.mkdir(parents=True, exist_ok=True)
                write_manifest(self._manifest, self.path)
                if not self.outcomes:
                    (self.path / JOURNAL).unlink(missing_ok=True)
                    self.samples.discard()
                    if (self.path / PARTS).is_dir():  # of the older run that is done again
                        shutil.rmtree(self.path / PARTS)
                self._journal = (self.path / JOURNAL).open("a", encoding="utf-8")
            except OSError as error:
                raise unwritable(self.path, error) from error
        return self

    def __exit__(self, *_: object) -> None:
        self.samples.close()
        if self._journal is not None:
            try:
                self._journal.close()
            except OSError as error:
                raise unwritable(self.path / JOURNAL, error) from error

    @property
    def remaining(self) -> dict[int, Point]:
        """The points still to be answered, by number."""
        return {
            number: point
            for number, point in enumerate(self._points)
            if number not in self.outcomes
        }

    def add(self, answers: Iterable[tuple[int, Outcome]]) -> None:
        """Record answers; they survive whatever happens next."""
        assert self._journal is not None, "use the recording as a context manager"
        lines = []
        for number, outcome in answers:
            known: dict[str, Any] = {"point": number}
            if isinstance(outcome, str):
                self.outcomes[number] = known["unanswered"] = outcome
            else:
                row = self.outcomes[number] = outcome.row()
                known["row"] = {name: value for name, value in row.items() if value is not None}
            lines.append(json.dumps(known) + "\n")
        try:
            self._journal.write("".join(lines))
            self._journal.flush()
        except OSError as error:
            raise unwritable(self.path / JOURNAL, error) from error

    @property
    def answered(self) -> int:
        """How many points have an answer so far."""
        return sum(not isinstance(outcome, str) for outcome in self.outcomes.values())

    def why_not(self) -> str:
        """The reason that most points without an answer share."""
        reasons = Counter(outcome for outcome in self.outcomes.values() if isinstance(outcome, str))
        return reasons.most_common(1)[0][0] if reasons else ""

    def discard(self) -> None:
        """Leave nothing of the run behind."""
        assert self._journal is not None, "use the recording as a context manager"
        self._journal.close()
        self.samples.discard()
        for name in (JOURNAL, RESULTS, MANIFEST):
            (self.path / name).unlink(missing_ok=True)
        if not any(self.path.iterdir()):
            self.path.rmdir()

    def finish(self, **facts: Any) -> None:
        """Write the tables, then the manifest that declares them whole; drop the journals.

        facts: what the manifest says beside what was known when the run was started.
        """
        outcomes = [self.outcomes[number] for number in range(len(self._points))]
        rows = [outcome for outcome in outcomes if not isinstance(outcome, str)]
        reasons = Counter(outcome for outcome in outcomes if isinstance(outcome, str))
        write_parquet(rows, self.path / RESULTS)
        self.samples.finish(self.outcomes.keys())
        self._manifest |= {
            **facts,
            "answered": len(rows),
            "unanswered": dict(sorted(reasons.items())),
        }
        cycles = [row["simulated_cycles"] for row in rows if row["simulated_cycles"] is not None]
        if cycles:
            self._manifest["simulated_cycles"] = self.simulated_cycles = sum(map(int, cycles))
        self._manifest["finished"] = now()
        write_manifest(self._manifest, self.path)
        self.complete = True
        (self.path / JOURNAL).unlink(missing_ok=True)


def check_new(path: Path) -> None:
    """InputError where write_run() could write no run; ask before working for it."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise InputError(f"{path} already exists", mend="choose another directory with -o")
    check_writable(path / MANIFEST, parents=True)


def write_run(path: Path, rows: list[Row], manifest: dict[str, Any]) -> None:
    """Write rows that came from elsewhere as a finished run; refuses to overwrite one."""
    check_new(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(path, error) from error
    write_parquet(rows, path / RESULTS)
    facts = {"points": len(rows), "answered": len(rows), "unanswered": {}, "finished": now()}
    write_text(json.dumps(manifest | facts, indent=2) + "\n", path / MANIFEST)


def this_command() -> list[str]:
    """The command line, as a person would type it again."""
    # An argument that is not UTF-8 is made so: nothing else can be written down.
    return ["weighbridge", *(text.encode("utf-8", "replace").decode() for text in sys.argv[1:])]
