"""Items and the stock they form."""

from stockroom.errors import StockError, UnknownItem

STATES = ("active", "seasonal", "discontinued")


class Item:
    """One kind of thing on the shelves; `price` is in cents for one unit."""

    def __init__(self, code, name, price, quantity=0, minimum=0, pack=1, state="active"):
        if price < 0 or quantity < 0 or minimum < 0:
            raise StockError("negative number for " + code)
        if pack < 1:
            raise StockError("a pack holds at least 1 unit: " + code)
        if state not in STATES:
            raise StockError("unknown state " + repr(state) + " for " + code)
        self.code = code
        self.name = name
        self.price = price
        self.quantity = quantity
        self.minimum = minimum
        self.pack = pack
        self.state = state

    def is_short(self):
        """Whether the shelf holds less than the minimum."""
        return self.quantity < self.minimum

    def value(self):
        return self.price * self.quantity

    def take(self, count):
        """Take units from the shelf and return how many were there to take."""
        if count <= 0:
            raise StockError("take at least 1 unit")
        taken = count if count <= self.quantity else self.quantity
        self.quantity = self.quantity - taken
        return taken


class Stock:
    """All items by code."""

    def __init__(self, items=()):
        self._items = {}
        for item in items:
            self.add(item)

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return iter(sorted(self._items.values(), key=lambda item: item.code))

    def __getitem__(self, code):
        if code not in self._items:
            raise UnknownItem(code)
        return self._items[code]

    def add(self, item):
        if item.code in self._items:
            raise StockError("item listed twice: " + item.code)
        self._items[item.code] = item
        return item

    def value(self):
        total = 0
        for item in self:
            total += item.value()
        return total

    def search(self, text):
        """Items whose code or name contains *text*, whatever its case."""
        wanted = text.strip().lower()
        found = []
        for item in self:
            if wanted == "" or wanted in item.code.lower() or wanted in item.name.lower():
                found.append(item)
        return found
