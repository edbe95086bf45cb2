"""Read plain text timetables."""

from timetable.clock import Clock
from timetable.days import Calendar
from timetable.network import Network
from timetable.trips import Call, Trip


class ReadError(ValueError):
    """A line that makes no sense; the message begins with its number."""


class Reader:
    """Collects the stops below each `line` heading."""

    def __init__(self):
        self.network = Network()
        self.heading = None
        self.calls = []

    def feed(self, line):
        cleaned = line.strip()
        if cleaned == "" or cleaned.startswith("#"):
            return
        if cleaned.startswith("line "):
            self.finish()
            self.open(cleaned)
        elif self.heading is None:
            raise ReadError("a stop before the first line")
        else:
            self.add_stop(cleaned)

    def open(self, cleaned):
        words = cleaned.split()
        if len(words) < 2 or len(words) > 3:
            raise ReadError("expected: line NAME [DAYS]")
        days = words[2] if len(words) == 3 else "daily"
        self.heading = (words[1], Calendar.parse(days))

    def add_stop(self, cleaned):
        stop, space, time = cleaned.rpartition(" ")
        if space == "":
            raise ReadError("expected: STOP HH:MM")
        self.calls.append(Call(stop.strip(), Clock.parse(time)))

    def finish(self):
        if self.heading is not None:
            name, calendar = self.heading
            self.network.add(Trip(name, calendar, self.calls))
        self.heading = None
        self.calls = []


def read_timetable(text):
    """The network that *text* describes.

    Raises ReadError with the number of the line at fault.
    """
    reader = Reader()
    number = 0
    try:
        for line in text.splitlines():
            number += 1
            reader.feed(line)
        reader.finish()
    except ValueError as error:
        raise ReadError("line " + str(number) + ": " + str(error)) from error
    return reader.network
