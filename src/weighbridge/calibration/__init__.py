# SPDX-License-Identifier: Apache-2.0
"""A platform's numbers: fitting them to measurements, and how much each matters for a point."""
