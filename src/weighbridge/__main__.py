# SPDX-License-Identifier: Apache-2.0
"""python -m weighbridge"""

import sys

from weighbridge.cli import main

sys.exit(main())
