"""On which days a trip runs."""

NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
GROUPS = {
    "daily": NAMES,
    "weekdays": NAMES[:5],
    "weekend": NAMES[5:],
}


class DayError(ValueError):
    """A word that names no day."""


def day_number(name):
    cleaned = name.strip().lower()[:3]
    if cleaned not in NAMES:
        raise DayError("no such day: " + repr(name))
    return NAMES.index(cleaned)


def day_before(name):
    number = day_number(name)
    return NAMES[number - 1] if number > 0 else NAMES[-1]


class Calendar:
    """A set of days, written `daily`, `weekdays`, `weekend`, `mon,wed` or `mon-fri`."""

    def __init__(self, days):
        self.days = tuple(name for name in NAMES if name in days)
        if len(self.days) == 0:
            raise DayError("a trip runs on at least one day")

    @classmethod
    def parse(cls, text):
        days = []
        for part in text.split(","):
            word = part.strip().lower()
            if word in GROUPS:
                days.extend(GROUPS[word])
            elif "-" in word:
                first, _, last = word.partition("-")
                days.extend(cls.span(first, last))
            else:
                days.append(NAMES[day_number(word)])
        return cls(days)

    @staticmethod
    def span(first, last):
        """All days from *first* to *last*, also over the weekend: `sat-mon`."""
        number = day_number(first)
        end = day_number(last)
        days = [NAMES[number]]
        while number != end:
            number = number + 1 if number < 6 else 0
            days.append(NAMES[number])
        return days

    def runs_on(self, day):
        return NAMES[day_number(day)] in self.days

    def __str__(self):
        for word, days in GROUPS.items():
            if self.days == tuple(days):
                return word
        return ",".join(self.days)
