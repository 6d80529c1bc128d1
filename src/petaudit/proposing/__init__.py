"""Hierarchies for columns that have none: proposed, shown with counts, and written to be edited."""

from petaudit.proposing.hierarchies import (
    Proposal,
    ProposedHierarchies,
    propose_hierarchies,
    proposed_hierarchies,
)

__all__ = ["Proposal", "ProposedHierarchies", "propose_hierarchies", "proposed_hierarchies"]
