import pytest

from timetable import Calendar, Call, Clock, ReadError, TimeError, Trip, read_timetable

from tests.sample import sample


def test_lines_and_stops():
    network = sample()
    assert network.lines() == ["3", "4", "12", "N1"]
    assert network.stops() == ["Airport", "Harbour", "Museum", "Old Town"]


def test_trips_that_end_at_a_stop_do_not_leave_it():
    assert [trip.line for trip in sample().trips_at("harbour")] == ["12", "N1"]
    assert sample().trips_at("airport") == []


def test_serves():
    trip = sample().trips[0]
    assert trip.serves("Harbour", "airport")
    assert not trip.serves("Airport", "Harbour")
    assert trip.minutes("Harbour", "Airport") == 30


def test_trip_goes_forward_in_time():
    calls = [Call("A", Clock(10)), Call("B", Clock(9))]
    with pytest.raises(TimeError, match="line 1 reaches B too early"):
        Trip("1", Calendar.parse("daily"), calls)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Harbour 10:00", "line 1: a stop before the first line"),
        ("line 1\nHarbour", "line 2: expected: STOP HH:MM"),
        ("line 1 daily extra words", "line 1: expected: line NAME"),
        ("line 1\nHarbour 10:00", "line 2: a trip has at least 2 stops"),
        ("line 1 someday", "line 1: no such day"),
    ],
)
def test_errors_name_the_line(text, message):
    with pytest.raises(ReadError, match=message):
        read_timetable(text)
