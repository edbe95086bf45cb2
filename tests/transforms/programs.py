"""Programs that print what they compute; every SPT must leave their output as it is."""

from __future__ import annotations

import textwrap

__all__ = ["PROGRAMS"]

_SOURCES = {
    "branches": '''
        import sys

        class Loud:
            """Says when it is asked, and is compared by its own methods."""

            def __init__(self, name, truth=True):
                self.name = name
                self.truth = truth

            def __bool__(self):
                print("bool", self.name)
                return self.truth

            def __lt__(self, other):
                print("lt", self.name, other)
                return self.truth

            def __gt__(self, other):
                print("gt", self.name, other)
                return not self.truth

            def __le__(self, other):
                return ("le", self.name, other)

            def __ge__(self, other):
                return ("ge", self.name, other)

        def choose(a, b, c):
            if a and b and c:
                found = "all"
            else:
                found = "some missing"
            if a:  # first
                found += " first"
            elif b and (d := c):
                found += f" second {d=}"
            # neither of them
            else:
                found += " neither"
            return found if a else ("short" if b else found.upper())

        for a in (Loud("a"), Loud("b", False)):
            for b in (Loud("c"), Loud("d", False)):
                for c in (Loud("e"), Loud("f", False)):
                    print(choose(a, b, c))
        print(Loud("x") < 3, 3 < Loud("x"), Loud("y", False) >= 3, 3 >= Loud("y"))
        print(sys.version_info >= (3, 6), (2, 7) > sys.version_info)
        print([x for x in range(9) if x > 3 if not x >= 7])
        it = iter([1, 2])
        print(next(it) < next(it), (n := 3) < 4, n)
    ''',
    "loops": """
        def pairs(rows):
            for row in rows:
                for cell in row:
                    if cell:
                        break
                else:
                    break
            else:
                return "all rows ok"
            return "bad row"

        def count(limit):
            steps, out = 0, []
            while steps < limit:
                steps += 1
                if steps == 2:
                    continue
                if steps == 7:
                    break
                out.append(steps)
            return out, steps

        def generator(log):
            try:
                for item in range(5):
                    got = yield item
                    if got:
                        log.append(got)
            finally:
                log.append("closed")

        def closing():
            log = []
            for number in generator(log):
                if number > 1:
                    break
            return list(log)

        def targets():
            slots, where = [0, 0], iter([0])
            for slots[next(where)] in "ab":
                pass
            return slots

        print(pairs([[1], [0]]), pairs([[1], [2]]), pairs([]))
        print(count(0), count(3), count(9))
        print(closing())
        try:
            print(targets())
        except BaseException as error:
            print(type(error).__name__)
        for index, (left, right) in enumerate(zip("abc", "xyz")):
            print(index, left, right)
        total = 0
        while total < 10: total += 3
        print(total)
        for letter in "ab", "cd":
            print(letter)
    """,
    "exceptions": """
        import traceback

        def fails(kind):
            try:
                if kind == "key":
                    return {}["missing"]
                elif kind == "value":
                    raise ValueError("what a value")
                else:
                    return "fine"
            except KeyError as error:
                print("caught", error)
                raise LookupError("looked up") from error
            except ValueError:
                print("value")
                raise
            finally:
                print("finally", kind)

        for kind in ("key", "value", "other"):
            try:
                print(fails(kind))
            except Exception as error:
                print(type(error).__name__, error, repr(error.__cause__), repr(error.__context__))

        class Guard:
            def __enter__(self):
                print("enter")
                return self

            def __exit__(self, *details):
                print("exit", details[0])
                return details[0] is KeyError

        def guarded(key):
            with Guard() as guard, Guard():
                value = {"a": 1}[key]
                text = "value is " + str(value)
                size = len(text)
                print(size)
                return text

        print(guarded("a"), guarded("b"))

        def nested():
            try:
                try:
                    raise KeyError("inner")
                except KeyError:
                    raise
            except KeyError as error:
                names = [entry.name for entry in traceback.extract_tb(error.__traceback__)]
                return len(names) > 0, str(error)

        print(nested())
    """,
    "scopes": """
        result = 41
        value = "outer value"

        def outer():
            def inner():
                return result + 1
            return inner()

        def declared(flag):
            global counter
            if flag:
                counter = 1
            else:
                counter = 2
            return counter

        def enclosing():
            state = 0
            def step():
                nonlocal state
                state += 1
                return state
            step()
            total = 1 + 1
            def defaulted(start=total):
                total = start + 1
                return total
            return step(), defaulted(), [state * k for k in range(3)]

        def hidden():
            value = 10 + 1
            class Inner:
                value = 2
                def get(self):
                    return value
            return Inner().get(), Inner.value

        def shown(p, q):
            total = p + q
            width = 3
            return f"{total=} {width!r:>4} {'yes' if total > 3 else 'no'}"

        def listed(flag):
            if flag:
                alpha = beta = 1
            else:
                beta = alpha = 2
            return list(locals())

        def directory():
            one = 1
            return dir()

        print(outer(), declared(True), declared(False), counter, enclosing(), hidden())
        print(shown(1, 3), listed(True), directory())
        print(sorted(name for name in globals() if name.startswith("v")))
    """,
    "classes": '''
        import dataclasses
        import enum

        class Missing(Exception): "raised when a record is absent"

        class Colour(enum.Enum):
            """Colours of things."""

            RED = "the red one"
            GREEN = "the green one"
            BLUE = "the blue one"
            GREY = "the grey one"

            @property
            def short(self):
                """The first letters."""
                return self.value[:7]

        @dataclasses.dataclass
        class Point:
            x: int = 1
            y: "int" = 2
            name: str = "a point"

            def far(self, other: "Point") -> bool:
                """Whether it is far."""
                dx = self.x - other.x
                dy = self.y - other.y
                distance = dx * dx + dy * dy
                label = "far away" if distance > 9 else "near by"
                print(label)
                return distance > 9

        class Slotted:
            __slots__ = ("left", "right")

            def __init__(self):
                self.left = "left side"
                self.right = "right side"

        class Base:
            def save(self):
                return "saved"

        class Child(Base):
            label = "child"

            if label:
                def run(self):
                    return "ran"
            else:
                walk = None

        class Meta(type):
            def __new__(mcs, name, bases, namespace):
                print(name, [key for key in namespace if not key.startswith("__")])
                return super().__new__(mcs, name, bases, namespace)

        class Registered(metaclass=Meta):
            first = 1
            second = 2

            def third(self):
                return 3

        print(Missing.__doc__, Colour.__doc__, list(Colour), Colour.RED.short)
        print(Point(), Point().far(Point(9, 9)), Point.far.__doc__, Point.__annotations__)
        print(Slotted().left, Child().save(), Child().run(), hasattr(Child, "walk"))
        print([name for name in dir(Child) if not name.startswith("_")])
    ''',
    "strings": r'''
        """Module documentation."""

        __version__ = "1.2.3"
        SEP = "a\x001b"
        ESCAPES = ["tab\there", "quote\"s", 'it\'s', "\N{BULLET}\u20ac5", "\101\1012", "a\
            b continued", "back\\slash"]
        JOINED = "implicit " "concatenation" 'too'
        RAW, BYTES, LONG = r"raw\d+text", b"bytes", """three
            lines "of" text
        """

        def documented():
            "one line of documentation"
            text = "some text"
            return "%s and %d" % (text, 3), "-".join(["left", "right"]), text is "some" + " text"

        def matched(subject):
            match subject:
                case "literal":
                    return "was literal"
                case {"key": "value", **rest}:
                    return "mapping", rest
                case [first, *_] if first > 3:
                    return "big one"
                case _:
                    return "other thing" if subject else "empty thing"

        print(__doc__, SEP.encode(), ESCAPES, JOINED, RAW, BYTES, LONG)
        print(documented(), documented.__doc__)
        print(matched("literal"), matched({"key": "value", "b": 1}), matched([4]), matched([]))
        print(f"{'nested text'!r} {{braces}} {SEP!r:>10}", {"key one": 1}["key one"])
    ''',
    "coroutines": """
        import asyncio

        async def fetch(delay):
            await asyncio.sleep(0)
            if delay > 1:
                return "slow answer"
            else:
                return "quick answer"

        class Source:
            def __aiter__(self):
                self.left = 3
                return self

            async def __anext__(self):
                if self.left > 0:
                    self.left -= 1
                    return await fetch(self.left)
                raise StopAsyncIteration

        async def main():
            out = []
            async for answer in Source():
                out.append(answer)
            names = [answer async for answer in Source() if answer]
            while len(out) < 5:
                out.append(await fetch(len(out)))
            return out, names

        def delegating():
            got = yield from inner()
            print("got", got)

        def inner():
            received = yield 1
            while received:
                received = yield received * 2
            return "inner is done"

        print(asyncio.run(main()))
        generator = delegating()
        print(next(generator), generator.send(5), generator.send(0) if False else list(generator))
    """,
    "arithmetic": """
        class Odd:
            def __init__(self, name):
                self.name = name

            def __add__(self, other):
                print("add", self.name, other)
                return self

            def __radd__(self, other):
                print("radd", self.name, other)
                return self

            def __mul__(self, other):
                print("mul", self.name)
                return 7

        def loud(x):
            print("loud", x)
            return x

        def sums(a, b):
            first = 7 // 2 * 2 + 10 % 3 * 4
            second = 0.1 + 0.2 + 0.3
            third = loud(a) + loud(b) * 2
            fourth = 3 * 4 + len("text") * 2 & 12 | 1 ^ 5
            return first, second, third, fourth

        def kinds():
            left, right = frozenset([1]), {True}
            union = left | right
            text = "a" + "b" * 3
            listed = [1] + [2] * 2
            return union, type(union).__name__, text, listed, 2 * 3.5, 1 + 2j

        print(sums(1, 2), kinds())
        print((Odd("o") + 1).name, (1 + Odd("p")).name, Odd("q") * 2)
        try:
            print(int("x") + int("y"))
        except ValueError as error:
            print(error)
    """,
    "warnings": """
        import warnings

        def old(flag, other):
            if flag and other:
                return 1
            else:
                warnings.warn("this is old")
                return 2

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            print(old(True, False), old(False, True), old(True, True))
            step = 0
            while step < 3:
                step += 1
                old(False, False)
        print(len(caught))
    """,
    "reflection": """
        import inspect
        import sys
        from inspect import currentframe

        def names():
            first = 1
            second = "some text"
            if first and second:
                third = 3
            return sorted(locals())

        def frame():
            alpha = 1
            return sorted(currentframe().f_locals)

        def evaluated(limit):
            total = 5
            return eval("total + limit"), sorted(vars())

        def caller():
            inside = 1
            return sorted(sys._getframe(0).f_locals)

        def looped(items):
            last = None
            for item in items:
                last = item
            return sorted(locals()), last

        def parameters(a, b=1, *rest, key=None, **more):
            return a if a else b

        print(names(), frame(), evaluated(2), caller(), looped("abc"))
        print(inspect.signature(parameters))
    """,
}

PROGRAMS = {name: textwrap.dedent(source).lstrip("\n") for name, source in _SOURCES.items()}
