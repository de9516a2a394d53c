# SPDX-License-Identifier: Apache-2.0
"""What developers run, from the checkout: `python -m tools.NAME`."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HDL = ROOT / "hdl"
