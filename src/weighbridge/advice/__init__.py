# SPDX-License-Identifier: Apache-2.0
"""Advice: which path to take, from which size on another one, and why."""
