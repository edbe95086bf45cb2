"""What to buy, so that every shelf is filled to its minimum again."""


class Purchase:
    def __init__(self, item, packs):
        self.item = item
        self.packs = packs

    @property
    def units(self):
        return self.packs * self.item.pack

    def cost(self):
        """Purchase prices are 60 percent of ours."""
        return self.units * self.item.price * 60 // 100


def packs_needed(missing, pack):
    """Whole packs that hold at least *missing* units."""
    packs = missing // pack
    if missing % pack != 0:
        packs += 1
    return packs


def plan_purchases(stock, season="off", budget=None):
    """Purchases for all short items; items that are sold out come first.

    Seasonal items are bought while the season is "on". With a *budget* in cents, purchases that no
    longer fit are left out.
    """
    candidates = []
    for item in stock:
        if not item.is_short():
            continue
        if item.state == "seasonal" and season != "on":
            continue
        packs = packs_needed(item.minimum - item.quantity, item.pack)
        candidates.append(Purchase(item, packs))
    candidates.sort(key=lambda purchase: purchase.item.quantity > 0)
    return fit_budget(candidates, budget) if budget is not None else candidates


def fit_budget(purchases, budget):
    chosen = []
    left = budget
    for purchase in purchases:
        cost = purchase.cost()
        if cost <= left:
            chosen.append(purchase)
            left -= cost
    return chosen
