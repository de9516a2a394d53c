# SPDX-License-Identifier: Apache-2.0
"""How the runs of a page came about: their manifests."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from weighbridge.dataset.runs import read_manifest
from weighbridge.report.parts import Cell, Section, Table


def how_run(runs: Sequence[Path]) -> Section:
    """When, by which version and command, and on what platform each run was made."""
    tables = [_table(number, path) for number, path in enumerate(runs, 1) if path.is_dir()]
    lead = "What each run's manifest says; the same command makes the same rows again."
    missing = "These rows come from tables, which have no manifest."
    return Section("runs", "How it was run", lead, tables=tables, missing="" if tables else missing)


def _table(number: int, path: Path) -> Table:
    manifest = read_manifest(path)
    identity: dict[str, str] = manifest["identity"]
    study, platform = manifest.get("study") or {}, manifest.get("platform") or {}
    changed = platform.get("set") or {}
    facts: dict[str, Any] = {
        "Study": ": ".join(str(study[one]) for one in ("name", "title") if study.get(one)),
        "Date": manifest.get("finished"),
        "Version": f"weighbridge {manifest['weighbridge']}" if manifest.get("weighbridge") else "",
        "Backend": manifest.get("backend"),
        "Command": shlex.join(manifest["command"]),
        "Overrides": ", ".join(f"{name} = {value}" for name, value in changed.items()) or "none",
        "Platform": platform.get("name"),
        "Platform's hash": identity.get("platform"),
        "Seed": manifest.get("seed"),
        "Points": f"{manifest.get('answered')} answered of {manifest.get('points')}",
    }
    rows = [
        (Cell(name), Cell(str(fact), "fact"))
        for name, fact in facts.items()
        if fact not in ("", None)
    ]
    return Table(f"run-{number}", path.name or str(path), ("What", "As recorded"), rows)
