import pytest

from timetable import Clock, TimeError


@pytest.mark.parametrize(
    ("text", "minutes", "shown"),
    [("0:05", 5, "00:05"), ("23:59", 1439, "23:59"), ("24:10", 1450, "00:10"), (" 7:30 ", 450, "07:30")],
)
def test_parse_and_show(text, minutes, shown):
    clock = Clock.parse(text)
    assert (clock.minutes, str(clock)) == (minutes, shown)


@pytest.mark.parametrize("text", ["", "12", "12:5", "12:60", "-1:00", "48:00", "noon"])
def test_not_a_time(text):
    with pytest.raises(TimeError):
        Clock.parse(text)


def test_arithmetic():
    late = Clock.parse("23:50")
    assert late.until(Clock.parse("24:10")) == 20
    assert late.later(15) == Clock.parse("24:05")
    assert late.later(15).is_next_day
    assert not late.is_next_day
