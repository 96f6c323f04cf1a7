"""generate: random valid cron expressions, aimed at a local moment so that many of them really fire near it.

`aim` is a datetime: the fields are drawn so that its hour, day and month are often, not always, among the values.
"""

from plan import MONTHS, WEEKDAYS, YEAR_LAST


def any_case(rng, name):
    return rng.choice((name, name.lower(), name.capitalize()))


def near(rng, value, spread, low, high):
    """A value of low..high, mostly within `spread` of `value`."""
    if rng.random() < 0.15:
        return rng.randint(low, high)
    return min(high, max(low, value + rng.randint(-spread, spread)))


def pair(rng, value, spread, low, high):
    """Two values in order, mostly around `value`."""
    first, last = near(rng, value, spread, low, high), near(rng, value, spread * 2, low, high)
    return min(first, last), max(first, last)


def step(rng, span):
    """Small steps, steps as long as the field, and now and then one longer than it."""
    return rng.choice((1, 2, 3, 5, 7, 10, 15, 20, 30, span // 2, span, span + 1, 99))


# ---- Unix


def unix_item(rng, value, spread, low, high):
    kind = rng.random()
    if kind < 0.5:
        return str(near(rng, value, spread, low, high))
    first, last = pair(rng, value, spread, low, high)
    if kind < 0.75:
        return f"{first}-{last}"
    return f"{first}-{last}/{step(rng, high - low)}"


def unix_field(rng, value, spread, low, high, star=0.25):
    kind = rng.random()
    if kind < star:
        return "*"
    if kind < star + 0.15:
        return f"*/{step(rng, high - low)}"
    items = [unix_item(rng, value, spread, low, high) for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5)))]
    if rng.random() < 0.03:
        items.insert(rng.randrange(len(items) + 1), "*")
    return ",".join(items)


def unix_month(rng, aim):
    kind = rng.random()
    if kind < 0.7:
        return "*"
    if kind < 0.85:
        return unix_field(rng, aim.month, 1, 1, 12, 0.0)
    first, last = pair(rng, aim.month, 1, 1, 12)
    names = any_case(rng, MONTHS[first - 1]), any_case(rng, MONTHS[last - 1])
    return rng.choice((names[0], "-".join(names), f"{names[0]}-{last}", f"{first}-{names[1]}/2", ",".join(names)))


def unix_weekday(rng, aim):
    kind = rng.random()
    if kind < 0.6:
        return "*"
    today = aim.isoweekday() % 7
    if kind < 0.8:
        return unix_field(rng, today, 2, 0, 7, 0.0)
    first, last = pair(rng, today, 1, 0, 6)
    names = any_case(rng, WEEKDAYS[first]), any_case(rng, WEEKDAYS[last])
    return rng.choice((names[0], "-".join(names), f"{first}-{names[1]}", f"{names[0]}-7", ",".join(names)))


def unix(rng, aim):
    minute = unix_field(rng, rng.choice((0, 15, 30, 45, aim.minute)), 5, 0, 59)
    hour = unix_field(rng, aim.hour, 1, 0, 23)
    dom = "*" if rng.random() < 0.6 else unix_field(rng, aim.day, 1, 1, 31, 0.0)
    fields = minute, hour, dom, unix_month(rng, aim), unix_weekday(rng, aim)
    return rng.choice((" ", " ", " ", "\t", "  ")).join(fields)


# ---- Quartz


def quartz_item(rng, value, spread, low, high):
    kind = rng.random()
    if kind < 0.45:
        return str(near(rng, value, spread, low, high))
    first, last = pair(rng, value, spread, low, high)
    if kind < 0.55:
        return f"{last}-{first}"  # over the end of the field and on from its beginning, unless they are equal
    if kind < 0.7:
        return f"{first}-{last}"
    if kind < 0.85:
        return f"{first}-{last}/{quartz_step(rng, high)}"
    return f"{first}/{quartz_step(rng, high)}"


def quartz_step(rng, high):
    return rng.choice([value for value in (1, 2, 3, 5, 7, 10, 15, 20, 30) if value <= high])


def quartz_field(rng, value, spread, low, high, star=0.25):
    kind = rng.random()
    if kind < star:
        return "*"
    if kind < star + 0.15:
        return f"*/{quartz_step(rng, high)}"
    return ",".join(quartz_item(rng, value, spread, low, high) for _ in range(rng.choice((1, 1, 1, 2, 3))))


def quartz_second(rng):
    if rng.random() < 0.6:
        return rng.choice(("0", "0", "0", "30", "59"))
    return quartz_field(rng, 30, 30, 0, 59, 0.1)


def quartz_month(rng, aim):
    kind = rng.random()
    if kind < 0.7:
        return "*"
    if kind < 0.85:
        return quartz_field(rng, aim.month, 1, 1, 12, 0.0)
    first, last = rng.choice((pair(rng, aim.month, 1, 1, 12), (aim.month, rng.randint(1, 12))))
    names = any_case(rng, MONTHS[first - 1]), any_case(rng, MONTHS[last - 1])
    return rng.choice((names[0], "-".join(names), ",".join(names)))


def quartz_monthday(rng, aim):
    kind = rng.random()
    if kind < 0.35:
        return quartz_field(rng, aim.day, 1, 1, 31, 0.0)
    if kind < 0.5:
        return f"{near(rng, aim.day, 2, 1, 31)}W"
    back, far_back = rng.randint(1, 27), rng.randint(28, 30)
    return rng.choice(("L", "LW", "1W", f"L-{back}", f"L-{far_back}", f"L-{back}W", f"L-{far_back}W"))


def quartz_weekday(rng, aim):
    today = aim.isoweekday() % 7 + 1
    kind = rng.random()
    if kind < 0.35:
        return quartz_field(rng, today, 1, 1, 7, 0.0)
    day = rng.choice((str(today), str(rng.randint(1, 7)), any_case(rng, WEEKDAYS[today - 1])))
    if kind < 0.5:
        return f"{day}#{rng.choice(((aim.day - 1) // 7 + 1, rng.randint(1, 5)))}"
    if kind < 0.6:
        return rng.choice((f"{day}L", "L"))
    first, last = rng.choice(WEEKDAYS), rng.choice(WEEKDAYS)
    return rng.choice((day, f"{any_case(rng, first)}-{any_case(rng, last)}", f"{first},{last}"))


def quartz_days(rng, aim):
    """(day of month, day of week): one of them is `?`, as the real Quartz demands."""
    kind = rng.random()
    if kind < 0.5:
        return rng.choice((("*", "?"), ("?", "*")))
    if kind < 0.75:
        return quartz_monthday(rng, aim), "?"
    return "?", quartz_weekday(rng, aim)


def quartz_year(rng, aim):
    year, later = aim.year, min(YEAR_LAST, aim.year + rng.randint(0, 3))
    return rng.choice(("*", f"{year}", f"{year}-{later}", f"{year}/{rng.randint(1, 4)}", f"{year},{later}"))


def quartz(rng, aim):
    dom, dow = quartz_days(rng, aim)
    minute = quartz_field(rng, rng.choice((0, 15, 30, 45, aim.minute)), 5, 0, 59)
    fields = [quartz_second(rng), minute, quartz_field(rng, aim.hour, 1, 0, 23), dom, quartz_month(rng, aim), dow]
    if rng.random() < 0.2:
        fields.append(quartz_year(rng, aim))
    return " ".join(fields)
