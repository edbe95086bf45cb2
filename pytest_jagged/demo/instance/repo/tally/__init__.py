"""Score ten-pin bowling games."""

from tally.frames import Frame, split_frames
from tally.score import describe, frame_score, total

__all__ = ["Frame", "describe", "frame_score", "split_frames", "total"]
