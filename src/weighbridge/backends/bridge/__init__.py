# SPDX-License-Identifier: Apache-2.0
"""A design that a serial line leads to, without a processor of its own: boards/ulx3s."""
