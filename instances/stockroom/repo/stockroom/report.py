"""Plain text for people."""

WIDTH = 40


def format_cents(amount):
    sign = "-" if amount < 0 else ""
    whole, cents = divmod(abs(amount), 100)
    return sign + str(whole) + "." + str(cents).rjust(2, "0")


def columns(left, right):
    space = WIDTH - len(left) - len(right)
    if space < 1:
        left = left[: WIDTH - len(right) - 2] + "~"
        space = 1
    return left + " " * space + right


def stock_report(stock, only_short=False):
    """One line per item with its state and a mark for what is short or sold out."""
    lines = []
    for item in stock:
        if only_short and not item.is_short():
            continue
        mark = ""
        if item.quantity == 0:
            mark = " sold out"
        elif item.is_short():
            mark = " short"
        label = item.name if item.state == "active" else item.name + " (" + item.state + ")"
        lines.append(columns(label, str(item.quantity) + mark))
    lines.append(columns("value", format_cents(stock.value())))
    return "\n".join(lines)


def invoice_report(invoice):
    lines = ["Invoice for " + invoice.order.customer]
    for line in invoice.order.lines:
        label = str(line.count) + " x " + line.item.name
        lines.append(columns(label, format_cents(line.amount())))
    if invoice.discount > 0:
        lines.append(columns("discount", format_cents(-invoice.discount)))
    if invoice.shipping == 0:
        lines.append(columns("shipping", "free"))
    else:
        lines.append(columns("shipping", format_cents(invoice.shipping)))
    lines.append(columns("total", format_cents(invoice.total)))
    return "\n".join(lines)
