"""Keep a small warehouse."""

from stockroom.errors import StockError, UnknownItem
from stockroom.items import Item, Stock
from stockroom.orders import Order, OrderLine
from stockroom.parser import load_stock, parse_line
from stockroom.pricing import Invoice, bulk_rate, price_order
from stockroom.reorder import Purchase, plan_purchases
from stockroom.report import format_cents, invoice_report, stock_report

__all__ = [
    "Invoice",
    "Item",
    "Order",
    "OrderLine",
    "Purchase",
    "Stock",
    "StockError",
    "UnknownItem",
    "bulk_rate",
    "format_cents",
    "invoice_report",
    "load_stock",
    "parse_line",
    "plan_purchases",
    "price_order",
    "stock_report",
]
