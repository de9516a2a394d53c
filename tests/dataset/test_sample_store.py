# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

from weighbridge.dataset.sample_store import SAMPLE_JOURNAL, SampleStore, read_samples
from weighbridge.dataset.samples import Measured, Sample


def _point(*times: float) -> Measured:
    samples = (Sample(0, at, ns, 10, 80, mhz=None, gap_ns=1.5) for at, ns in enumerate(times))
    return Measured("ok", tuple(samples))


def test_samples_survive_an_interruption_and_none_is_double(tmp_path: Path) -> None:
    first = SampleStore(tmp_path)
    first.keep(0, _point(1.0, 2.0))
    first.keep(1, _point(3.0))
    first.close()
    journal = tmp_path / SAMPLE_JOURNAL
    # Killed within a line of another point, after point 1 was kept and before it was answered.
    journal.write_text(journal.read_text() + '{"point": 2, "sampl')
    second = SampleStore(tmp_path)
    second.keep(1, _point(4.0))
    second.keep(3, _point(5.0))
    second.finish({0, 1})
    rows = read_samples(tmp_path)
    assert [(row["point"], row["ns"]) for row in rows] == [(0, 1.0), (0, 2.0), (1, 4.0)]
    assert (rows[0]["gap_ns"], rows[0]["mhz"], rows[0]["count"]) == (1.5, None, 10)
    assert not journal.exists()


def test_a_run_without_samples_has_no_file(tmp_path: Path) -> None:
    SampleStore(tmp_path).finish({0})
    assert list(tmp_path.iterdir()) == []
    assert read_samples(tmp_path) == []
