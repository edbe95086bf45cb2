"""All trips."""


class Network:
    def __init__(self, trips=()):
        self.trips = list(trips)

    def add(self, trip):
        self.trips.append(trip)
        return trip

    def lines(self):
        names = set()
        for trip in self.trips:
            names.add(trip.line)
        return sorted(names, key=lambda name: (len(name), name))

    def stops(self):
        found = []
        for trip in self.trips:
            for call in trip.calls:
                if call.stop not in found:
                    found.append(call.stop)
        return sorted(found)

    def trips_at(self, stop, line=None):
        """Trips that leave *stop*: those that end there are left out."""
        found = []
        for trip in self.trips:
            if line is not None and trip.line != line:
                continue
            call = trip.call_at(stop)
            if call is not None and call is not trip.calls[-1]:
                found.append(trip)
        return found
