"""Answer when the next bus leaves."""

from timetable.clock import Clock, TimeError
from timetable.days import Calendar, DayError
from timetable.network import Network
from timetable.reader import ReadError, read_timetable
from timetable.render import board, duration_text
from timetable.search import Departure, departures, next_departure
from timetable.trips import Call, Trip

__all__ = [
    "Calendar",
    "Call",
    "Clock",
    "DayError",
    "Departure",
    "Network",
    "ReadError",
    "TimeError",
    "Trip",
    "board",
    "departures",
    "duration_text",
    "next_departure",
    "read_timetable",
]
