"""What a customer wants."""

from stockroom.errors import StockError


class OrderLine:
    def __init__(self, item, count):
        self.item = item
        self.count = count

    def amount(self):
        return self.item.price * self.count


class Order:
    """Lines in the order they were added; the same item twice makes one line."""

    def __init__(self, customer, kind="retail"):
        if kind not in ("retail", "trade"):
            raise StockError("unknown kind of customer: " + kind)
        self.customer = customer
        self.kind = kind
        self.lines = []

    def add(self, item, count=1):
        if count <= 0:
            raise StockError("order at least 1 unit")
        for line in self.lines:
            if line.item.code == item.code:
                line.count += count
                return self
        self.lines.append(OrderLine(item, count))
        return self

    def amount(self):
        total = 0
        for line in self.lines:
            total += line.amount()
        return total

    def missing(self):
        """Codes and counts that the shelves cannot serve."""
        short = {}
        for line in self.lines:
            if line.count > line.item.quantity:
                short[line.item.code] = line.count - line.item.quantity
        return short
