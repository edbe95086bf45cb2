"""From an order to an invoice."""

SHIPPING = 490
FREE_SHIPPING_FROM = 5000
BULK_RATES = ((100, 15), (50, 10), (10, 5))
TRADE_RATE = 10


class Invoice:
    """All amounts in cents; `discount` and `shipping` are what was taken off and put on."""

    def __init__(self, order):
        self.order = order
        self.goods = 0
        self.discount = 0
        self.shipping = 0

    @property
    def total(self):
        return self.goods - self.discount + self.shipping

    def add_line(self, line):
        rate = bulk_rate(line.count)
        amount = line.amount()
        self.goods += amount
        if self.order.kind == "trade" and rate < TRADE_RATE:
            rate = TRADE_RATE
        self.discount += percent(amount, rate)
        return rate

    def add_shipping(self):
        if self.goods == 0:
            self.shipping = 0
        elif self.order.kind == "retail" and self.goods < FREE_SHIPPING_FROM:
            self.shipping = SHIPPING
        else:
            self.shipping = 0
        return self.shipping


def percent(amount, rate):
    """*rate* percent of *amount*, rounded half up to whole cents."""
    return (amount * rate + 50) // 100


def bulk_rate(count):
    """Percent off for *count* units of one item: 5 from 10 units, 10 from 50, 15 from 100."""
    best = 0
    for units, rate in BULK_RATES:
        if count > units and rate > best:
            best = rate
    return best


def price_order(order):
    invoice = Invoice(order)
    for line in order.lines:
        invoice.add_line(line)
    invoice.add_shipping()
    return invoice
