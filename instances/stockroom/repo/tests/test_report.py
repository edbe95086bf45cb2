from stockroom import (
    Item,
    Order,
    Stock,
    format_cents,
    invoice_report,
    price_order,
    stock_report,
)


def test_format_cents():
    assert [format_cents(n) for n in (0, 5, 1250, -99)] == ["0.00", "0.05", "12.50", "-0.99"]


def test_stock_report():
    stock = Stock(
        [
            Item("bolt", "Bolt", 100, quantity=5),
            Item("clamp", "Clamp", 300, minimum=3),
            Item("salt", "Road salt", 50, quantity=1, minimum=5, state="seasonal"),
        ]
    )
    assert stock_report(stock).splitlines() == [
        "Bolt                                   5",
        "Clamp                         0 sold out",
        "Road salt (seasonal)             1 short",
        "value                               5.50",
    ]
    assert "Bolt" not in stock_report(stock, only_short=True)


def test_long_names_are_cut():
    stock = Stock([Item("x", "A name that goes on and on for ever and ever", 1)])
    first = stock_report(stock).splitlines()[0]
    assert len(first) == 40
    assert "~ 0 sold out" in first


def test_invoice_report():
    invoice = price_order(Order("Ada").add(Item("bolt", "Bolt", 100), 20))
    assert invoice_report(invoice).splitlines() == [
        "Invoice for Ada",
        "20 x Bolt                          20.00",
        "discount                           -1.00",
        "shipping                            4.90",
        "total                              23.90",
    ]
