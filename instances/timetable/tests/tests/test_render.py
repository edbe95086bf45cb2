import pytest

from timetable import Clock, board, departures, duration_text

from tests.sample import sample


@pytest.mark.parametrize(
    ("minutes", "text"), [(0, "now"), (5, "5 min"), (59, "59 min"), (60, "1 h 00"), (125, "2 h 05")]
)
def test_duration_text(minutes, text):
    assert duration_text(minutes) == text


def test_board():
    found = departures(sample(), "Museum", "mon", Clock.parse("07:45"))
    assert board("Museum", found).splitlines() == [
        "             MUSEUM",
        "  3 Harbour               15 min",
        " 12 Airport                23:52",
    ]


def test_empty_board():
    assert board("Pier", []).splitlines()[1] == "no more departures"


def test_board_says_now():
    found = departures(sample(), "Museum", "sat", Clock.parse("08:00"), limit=1)
    assert board("Museum", found).splitlines()[1] == "  4 Harbour                  now"
