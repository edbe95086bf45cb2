import pytest

from tally import describe, split_frames, total


@pytest.mark.parametrize(
    ("rolls", "points"),
    [
        ([], 0),
        ([0] * 20, 0),
        ([1] * 20, 20),
        ([5, 5, 3] + [0] * 17, 16),
        ([10, 3, 4] + [0] * 16, 24),
        ([10, 10, 2, 3] + [0] * 14, 42),
    ],
)
def test_total(rolls, points):
    assert total(rolls) == points


def test_impossible_roll():
    with pytest.raises(ValueError, match="between 0 and 10"):
        total([11])


def test_frames_are_split_at_strikes():
    assert [frame.start for frame in split_frames([10, 3, 4, 10, 1])] == [0, 1, 3, 4]


def test_describe():
    assert describe([]) == "not started"
    assert describe([1, 2]) == "incomplete: 3 so far"
    assert describe([1] * 20) == "final: 20"
