# SPDX-License-Identifier: Apache-2.0
"""What proves, breaks, measures, draws and packs the logic of hdl/."""
