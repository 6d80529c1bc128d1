"""What an option of a measure may be; see :mod:`petaudit.system.kinds`."""

from petaudit.system.kinds import *  # noqa: F403
