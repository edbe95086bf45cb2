import pytest

from stockroom import Item, Stock, StockError, UnknownItem


def test_take_gives_what_is_there():
    item = Item("nut", "Nut", 5, quantity=3)
    assert item.take(2) == 2
    assert item.take(2) == 1
    assert item.quantity == 0


def test_take_nothing():
    with pytest.raises(StockError):
        Item("nut", "Nut", 5).take(0)


@pytest.mark.parametrize(
    "numbers", [{"price": -1}, {"price": 1, "quantity": -1}, {"price": 1, "pack": 0}]
)
def test_impossible_numbers(numbers):
    with pytest.raises(StockError):
        Item("nut", "Nut", **numbers)


def test_unknown_state():
    with pytest.raises(StockError, match="unknown state 'lost'"):
        Item("nut", "Nut", 5, state="lost")


def test_stock_is_sorted_and_searched():
    stock = Stock([Item("nut", "Wing nut", 5), Item("bolt", "Bolt M4", 10, quantity=2)])
    assert [item.code for item in stock] == ["bolt", "nut"]
    assert [item.code for item in stock.search("WING")] == ["nut"]
    assert len(stock.search(" ")) == len(stock) == 2
    assert stock.value() == 20


def test_unknown_item():
    with pytest.raises(UnknownItem, match="no item called 'screw'"):
        Stock()["screw"]


def test_item_twice():
    with pytest.raises(StockError, match="twice"):
        Stock([Item("nut", "Nut", 5), Item("nut", "Nut", 6)])
