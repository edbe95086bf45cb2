"""Read stock lists: `code; name; price; quantity; minimum; pack; state`."""

from stockroom.errors import StockError
from stockroom.items import Item, Stock

COMMENT = "#"


def parse_cents(text):
    """`12.50` or `12` as cents."""
    whole, dot, fraction = text.strip().partition(".")
    if dot == "":
        fraction = "00"
    if len(fraction) == 1:
        fraction = fraction + "0"
    if len(fraction) != 2 or not whole.isdigit() or not fraction.isdigit():
        raise StockError("not a price: " + repr(text))
    return int(whole) * 100 + int(fraction)


def parse_count(text, default):
    cleaned = text.strip()
    if cleaned == "":
        return default
    if not cleaned.isdigit():
        raise StockError("not a number: " + repr(text))
    return int(cleaned)


def parse_line(line):
    """One item, or None for a comment or an empty line."""
    cleaned = line.strip()
    if cleaned == "" or cleaned.startswith(COMMENT):
        return None
    fields = [field.strip() for field in cleaned.split(";")]
    if len(fields) < 3 or len(fields) > 7:
        raise StockError("3 to 7 fields expected: " + repr(line))
    while len(fields) < 7:
        fields.append("")
    code, name, price, quantity, minimum, pack, state = fields
    return Item(
        code,
        name if name != "" else code,
        parse_cents(price),
        quantity=parse_count(quantity, 0),
        minimum=parse_count(minimum, 0),
        pack=parse_count(pack, 1),
        state=state if state != "" else "active",
    )


def load_stock(lines):
    stock = Stock()
    number = 0
    for line in lines:
        number += 1
        try:
            item = parse_line(line)
        except StockError as error:
            raise StockError("line " + str(number) + ": " + str(error)) from error
        if item is not None:
            stock.add(item)
    return stock
