import pytest

from stockroom import Item, Order, StockError, bulk_rate, price_order
from stockroom.pricing import percent

BOLT = Item("bolt", "Bolt", 100, quantity=500)


@pytest.mark.parametrize(("count", "rate"), [(1, 0), (9, 0), (11, 5), (51, 10), (200, 15)])
def test_bulk_rate(count, rate):
    assert bulk_rate(count) == rate


def test_percent_rounds_half_up():
    assert [percent(amount, 5) for amount in (9, 10, 30)] == [0, 1, 2]


def test_retail_pays_shipping():
    invoice = price_order(Order("Ada").add(BOLT, 3))
    assert (invoice.goods, invoice.discount, invoice.shipping) == (300, 0, 490)
    assert invoice.total == 790


def test_large_orders_ship_free():
    assert price_order(Order("Ada").add(BOLT, 60)).shipping == 0


def test_trade_customers_have_a_rate_of_their_own():
    invoice = price_order(Order("Works", kind="trade").add(BOLT, 2))
    assert (invoice.discount, invoice.shipping) == (20, 0)


def test_empty_order_costs_nothing():
    assert price_order(Order("Ada")).total == 0


def test_lines_of_one_item_are_joined():
    order = Order("Ada").add(BOLT, 2).add(BOLT, 3)
    assert [line.count for line in order.lines] == [5]
    assert order.amount() == 500


def test_missing_units():
    rare = Item("gear", "Gear", 900, quantity=1)
    assert Order("Ada").add(rare, 3).add(BOLT, 1).missing() == {"gear": 2}


def test_bad_orders():
    with pytest.raises(StockError):
        Order("Ada", kind="friend")
    with pytest.raises(StockError):
        Order("Ada").add(BOLT, 0)
