"""Times of a service day, which may go on after midnight."""

DAY = 24 * 60


class TimeError(ValueError):
    """A text that is no time, or a time that no service day has."""


class Clock:
    """Minutes since the start of the service day, below 48 hours."""

    def __init__(self, minutes):
        if minutes < 0 or minutes >= 2 * DAY:
            raise TimeError("outside the service day: " + str(minutes))
        self.minutes = minutes

    @classmethod
    def parse(cls, text):
        hours, colon, minutes = text.strip().partition(":")
        if colon == "" or not hours.isdigit() or not minutes.isdigit():
            raise TimeError("not a time: " + repr(text))
        if len(minutes) != 2 or int(minutes) > 59:
            raise TimeError("not a time: " + repr(text))
        return cls(int(hours) * 60 + int(minutes))

    def __eq__(self, other):
        return isinstance(other, Clock) and self.minutes == other.minutes

    def __lt__(self, other):
        return self.minutes < other.minutes

    def __hash__(self):
        return hash(self.minutes)

    def __repr__(self):
        return "Clock(" + str(self) + ")"

    def __str__(self):
        """As on a station clock: 24:10 shows as 00:10."""
        hours, minutes = divmod(self.minutes, 60)
        if hours >= 24:
            hours = hours - 24
        return str(hours).rjust(2, "0") + ":" + str(minutes).rjust(2, "0")

    @property
    def is_next_day(self):
        return self.minutes >= DAY

    def until(self, other):
        """Minutes from this time to *other*; negative if that has passed."""
        return other.minutes - self.minutes

    def later(self, minutes):
        return Clock(self.minutes + minutes)
