"""Find departures."""

from timetable.clock import DAY
from timetable.days import day_before


class Departure:
    """A trip as seen from one stop; `wait` is in minutes."""

    def __init__(self, trip, time, wait):
        self.trip = trip
        self.time = time
        self.wait = wait

    @property
    def line(self):
        return self.trip.line

    @property
    def destination(self):
        return self.trip.destination


def departures(network, stop, day, now, limit=5, line=None, to=None):
    """The next departures from *stop* on *day* at *now*, the soonest first.

    *line* and *to* narrow the search. Trips of the same minute are in order of their line.
    """
    if limit < 1:
        raise ValueError("limit must be at least 1")
    found = []
    for trip in network.trips_at(stop, line):
        if to is not None and not trip.serves(stop, to):
            continue
        departure = leaves(trip, stop, day, now)
        if departure is not None:
            found.append(departure)
    found.sort(key=lambda departure: (departure.wait, len(departure.line), departure.line))
    return found[:limit]


def leaves(trip, stop, day, now):
    """The departure of *trip*, or None when it does not run or has left."""
    call = trip.call_at(stop)
    for service_day, began in service_days(day):
        wait = now.until(call.time) - began
        if trip.calendar.runs_on(service_day) and is_ahead(wait):
            return Departure(trip, call.time, wait)
    return None


def service_days(day):
    """Service days with trips on *day*, and how many minutes before it each began."""
    return ((day, 0),)


def is_ahead(wait):
    """Whether a bus that leaves in *wait* minutes belongs on the board of the next 24 hours."""
    return 0 < wait < DAY


def next_departure(network, stop, day, now, line=None, to=None):
    found = departures(network, stop, day, now, limit=1, line=line, to=to)
    return found[0] if len(found) > 0 else None
