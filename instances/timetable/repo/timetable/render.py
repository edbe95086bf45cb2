"""Departure boards as text."""

WIDTH = 32


def duration_text(minutes):
    """`now`, `5 min` or `1 h 05`."""
    if minutes == 0:
        return "now"
    if minutes < 60:
        return str(minutes) + " min"
    hours, rest = divmod(minutes, 60)
    return str(hours) + " h " + str(rest).rjust(2, "0")


def board_line(departure):
    label = departure.line.rjust(3) + " " + departure.destination
    wait = departure.wait
    text = str(departure.time) if wait > 30 else duration_text(wait)
    room = WIDTH - len(text) - 1
    if len(label) > room:
        label = label[: room - 1] + "."
    return label.ljust(room) + " " + text


def board(stop, found):
    """The board of *stop*: a title and one line per departure."""
    lines = [stop.upper().center(WIDTH).rstrip()]
    if len(found) == 0:
        lines.append("no more departures")
    for departure in found:
        lines.append(board_line(departure))
    return "\n".join(lines)
