# SPDX-License-Identifier: Apache-2.0
"""The questions on a page of this machine: a platform drawn, its path lit, its numbers to drag."""
