# SPDX-License-Identifier: Apache-2.0
"""Points answered by the workers of a Dask cluster: a way to walk them, beside walk.py's processes.

Another machine's process is asked as one of this machine is, so there is no backend here: a chunk
of points goes out with its question, and comes back as a table. worker.py is what runs there,
costs.py says how large a chunk is and how long the rest takes, connection.py opens the cluster and
keeps it.
"""

from __future__ import annotations

from weighbridge.backends.cluster.walk import walk

__all__ = ["walk"]
