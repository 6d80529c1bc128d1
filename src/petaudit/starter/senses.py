"""What the words in names of columns say, as it stands in reasons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from petaudit.errors import Phrase, phrase

SENSES: Final[Mapping[str, Phrase]] = {
    own: own
    for own in (
        phrase("national identity number"),
        phrase("passport number"),
        phrase("driving licence"),
        phrase("tax number"),
        phrase("patient number"),
        phrase("number of a person"),
        phrase("person's name"),
        phrase("e-mail address"),
        phrase("telephone number"),
        phrase("street address"),
        phrase("account number"),
        phrase("card number"),
        phrase("policy number"),
        phrase("licence plate"),
        phrase("network address or device"),
        phrase("biometric"),
        phrase("password"),
        phrase("identifier"),
        phrase("name"),
        phrase("number"),
        phrase("record number"),
        phrase("age"),
        phrase("birth date"),
        phrase("sex"),
        phrase("postcode"),
        phrase("place"),
        phrase("nationality"),
        phrase("race or ethnic group"),
        phrase("language"),
        phrase("marital status"),
        phrase("family"),
        phrase("education"),
        phrase("occupation or work"),
        phrase("date"),
        phrase("time"),
        phrase("hospital or ward"),
        phrase("physician"),
        phrase("branch"),
        phrase("body"),
        phrase("vehicle or home"),
        phrase("years of service or membership"),
        phrase("illness or diagnosis"),
        phrase("treatment"),
        phrase("medical finding"),
        phrase("length of stay"),
        phrase("income"),
        phrase("wealth or debt"),
        phrase("payment"),
        phrase("crime"),
        phrase("belief or opinion"),
        phrase("sexual life"),
        phrase("marks or scores"),
        phrase("outcome"),
        phrase("weight in a survey"),
        phrase("technical field"),
        phrase("person"),
        phrase("number of land or a building"),
        phrase("insurance"),
        phrase("medical visits"),
    )
}
"""Everything that :mod:`petaudit.starter.words` knows, by its English text."""
