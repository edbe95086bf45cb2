import pytest

from timetable import Clock, departures, next_departure

from tests.sample import sample


def lines(stop, day, time, **options):
    found = departures(sample(), stop, day, Clock.parse(time), **options)
    return [(departure.line, departure.wait) for departure in found]


def test_soonest_first():
    assert lines("Museum", "tue", "07:30") == [("3", 30), ("12", 982)]


def test_other_lines_at_the_weekend():
    assert lines("Museum", "sun", "07:30") == [("4", 30), ("12", 982)]


def test_what_has_left_is_gone():
    assert lines("Museum", "tue", "08:01") == [("12", 951)]
    assert lines("Museum", "tue", "23:53") == []


def test_narrowed():
    assert lines("Museum", "tue", "07:30", line="12") == [("12", 982)]
    assert lines("Museum", "tue", "07:30", to="Harbour") == [("3", 30)]
    assert lines("Museum", "tue", "07:30", limit=1) == [("3", 30)]


def test_limit():
    with pytest.raises(ValueError, match="at least 1"):
        lines("Museum", "tue", "07:30", limit=0)


def test_next_departure():
    found = next_departure(sample(), "Harbour", "mon", Clock.parse("22:00"), to="Airport")
    assert (found.line, found.destination, str(found.time)) == ("12", "Airport", "23:40")
    assert next_departure(sample(), "Airport", "mon", Clock.parse("08:00")) is None


def test_trips_after_midnight_are_shown_before_midnight():
    assert lines("Harbour", "fri", "23:45") == [("N1", 45)]


@pytest.mark.parametrize(("day", "time", "wait"), [("sat", "00:10", 20), ("sun", "00:25", 5)])
def test_night_trips_of_the_day_before(day, time, wait):
    assert lines("Harbour", day, time, line="N1") == [("N1", wait)]


@pytest.mark.parametrize(("day", "time"), [("mon", "00:10"), ("fri", "00:10")])
def test_no_night_trip(day, time):
    assert lines("Harbour", day, time, line="N1") == []


def test_what_leaves_now_is_shown():
    assert lines("Museum", "tue", "08:00") == [("3", 0), ("12", 952)]
