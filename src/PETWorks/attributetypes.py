"""The attribute types by the names that PETWorks gives them."""

from petaudit.roles import Role

IDENTIFIER = Role.IDENTIFIER.value
QUASI_IDENTIFIER = Role.QUASI_IDENTIFIER.value
SENSITIVE_ATTRIBUTE = Role.SENSITIVE.value
INSENSITIVE_ATTRIBUTE = Role.INSENSITIVE.value
