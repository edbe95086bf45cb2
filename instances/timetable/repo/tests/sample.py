from timetable import read_timetable

TEXT = """
# the night bus and the tram
line 12 daily
  Harbour 23:40
  Museum 23:52
  Airport 24:10

line 3 weekdays
  Museum 08:00
  Old Town 08:09
  Harbour 08:20

line 4 weekend
  Museum 08:00
  Harbour 08:15

line N1 fri,sat
  Harbour 24:30
  Old Town 24:41
  Airport 25:05
"""


def sample():
    return read_timetable(TEXT)
