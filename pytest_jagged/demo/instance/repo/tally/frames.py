"""Cut a flat list of rolls into frames."""

PINS = 10
FRAMES = 10


class Frame:
    """One frame: its number, its own rolls and where it starts in the game."""

    def __init__(self, number, start, rolls):
        self.number = number
        self.start = start
        self.rolls = rolls

    @property
    def is_last(self):
        return self.number == FRAMES

    @property
    def is_strike(self):
        return len(self.rolls) > 0 and self.rolls[0] == PINS

    @property
    def is_spare(self):
        if self.is_strike:
            return False
        return sum(self.rolls[:2]) == PINS

    def state(self):
        if self.is_last:
            wanted = 3 if self.is_strike or self.is_spare else 2
        else:
            wanted = 1 if self.is_strike else 2
        if len(self.rolls) < wanted:
            return "incomplete"
        return "complete"


def split_frames(rolls):
    frames = []
    position = 0
    for number in range(1, FRAMES + 1):
        if position >= len(rolls):
            break
        if number == FRAMES:
            own = rolls[position:]
        elif rolls[position] == PINS:
            own = rolls[position : position + 1]
        else:
            own = rolls[position : position + 2]
        frames.append(Frame(number, position, own))
        position += len(own)
    return frames
