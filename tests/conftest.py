# SPDX-License-Identifier: Apache-2.0
"""What holds for every test."""

from __future__ import annotations

import os

from hypothesis import settings

# Machines are shared and slow at times: no example is wrong because it took long.
settings.register_profile("weighbridge", deadline=None)
settings.load_profile("weighbridge")

# What runs tests side by side tells them how wide its own terminal is.
os.environ.pop("COLUMNS", None)
