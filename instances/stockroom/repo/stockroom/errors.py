"""What can go wrong."""


class StockError(Exception):
    """A stock list or an order that makes no sense."""


class UnknownItem(StockError):
    """An item that is not in the stock list."""

    def __init__(self, code):
        super().__init__("no item called " + repr(code))
        self.code = code
