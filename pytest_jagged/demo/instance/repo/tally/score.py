"""Add up the pins of a game."""

from tally.frames import FRAMES, PINS, split_frames


def own_pins(frame):
    """What the rolls of the frame itself felled."""
    return sum(frame.rolls[:2])


def frame_score(frame, rolls):
    """Points of one frame with its bonus; the bonus of rolls not yet made is 0."""
    points = own_pins(frame)
    following = frame.start + len(frame.rolls)
    if frame.is_strike and not frame.is_last:
        bonus = rolls[following : following + 2]
        points += sum(bonus)
    elif frame.is_spare and len(rolls) > following:
        points += rolls[following]
    return points


def total(rolls):
    if any(pins < 0 or pins > PINS for pins in rolls):
        raise ValueError("a roll fells between 0 and 10 pins")
    points = 0
    for frame in split_frames(rolls):
        points += frame_score(frame, rolls)
    return points


def describe(rolls):
    """One line for a score board."""
    frames = split_frames(rolls)
    if len(frames) == 0:
        return "not started"
    last = frames[-1]
    if last.state() == "incomplete" or len(frames) < FRAMES:
        return "incomplete: " + str(total(rolls)) + " so far"
    return "final: " + str(total(rolls))
