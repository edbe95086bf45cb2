import pytest

from stockroom import StockError, load_stock, parse_line
from stockroom.parser import parse_cents


@pytest.mark.parametrize(
    ("text", "cents"), [("12", 1200), ("12.5", 1250), ("0.05", 5), (" 3.00 ", 300)]
)
def test_prices(text, cents):
    assert parse_cents(text) == cents


@pytest.mark.parametrize("text", ["", "1,50", "1.005", "-3", "1.x0"])
def test_bad_prices(text):
    with pytest.raises(StockError, match="not a price"):
        parse_cents(text)


def test_full_line():
    item = parse_line("nut; Wing nut; 0.05; 7; 10; 20; seasonal\n")
    assert (item.name, item.price, item.quantity) == ("Wing nut", 5, 7)
    assert (item.minimum, item.pack, item.state) == (10, 20, "seasonal")


def test_short_line_has_defaults():
    item = parse_line("nut;;0.05")
    assert (item.name, item.quantity, item.pack, item.state) == ("nut", 0, 1, "active")


@pytest.mark.parametrize("line", ["", "   ", "# nut; Nut; 1"])
def test_no_item(line):
    assert parse_line(line) is None


def test_error_names_the_line():
    with pytest.raises(StockError, match="line 2: not a number: 'many'"):
        load_stock(["nut;Nut;1", "bolt;Bolt;1;many"])
