import pytest

from timetable import Calendar, DayError
from timetable.days import day_before


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("weekend", ("sat", "sun")),
        ("mon-wed", ("mon", "tue", "wed")),
        ("sat-mon", ("mon", "sat", "sun")),
        ("Fri, mon", ("mon", "fri")),
        ("monday", ("mon",)),
    ],
)
def test_parse(text, days):
    assert Calendar.parse(text).days == days


def test_text():
    assert str(Calendar.parse("mon-fri")) == "weekdays"
    assert str(Calendar.parse("fri,sat")) == "fri,sat"


def test_day_before():
    assert [day_before(day) for day in ("mon", "sun")] == ["sun", "sat"]


def test_no_such_day():
    with pytest.raises(DayError, match="no such day: 'someday'"):
        Calendar.parse("someday")
