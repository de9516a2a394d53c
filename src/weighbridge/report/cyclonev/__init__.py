# SPDX-License-Identifier: Apache-2.0
"""The page of the Cyclone V study: seven ways over four bridges, and the levels of its caches."""

from __future__ import annotations

from weighbridge.report.cyclonev.figures import study_sections
from weighbridge.report.cyclonev.summary import summary
from weighbridge.report.cyclonev.ways import LEVELS, MAIN, PLATFORM
from weighbridge.report.parts import Evidence, Section
from weighbridge.report.registry import register


@register(PLATFORM, MAIN, LEVELS)
def page(evidence: Evidence) -> list[Section]:
    """The answer, then the study's figures; nothing where the rows make no figure."""
    drawn = study_sections(evidence)
    return [summary(evidence), *drawn] if any(section.figures for section in drawn) else []
