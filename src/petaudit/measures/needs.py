"""What a measure may need, and where a person says it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from petaudit.errors import Phrase, argument, phrase, term

if TYPE_CHECKING:
    from petaudit.inputs import Inputs


class Need(StrEnum):
    """An input that a measure cannot do without; its name is that of the argument."""

    QUASI_IDENTIFIERS = "quasi-identifiers"
    SENSITIVE = "a sensitive attribute"
    HIERARCHIES = "hierarchies"
    ORIGINAL = "the original table"
    POPULATION = "a population table"

    @property
    def with_option(self) -> Phrase:
        """The need and the argument or option that serves it."""
        return phrase(
            "{need} ({option})", need=term(self.value), option=argument(self.name.lower())
        )

    @property
    def in_pipeline(self) -> Phrase:
        """The need and where a pipeline file says it."""
        return phrase("{need} ({where})", need=term(self.value), where=_IN_PIPELINE[self])

    def is_met(self, inputs: Inputs) -> bool:
        """Whether the inputs hold what is needed."""
        match self:
            case Need.QUASI_IDENTIFIERS:
                return bool(inputs.roles.quasi_identifiers)
            case Need.SENSITIVE:
                return bool(inputs.roles.sensitive)
            case Need.HIERARCHIES:
                return bool(inputs.hierarchies)
            case Need.ORIGINAL:
                return inputs.original is not None
            case Need.POPULATION:
                return inputs.population is not None


_IN_PIPELINE = {
    Need.QUASI_IDENTIFIERS: phrase(
        "roles: {{quasi_identifier: [...]}} of the Loader or the Evaluator"
    ),
    Need.SENSITIVE: phrase("roles: {{sensitive_attribute: [...]}} of the Loader or the Evaluator"),
    Need.HIERARCHIES: phrase("hierarchies of the Loader or the Evaluator"),
    Need.ORIGINAL: phrase("original of the Loader, or a Synthesizer after it"),
    Need.POPULATION: phrase("population of the Loader"),
}
