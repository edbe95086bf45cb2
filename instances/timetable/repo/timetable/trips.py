"""One run of a bus along its stops."""

from timetable.clock import TimeError


class Call:
    """A stop and the time at which the bus leaves it."""

    def __init__(self, stop, time):
        self.stop = stop
        self.time = time


class Trip:
    def __init__(self, line, calendar, calls):
        if len(calls) < 2:
            raise TimeError("a trip has at least 2 stops: line " + line)
        for before, after in zip(calls, calls[1:]):
            if after.time < before.time:
                raise TimeError("line " + line + " reaches " + after.stop + " too early")
        self.line = line
        self.calendar = calendar
        self.calls = tuple(calls)

    @property
    def destination(self):
        return self.calls[-1].stop

    def call_at(self, stop):
        """The call at *stop*, or None; the name may be written in any case."""
        wanted = stop.strip().lower()
        for call in self.calls:
            if call.stop.lower() == wanted:
                return call
        return None

    def serves(self, start, end):
        """Whether one can ride from *start* to *end* without going backwards."""
        first = self.call_at(start)
        last = self.call_at(end)
        if first is None or last is None:
            return False
        return self.calls.index(first) < self.calls.index(last)

    def minutes(self, start, end):
        if not self.serves(start, end):
            raise TimeError("line " + self.line + " does not go from " + start + " to " + end)
        return self.call_at(start).time.until(self.call_at(end).time)
