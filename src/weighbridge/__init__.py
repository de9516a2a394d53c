# SPDX-License-Identifier: Apache-2.0
"""Weighbridge: what it costs to move bytes between a processor and an FPGA, and why."""

__version__ = "0.1.0"
