from stockroom import Item, Stock, plan_purchases
from stockroom.reorder import packs_needed


def make_stock():
    return Stock(
        [
            Item("anchor", "Anchor", 200, quantity=4, minimum=10, pack=4),
            Item("bolt", "Bolt", 100, quantity=50, minimum=10),
            Item("clamp", "Clamp", 300, quantity=0, minimum=3, pack=2),
            Item("salt", "Road salt", 50, quantity=1, minimum=5, state="seasonal"),
        ]
    )


def test_packs_needed():
    assert [packs_needed(n, 4) for n in (1, 4, 5, 8)] == [1, 1, 2, 2]


def test_sold_out_items_come_first():
    plan = plan_purchases(make_stock())
    assert [(p.item.code, p.units) for p in plan] == [("clamp", 4), ("anchor", 8)]


def test_seasonal_items():
    plan = plan_purchases(make_stock(), season="on")
    assert [p.item.code for p in plan] == ["clamp", "anchor", "salt"]


def test_cost():
    assert [p.cost() for p in plan_purchases(make_stock())] == [720, 960]


def test_budget():
    plan = plan_purchases(make_stock(), season="on", budget=900)
    assert [p.item.code for p in plan] == ["clamp", "salt"]


def test_discontinued_items_are_not_bought():
    stock = make_stock()
    stock.add(Item("dowel", "Dowel", 10, quantity=0, minimum=5, state="discontinued"))
    for season in ("on", "off"):
        codes = [p.item.code for p in plan_purchases(stock, season=season)]
        assert "dowel" not in codes
        assert codes[:2] == ["clamp", "anchor"]
