"""How a column writes numbers and dates: recognised from all of its values, never guessed."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petaudit.errors import HierarchyError
from petaudit.labels.notation import DATE_FORMS, NUMBER_FORMS, date_reading, number_reading

# Numbers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (["1234.5", "-7", "1e3"], ["1234.5", "-7", "1000"]),
        (["1.234,50", "1.234", "12,5", "7"], ["1234.5", "1234", "12.5", "7"]),
        (["1,234.50", "1,234", "12.5"], ["1234.5", "1234", "12.5"]),
        (["12,5", "1.234"], ["12.5", "1234"]),
        (["12.5", "1,234"], ["12.5", "1234"]),
        (["0,456", "1,234"], ["0.456", "1.234"]),
        (["1 234,5", "12\u00a0345\u202f678", "7"], ["1234.5", "12345678", "7"]),
        (["1'234.5", "12’345"], ["1234.5", "12345"]),
        (["1.234.567", "1.234"], ["1234567", "1234"]),
        (["45%", "12.5 %", "３０％"], ["45", "12.5", "30"]),
        (["NT$1,200", "NT$ 950.5", "80"], ["1200", "950.5", "80"]),
        (["1.200,50 €", "-3 €", "- 3 €"], ["1200.5", "-3", "-3"]),
        (["１２，３４５", "９８７６．５"], ["12345", "9876.5"]),
        (["−5", "+5", "5."], ["-5", "5", "5"]),
    ],
)
def test_one_way_of_writing_is_recognised_per_column(
    column: list[str], expected: list[str]
) -> None:
    read = number_reading(column).read
    assert [read(label) for label in column] == [Fraction(number) for number in expected]


@pytest.mark.parametrize(
    "label",
    [
        *("", "x", "1,23", "1,2345", "12,34,567", "1.2.3", "01,234", "1,234 567", "5 5", "--5"),
        *("$5€", "5%%", "1/2", "5²", "½", "٥", "1_000", "nan", "inf", "0x10", "[20,30[", "2*"),
    ],
)
def test_what_is_not_a_number_with_a_point_is_none(label: str) -> None:
    assert number_reading([label, "1,234.5"], "decimal-point").read(label) is None


def test_percent_and_plain_numbers_or_two_currencies_do_not_mix() -> None:
    read = number_reading(["45%", "46%", "0.5"]).read
    assert (read("45%"), read("0.5")) == (45, None)
    read = number_reading(["0.45", "0.46", "5%"]).read
    assert (read("0.45"), read("5%")) == (Fraction("0.45"), None)
    read = number_reading(["$5", "$6", "€7", "8"]).read
    assert [read(label) for label in ("$5", "€7", "8")] == [5, None, 8]


@pytest.mark.parametrize(
    ("column", "says"),
    [
        (["12.5", "12,5"], "1 number has a decimal point and 1 a decimal comma"),
        (["12.5", "7.5", "1.234,5"], "2 numbers have a decimal point and 1 a decimal comma"),
        (["1.234", "1,234"], "1 number has a decimal point and 1 a decimal comma"),
    ],
)
def test_two_ways_are_never_chosen_between(column: list[str], says: str) -> None:
    with pytest.raises(HierarchyError, match=f"{says}.*written: decimal-point or decimal-comma"):
        number_reading(column)
    for form, label in zip(NUMBER_FORMS, (column[0], column[-1]), strict=True):
        assert number_reading(column, form).read(label) is not None


def test_what_is_unusual_is_said_once_with_the_option() -> None:
    def notes(*column: str, form: str | None = None) -> str:
        return " ".join(number_reading(column, form).notes)

    assert notes("1234.5", "0.125", "7", "x") == ""
    assert notes("12.125", "0.125") == ""
    assert "every point has three digits after it and is read as decimal" in notes("12.125", "7")
    assert notes("12.125", "7", form="decimal-point") == ""
    in_doubt = notes("1,234", "12")
    assert in_doubt.startswith("every comma has three digits after it and is read as a thousands")
    assert "(written: decimal-comma" in in_doubt
    assert notes("1.234,5") == "numbers are read with a decimal comma, thousands separators"
    assert "percent signs, which are ignored" in notes("5%")
    assert "full-width digits" in notes("５")
    assert notes("1,234", "５%", form="decimal-comma") == ""


MARKS = {"decimal-point": (".", ",", " ", "'", "\u202f"), "decimal-comma": (",", ".", " ", "’")}


def spelled(number: Decimal, decimal: str, group: str, sign: str, is_wide: bool) -> str:
    """Write a number digit by digit, from the right."""
    whole, _, places = format(abs(number), "f").partition(".")
    text = ""
    for place, digit in enumerate(reversed(whole)):
        text = digit + (group if place and place % 3 == 0 else "") + text
    text += decimal + places if places else ""
    text = ("-" if number < 0 else "") + text + sign
    shift = 0xFEE0 if is_wide else 0
    return "".join(chr(ord(mark) + shift) if mark in "0123456789" else mark for mark in text)


@given(
    numbers=st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=8),
    places=st.integers(0, 4),
    style=st.sampled_from([(form, group) for form, marks in MARKS.items() for group in marks]),
    sign=st.sampled_from(["", "%", " €", "元"]),
    is_wide=st.booleans(),
)
def test_numbers_in_any_style_are_read_back(
    numbers: list[int], places: int, style: tuple[str, str], sign: str, is_wide: bool
) -> None:
    """With the option always; without it the same, or else it is said how to give it."""
    form, group = style
    decimal = MARKS[form][0]
    wanted = [Decimal(number).scaleb(-places) for number in numbers]
    group = "" if group == decimal else group
    column = [spelled(number, decimal, group, sign, is_wide) for number in wanted]
    expected = [Fraction(number) for number in wanted]
    named = number_reading(column, form)
    assert [named.read(label) for label in column] == expected
    recognised = number_reading(column)
    if [recognised.read(label) for label in column] != expected:
        assert any(f"written: {form}" in note for note in recognised.notes)


# Dates -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (["2024-03-05", "2024/3/5", "2024.3.5", "20240305"], ["2024-03-05"] * 4),
        (["2024年3月5日", "西元2024年03月05日"], ["2024-03-05"] * 2),
        (["5.3.2024", "05.03.2024"], ["2024-03-05"] * 2),
        (["25/12/2024", "3/5/2024"], ["2024-12-25", "2024-05-03"]),
        (["12/25/2024", "3/5/2024"], ["2024-12-25", "2024-03-05"]),
        (["05/05/2024", "2024-03-05"], ["2024-05-05", "2024-03-05"]),
        (["民國113年3月5日", "民國 99 年 12 月 31 日"], ["2024-03-05", "2010-12-31"]),
        (["113/03/05", "99/03/05", "099-3-5"], ["2024-03-05", "2010-03-05", "2010-03-05"]),
        (["民國5年1月1日", "113年3月5日"], ["1916-01-01", "2024-03-05"]),
        (
            ["5 Mar 2024", "05MAR2024", "March 5, 2024", "5-Sept-2024"],
            ["2024-03-05"] * 3 + ["2024-09-05"],
        ),
        (["2024-03-05T10:20:30Z", "2024/3/5 9:05", "2024/3/5 下午 03:20"], ["2024-03-05"] * 3),
        (["25.12.2024 23:59:59.5", "3.5.2024 11:00 PM"], ["2024-12-25", "2024-05-03"]),
        (["２０２４／３／５"], ["2024-03-05"]),
    ],
)
def test_dates_are_recognised_per_column(column: list[str], expected: list[str]) -> None:
    read = date_reading([*column, "unknown"]).read
    assert [read(label) for label in column] == [date.fromisoformat(day) for day in expected]
    assert read("unknown") is None


@pytest.mark.parametrize(
    ("column", "says"),
    [
        (
            ["03/05/2024", "04/06/2024"],
            r"2 dates such as 03/05/2024 do not show.*written: day-first",
        ),
        (
            ["25/12/2024", "12/25/2024"],
            r"day first \(1\) and with the month first \(1\): say which",
        ),
        (["5.3.2024", "12/25/2024"], "say which it is"),
        (["99/03/05", "87/01/31"], "if they are years of the Republic of China.*written: roc"),
        (["1130305", "0990305"], "written: roc"),
    ],
)
def test_a_doubtful_order_or_calendar_is_never_guessed(column: list[str], says: str) -> None:
    with pytest.raises(HierarchyError, match=says):
        date_reading(column)


def test_the_option_wins_and_what_it_does_not_cover_is_no_date() -> None:
    def days(form: str, *column: str) -> list[str | None]:
        read = date_reading(column, form).read
        return [None if (day := read(label)) is None else day.isoformat() for label in column]

    mixed = ("03/05/2024", "12/25/2024", "2024-01-02")
    assert days("day-first", *mixed) == ["2024-05-03", None, "2024-01-02"]
    assert days("month-first", *mixed) == ["2024-03-05", "2024-12-25", "2024-01-02"]
    assert days("year-first", *mixed) == [None, None, "2024-01-02"]
    assert days("roc", "1130305", "990305", "99/3/5") == ["2024-03-05", "2010-03-05", "2010-03-05"]
    assert days("roc", "113/02/30", "2024-01-02", "03/05/2024") == [None, "2024-01-02", None]


@pytest.mark.parametrize(
    "label",
    [
        *("2024-02-30", "31.04.2024", "2024-13-01", "5/3/24", "2024", "2024-03", "2024-3/5", "0"),
        *("2024/3/5 25:00", "2024/3/5 10:61", "5 Mars 2024", "民國0年0月0日", "1/1/1", "٥.٣.٢٠٢٤"),
    ],
)
def test_what_is_no_date_is_none(label: str) -> None:
    assert date_reading([label, "2024-01-02", "31.12.2024"]).read(label) is None


def test_the_order_and_the_calendar_are_said() -> None:
    assert date_reading(["2024-03-05", "2024/3/5"]).notes == ()
    assert "the day first" in date_reading(["25/12/2024"]).notes[0]
    assert "the month first" in date_reading(["12/25/2024"]).notes[0]
    assert "Republic of China" in date_reading(["民國113年3月5日"]).notes[0]
    assert date_reading(["25/12/2024"], "day-first").notes == ()


def in_form(day: date, form: str, mark: str, pad: bool) -> str:
    """Write a date part by part."""
    month, number = (f"{part:02d}" if pad else str(part) for part in (day.month, day.day))
    year = str(day.year - 1911) if form == "roc" else str(day.year)
    order = {
        "year-first": (year, month, number),
        "day-first": (number, month, year),
        "month-first": (month, number, year),
        "roc": (year, month, number),
    }
    return mark.join(order[form])


@given(
    days=st.lists(st.integers(0, 40_000), min_size=1, max_size=8),
    form=st.sampled_from(DATE_FORMS),
    mark=st.sampled_from("-/."),
    pad=st.booleans(),
)
def test_dates_in_any_style_are_read_back(days: list[int], form: str, mark: str, pad: bool) -> None:
    """With the option always; without it the same, or an error."""
    wanted = [date(1922, 1, 1) + timedelta(days=number) for number in days]
    column = [in_form(day, form, mark, pad) for day in wanted]
    assert [date_reading(column, form).read(label) for label in column] == wanted
    if form == "month-first" and mark == ".":
        return  # Nobody writes so, and it is read with the day first unless a day shows it.
    try:
        recognised = date_reading(column)
    except HierarchyError:
        # What a person cannot see, either.
        assert all(day.day <= 12 for day in wanted) or form == "roc"
    else:
        assert [recognised.read(label) for label in column] == wanted
