"""How a column writes its numbers and dates: recognised from all of its values, or named.

``1.234`` alone is ambiguous; a column that also has ``1.234,50`` is not. So the way of writing is
decided for a column as a whole, and whatever does not show it is an error that names the option.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import Final, Generic, TypeVar

from petaudit.errors import HierarchyError, OptionError, joined, phrase, suggestion
from petaudit.exact.fractions import NUMBER, parse_number

Value = TypeVar("Value")

DECIMAL_POINT: Final = "decimal-point"
DECIMAL_COMMA: Final = "decimal-comma"
NUMBER_FORMS: Final = (DECIMAL_POINT, DECIMAL_COMMA)
YEAR_FIRST: Final = "year-first"
DAY_FIRST: Final = "day-first"
MONTH_FIRST: Final = "month-first"
ROC: Final = "roc"
DATE_FORMS: Final = (YEAR_FIRST, DAY_FIRST, MONTH_FIRST, ROC)

_ROC_EPOCH: Final = 1911
"""Year 1 of the Republic of China is 1912."""
_ROC_DIGITS: Final = 3
_PLAIN_CHARACTERS: Final = str.maketrans(
    "０１２３４５６７８９，．－＋％＄￥／：−’‘＇\u00a0\u2009\u202f\u3000",
    "0123456789,.-+%$¥/:-'''    ",
)
"""Full-width characters, and marks that look alike; compatibility forms would make 5² of it 52."""


@dataclass(frozen=True)
class Reading(Generic[Value]):
    """How the cells of one column are read."""

    read: Callable[[str], Value | None]
    notes: tuple[str, ...] = ()
    """What was recognised, where somebody might have meant something else."""


def check_form(form: str | None, known: tuple[str, ...]) -> None:
    """Refuse a way of writing that there is not.

    >>> check_form("day-frist", DATE_FORMS)
    Traceback (most recent call last):
    petaudit.errors.OptionError: written must be year-first, day-first, month-first or roc, \
got 'day-frist' (did you mean 'day-first'?)
    """
    if form is not None and form not in known:
        raise OptionError(
            "written must be {forms} or {last}, got {form!r}{near}",
            forms=joined(known[:-1]),
            last=known[-1],
            form=form,
            near=suggestion(str(form), known),
        )


# Numbers -----------------------------------------------------------------------------------------

_CURRENCY: Final = "(?:NT|US|HK|A|C)?[$]|[€£¥₩₹元圓]|NTD|TWD|USD|EUR|GBP|JPY|CNY|CHF"
_PERCENT: Final = "%"
_NUMBER: Final = re.compile(
    rf"(?P<sign>[-+]?) ?(?P<before>{_CURRENCY})? ?(?P<inner>[-+]?)"
    r"(?P<digits>[0-9.,' ]*[0-9.])(?P<power>[eE][+-]?[0-9]{1,4})?"
    rf" ?(?P<after>{_PERCENT}|{_CURRENCY})?",
    re.ASCII,
)


def _digits(decimal: str, groups: str) -> re.Pattern[str]:
    """Digits of one form: thousands have one mark throughout, and no leading zero."""
    thousands = rf"[1-9][0-9]{{0,2}}(?P<mark>[{groups} '])[0-9]{{3}}(?:(?P=mark)[0-9]{{3}})*"
    return re.compile(rf"(?:[0-9]+|{thousands})(?:[{decimal}][0-9]+)?|[{decimal}][0-9]+", re.ASCII)


_DIGITS: Final = {DECIMAL_POINT: _digits(".", ","), DECIMAL_COMMA: _digits(",", ".")}
_THREE_PLACES: Final = re.compile(r"\s*[+-]?[1-9][0-9]{0,2}\.[0-9]{3}\s*", re.ASCII)
_DECIMAL_MARK: Final = {DECIMAL_POINT: ".", DECIMAL_COMMA: ","}


@dataclass(frozen=True)
class _Number:
    """A cell that spells a number in one form, or in both."""

    by_form: dict[str, Fraction]
    digits: str
    unit: str
    is_full_width: bool

    @property
    def only_form(self) -> str | None:
        """The form that the cell shows; none if it is a number in both, or the same in both."""
        return next(iter(self.by_form)) if len(self.by_form) == 1 else None

    @property
    def is_ambiguous(self) -> bool:
        return len(set(self.by_form.values())) > 1


def _number(label: str) -> _Number | None:
    text = label.translate(_PLAIN_CHARACTERS).strip()
    match = _NUMBER.fullmatch(text)
    if match is None or (match["sign"] and match["inner"]):
        return None
    if match["before"] and match["after"]:
        return None
    sign, power, digits = match["sign"] or match["inner"], match["power"] or "", match["digits"]
    by_form: dict[str, Fraction] = {}
    for form, pattern in _DIGITS.items():
        if spelled := pattern.fullmatch(digits):
            plain = digits.replace(spelled["mark"] or " ", "").replace(_DECIMAL_MARK[form], ".")
            number = parse_number(f"{sign}{plain}{power}")
            if number is not None:
                by_form[form] = number
    plain_number = parse_number(text)
    if plain_number is not None:
        # Such as ``5.``, which is read so everywhere.
        by_form[DECIMAL_POINT] = plain_number
    if not by_form:
        return None
    unit = match["before"] or match["after"] or ""
    return _Number(by_form, digits, unit, bool(re.search("[０-９]", label)))


def number_reading(labels: Collection[str], form: str | None = None) -> Reading[Fraction]:
    """Return how a column with these labels writes numbers; what is no number does not matter.

    >>> read = number_reading(["1.234,50", "1.234", "unknown"]).read
    >>> read("1.234"), read("12"), read("unknown")
    (Fraction(1234, 1), Fraction(12, 1), None)
    >>> number_reading(["12.5", "12,5"])
    Traceback (most recent call last):
    petaudit.errors.HierarchyError: 1 number has a decimal point and 1 a decimal comma: say which \
it is (written: decimal-point or decimal-comma)
    """
    if form != DECIMAL_COMMA and all(NUMBER.fullmatch(label.strip()) for label in labels):
        with_point = [label for label in labels if "." in label]
        in_doubt = bool(with_point) and all(map(_THREE_PLACES.fullmatch, with_point))
        return Reading(parse_number, (_points_note(),) if form is None and in_doubt else ())
    parsed = {label: _number(label) for label in labels}
    numbers = [number for number in parsed.values() if number is not None]
    units = _units(numbers)
    notes: list[str] = []
    chosen = form
    if chosen is None:
        chosen, doubts = _number_form(numbers)
        notes = [*_features(numbers, None if doubts else chosen, units), *doubts]

    def read(label: str) -> Fraction | None:
        number = parsed[label] if label in parsed else _number(label)
        if number is None or number.unit not in units:
            return None
        return number.by_form.get(chosen)

    return Reading(read, tuple(notes))


def _number_form(numbers: list[_Number]) -> tuple[str, list[str]]:
    """The form of a column, from the cells that show it; in doubt what is usual, with a note."""
    shown = Counter(number.only_form for number in numbers)
    doubtful = [number for number in numbers if number.is_ambiguous]
    points, commas = shown[DECIMAL_POINT], shown[DECIMAL_COMMA]
    if points and commas:
        raise _mixed_numbers(points, commas)
    if points or commas or not doubtful:
        return DECIMAL_COMMA if commas else DECIMAL_POINT, []
    marks = {mark for number in doubtful for mark in ".," if mark in number.digits}
    if len(marks) > 1:
        points = sum("." in number.digits for number in doubtful)
        raise _mixed_numbers(points, len(doubtful) - points)
    if marks == {","}:
        return DECIMAL_POINT, [
            phrase(
                "every comma has three digits after it and is read as a thousands separator "
                "(written: decimal-comma reads it as decimal)"
            )
        ]
    return DECIMAL_POINT, [_points_note()]


def _points_note() -> str:
    return phrase(
        "every point has three digits after it and is read as decimal (written: decimal-comma "
        "reads it as a thousands separator)"
    )


def _mixed_numbers(points: int, commas: int) -> HierarchyError:
    if points == 1:
        return HierarchyError(
            "1 number has a decimal point and {commas:,} a decimal comma: say which it is "
            "(written: decimal-point or decimal-comma)",
            commas=commas,
        )
    return HierarchyError(
        "{points:,} numbers have a decimal point and {commas:,} a decimal comma: say which it is "
        "(written: decimal-point or decimal-comma)",
        points=points,
        commas=commas,
    )


def _units(numbers: list[_Number]) -> frozenset[str]:
    """The signs that the numbers of a column may have: 5 % and 5, or 5 € and 5 $, are not alike."""
    counts = Counter(number.unit for number in numbers)
    signs = Counter({unit: count for unit, count in counts.items() if unit})
    if not signs:
        return frozenset({""})
    [(commonest, count)] = signs.most_common(1)
    if commonest == _PERCENT:
        return frozenset({commonest if count > counts[""] else ""})
    return frozenset({commonest, ""})


def _features(numbers: list[_Number], form: str | None, units: frozenset[str]) -> Iterator[str]:
    """Say what is unusual about how the numbers of a column are written, beside a doubtful form."""
    features: list[str] = []
    spelled = [] if form is None else [_DIGITS[form].fullmatch(it.digits) for it in numbers]
    if form == DECIMAL_COMMA and any("," in number.digits for number in numbers):
        features.append(phrase("a decimal comma"))
    if any(match["mark"] for match in spelled if match is not None):
        features.append(phrase("thousands separators"))
    if _PERCENT in units:
        features.append(phrase("percent signs, which are ignored (45 % is 45)"))
    elif units != {""}:
        features.append(phrase("currency signs, which are ignored"))
    if any(number.is_full_width for number in numbers):
        features.append(phrase("full-width digits"))
    if features:
        yield phrase("numbers are read with {features}", features=joined(features))


# Dates -------------------------------------------------------------------------------------------

_CLOCK: Final = (
    r"(?:[T ] ?(?:上午|下午)? ?(?:[01]?[0-9]|2[0-4]):[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]+)?)?"
    r"(?: ?[AaPp]\.?[Mm]\.?)? ?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)


def _date_form(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern + _CLOCK, re.ASCII)


_MARK: Final = "(?P<mark>[-/.])"
_MONTH_DAY: Final = r"(?P<month>[0-9]{1,2})(?P=mark)(?P<day>[0-9]{1,2})"
_HAN_MONTH_DAY: Final = r" ?年 ?(?P<month>[0-9]{1,2}) ?月 ?(?P<day>[0-9]{1,2}) ?[日號]"
_WITH_YEAR_FIRST: Final = (
    _date_form(rf"(?P<year>[0-9]{{4}}){_MARK}{_MONTH_DAY}"),
    _date_form(rf"(?:西元 ?)?(?P<year>[0-9]{{4}}){_HAN_MONTH_DAY}"),
)
_ROC_YEAR: Final = r"(?P<era>民國 ?)?(?P<year>[0-9]{1,3})"
_WITH_ROC_YEAR: Final = (
    _date_form(rf"{_ROC_YEAR}{_MARK}{_MONTH_DAY}"),
    _date_form(rf"{_ROC_YEAR}{_HAN_MONTH_DAY}"),
)
_COMPACT_ROC: Final = re.compile(
    r"(?P<year>[0-9]{2,3})(?P<month>[0-9]{2})(?P<day>[0-9]{2})", re.ASCII
)
_WITH_YEAR_LAST: Final = _date_form(
    rf"(?P<one>[0-9]{{1,2}}){_MARK}(?P<other>[0-9]{{1,2}})(?P=mark)(?P<year>[0-9]{{4}})"
)
_MONTHS: Final = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
    )
}
_MONTH_NAMES: Final = (
    "(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    "|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_WITH_NAMED_MONTH: Final = (
    re.compile(
        rf"(?P<day>[0-9]{{1,2}})[ -]?{_MONTH_NAMES}\.?,?[ -]?(?P<year>[0-9]{{4}}){_CLOCK}",
        re.ASCII | re.IGNORECASE,
    ),
    re.compile(
        rf"{_MONTH_NAMES}\.? (?P<day>[0-9]{{1,2}}),? (?P<year>[0-9]{{4}}){_CLOCK}",
        re.ASCII | re.IGNORECASE,
    ),
)


@dataclass(frozen=True)
class _Date:
    """A cell that spells a date, and which one it is if its column is written in some form."""

    certain: date | None = None
    day_first: date | None = None
    month_first: date | None = None
    has_dots: bool = False
    roc: date | None = None
    shows_roc: bool = False
    """Whether nothing but a year of the Republic of China has three digits, or that name."""
    is_compact: bool = False

    @property
    def order(self) -> str | None:
        """Whether day or month is first, where the cell shows it: nobody dots months first."""
        if self.month_first is None and self.day_first is not None:
            return DAY_FIRST
        if self.day_first is None and self.month_first is not None:
            return MONTH_FIRST
        return DAY_FIRST if self.has_dots else None


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _date(label: str) -> _Date | None:
    text = label.translate(_PLAIN_CHARACTERS).strip()
    try:
        return _Date(datetime.fromisoformat(text.replace("/", "-")).date())
    except ValueError:
        pass
    for pattern in _WITH_YEAR_FIRST:
        if match := pattern.fullmatch(text):
            return _Date(_day(int(match["year"]), int(match["month"]), int(match["day"])))
    for pattern in _WITH_NAMED_MONTH:
        if match := pattern.fullmatch(text):
            month = _MONTHS[match["name"][:3].lower()]
            return _Date(_day(int(match["year"]), month, int(match["day"])))
    if match := _WITH_YEAR_LAST.fullmatch(text):
        year, one, other = int(match["year"]), int(match["one"]), int(match["other"])
        return _Date(
            day_first=_day(year, other, one),
            month_first=_day(year, one, other),
            has_dots=match["mark"] == ".",
        )
    for pattern in (*_WITH_ROC_YEAR, _COMPACT_ROC):
        if match := pattern.fullmatch(text):
            is_compact = pattern is _COMPACT_ROC
            has_era = not is_compact and match["era"] is not None
            if len(match["year"]) == 1 and not has_era:
                return None
            year = _ROC_EPOCH + int(match["year"])
            day = _day(year, int(match["month"]), int(match["day"]))
            is_shown = has_era or (len(match["year"]) == _ROC_DIGITS and not is_compact)
            return _Date(roc=day, shows_roc=is_shown, is_compact=is_compact)
    return None


def date_reading(labels: Collection[str], form: str | None = None) -> Reading[date]:
    """Return how a column with these labels writes dates; what is no date does not matter.

    >>> date_reading(["25/12/2024", "03/05/2024"]).read("03/05/2024").isoformat()
    '2024-05-03'
    >>> date_reading(["民國113年3月5日", "99/3/5"]).read("99/3/5").isoformat()
    '2010-03-05'
    >>> date_reading(["03/05/2024"])
    Traceback (most recent call last):
    petaudit.errors.HierarchyError: 1 date such as 03/05/2024 does not show whether day or month \
is first: say which (written: day-first or month-first)
    """
    parsed = {label: _date(label) for label in labels}
    dates = [spelled for spelled in parsed.values() if spelled is not None]
    order = form if form in (DAY_FIRST, MONTH_FIRST) else None
    if form is None:
        order = _order(dates)
    is_roc = form == ROC or any(spelled.shows_roc for spelled in dates)
    if form is None and not is_roc:
        _refuse_short_years(dates)

    def read(label: str) -> date | None:
        spelled = parsed[label] if label in parsed else _date(label)
        if spelled is None:
            return None
        if spelled.roc is not None:
            return spelled.roc if is_roc and (form == ROC or not spelled.is_compact) else None
        in_order = {DAY_FIRST: spelled.day_first, MONTH_FIRST: spelled.month_first}
        return spelled.certain or in_order.get(order or "")

    return Reading(read, tuple(_date_notes(order, is_roc=is_roc)) if form is None else ())


def _order(dates: list[_Date]) -> str | None:
    """Whether day or month is first; None where no date has its year last."""
    shown = Counter(spelled.order for spelled in dates if spelled.order is not None)
    if len(shown) > 1:
        raise HierarchyError(
            "dates are written with the day first ({days:,}) and with the month first "
            "({months:,}): say which it is (written: day-first or month-first)",
            days=shown[DAY_FIRST],
            months=shown[MONTH_FIRST],
        )
    if shown:
        return next(iter(shown))
    doubtful = sum(spelled.day_first != spelled.month_first for spelled in dates)
    if doubtful == 1:
        raise HierarchyError(
            "1 date such as 03/05/2024 does not show whether day or month is first: say which "
            "(written: day-first or month-first)"
        )
    if doubtful:
        raise HierarchyError(
            "{number:,} dates such as 03/05/2024 do not show whether day or month is first: say "
            "which (written: day-first or month-first)",
            number=doubtful,
        )
    return DAY_FIRST if any(spelled.day_first for spelled in dates) else None


def _refuse_short_years(dates: list[_Date]) -> None:
    """Years of two digits may be of the Republic of China or of a century, compact ones codes."""
    short = [spelled for spelled in dates if spelled.roc is not None]
    if short and len(short) == len(dates):
        raise HierarchyError(
            "dates have years of two or three digits, and nothing shows of which calendar: if they "
            "are years of the Republic of China, say so (written: roc)"
        )


def _date_notes(order: str | None, *, is_roc: bool) -> Iterator[str]:
    if order == DAY_FIRST:
        yield phrase(
            "dates are read with the day first: 03/05/2024 is in May (written: month-first if not)"
        )
    elif order == MONTH_FIRST:
        yield phrase(
            "dates are read with the month first: 03/05/2024 is in March (written: day-first if "
            "not)"
        )
    if is_roc:
        yield phrase("years of the Republic of China are read as such: 113 is 2024")
