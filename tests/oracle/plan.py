"""plan: what a cron expression means, as sets of numbers and a rule for days. No zone, no instants.

Written from the contract alone, for valid expressions: reading() is the plainest possible parser, and raises ValueError
for much of what is invalid, but it is no judge of errors (errors.py has a table for those).
"""

import re
from datetime import timedelta

MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split()
WEEKDAYS = "SUN MON TUE WED THU FRI SAT".split()
MACROS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
YEAR_FIRST, YEAR_LAST = 1970, 2200


class Plan:
    """seconds, minutes, hours: the times of a day. day(date): is it a day of the schedule, in one of its years?"""

    def __init__(self, seconds, minutes, hours, day, follows_clock, years=range(YEAR_FIRST, YEAR_LAST + 1)):
        self.seconds, self.minutes, self.hours = sorted(seconds), sorted(minutes), sorted(hours)
        self.day = day
        self.years = years
        self.follows_clock = follows_clock  # see walk.py


def reading(expr):
    """The plan of an expression without prefix: a macro, five fields (Unix), or six or seven (Quartz)."""
    fields = MACROS.get(expr, expr).split()
    if len(fields) == 5:
        return unix(*fields)
    if len(fields) in (6, 7):
        return quartz(*fields)
    raise ValueError(f"{len(fields)} fields")


# ---- Unix


def unix(minute, hour, dom, month, dow):
    months = unix_set(month, 1, 12, MONTHS, 1)
    doms = unix_set(dom, 1, 31)
    dows = {value % 7 for value in unix_set(dow, 0, 7, WEEKDAYS, 0)}
    either = dom[0] != "*" and dow[0] != "*"

    def day(when):
        by_month = when.day in doms
        by_week = when.isoweekday() % 7 in dows
        return when.month in months and ((by_month or by_week) if either else (by_month and by_week))

    follows = minute[0] == "*" or hour[0] == "*"
    return Plan({0}, unix_set(minute, 0, 59), unix_set(hour, 0, 23), day, follows)


def unix_set(text, low, high, names=(), names_from=0):
    values = set()
    for item in text.split(","):
        span, _, step = item.partition("/")
        first, dash, last = span.partition("-")
        if span == "*":
            start, stop = low, (6 if names == WEEKDAYS else high)
        else:
            start = number(first, low, high, names, names_from)
            stop = number(last, low, high, names, names_from) if dash else start
            if step and not dash or stop < start:
                raise ValueError(item)
        values.update(range(start, stop + 1, number(step, 1, 10**9) if "/" in item else 1))
    return values


def number(text, low, high, names=(), names_from=0):
    if text.upper() in names:
        return names.index(text.upper()) + names_from
    if not re.fullmatch("[0-9]+", text) or not low <= int(text) <= high:
        raise ValueError(text)
    return int(text)


# ---- Quartz


def quartz(second, minute, hour, dom, month, dow, year="*"):
    months = quartz_set(month, 1, 12, MONTHS)
    years = quartz_set(year, YEAR_FIRST, YEAR_LAST)
    unrestricted = ("*", "?")
    if dom == "?" == dow or (dom not in unrestricted and dow not in unrestricted):
        raise ValueError("day fields")
    by_days = quartz_weekday(dow) if dom in unrestricted else quartz_monthday(dom)

    def day(when):
        return when.year in years and when.month in months and by_days(when)

    follows = minute[0] == "*" or hour[0] == "*"
    times = quartz_set(second, 0, 59), quartz_set(minute, 0, 59), quartz_set(hour, 0, 23)
    return Plan(*times, day, follows, years)


def quartz_set(text, low, high, names=()):
    """Numbers or names; a range whose end is before its start goes over the field's end and on from its beginning."""
    values = set()
    for item in text.split(","):
        span, _, step_text = item.partition("/")
        step = number(step_text, 1, 10**9) if "/" in item else 1
        first, dash, last = span.partition("-")
        if "/" in item and first.upper() in names:
            raise ValueError(item)
        if span == "*":
            start, stop = low, high
        else:
            start = number(first, low, high, names, 1)
            stop = number(last, low, high, names, 1) if dash else (high if "/" in item else start)
        if stop < start:
            stop += high - low + 1
        values.update(low + (value - low) % (high - low + 1) for value in range(start, stop + 1, step))
    return values


def month_length(when):
    return ((when.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)).day


def nearest_weekday(when, target):
    """Is `when` the weekday (Monday to Friday) nearest to the day `target` of its month, without leaving the month?"""
    length = month_length(when)
    if not 1 <= target <= length:
        return False
    weekdays = [day for day in range(1, length + 1) if when.replace(day=day).isoweekday() <= 5]
    return when.day == min(weekdays, key=lambda day: abs(day - target))


def quartz_monthday(text):
    text = text.upper()
    if text == "?":
        raise ValueError("both day fields say nothing")
    last = re.fullmatch("L(?:-([0-9]+))?(W?)", text)
    near = re.fullmatch("([0-9]+)W", text)
    if last:
        back, weekday = number(last[1] or "0", 0, 30), last[2]
        if weekday:
            return lambda when: nearest_weekday(when, month_length(when) - back)
        return lambda when: when.day == month_length(when) - back
    if near:
        target = number(near[1], 1, 31)
        return lambda when: nearest_weekday(when, target)
    days = quartz_set(text, 1, 31)
    return lambda when: when.day in days


def quartz_weekday(text):
    text = text.upper()
    if text in ("*", "?"):
        return lambda when: True
    if text == "L":
        text = "7"
    last = re.fullmatch("([1-7]|[A-Z]{3})L", text)
    nth = re.fullmatch("([1-7]|[A-Z]{3})#([1-5])", text)
    if last:
        wanted = number(last[1], 1, 7, WEEKDAYS, 1)
        return lambda when: quartz_dow(when) == wanted and when.day > month_length(when) - 7
    if nth:
        wanted, week = number(nth[1], 1, 7, WEEKDAYS, 1), int(nth[2])
        return lambda when: quartz_dow(when) == wanted and (when.day - 1) // 7 + 1 == week
    days = quartz_set(text, 1, 7, WEEKDAYS)
    return lambda when: quartz_dow(when) in days


def quartz_dow(when):
    """1 is Sunday."""
    return when.isoweekday() % 7 + 1
