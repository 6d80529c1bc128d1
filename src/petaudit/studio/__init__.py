"""The work of a steward in a browser, on this machine: ``petaudit studio``.

The studio holds one pipeline document. Every action changes it, and what is shown comes from a run
of it, so that ``petaudit run`` gives the same figures.
"""
