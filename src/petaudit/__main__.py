"""``python -m petaudit``."""

import sys

from petaudit.cli import main

sys.exit(main())
