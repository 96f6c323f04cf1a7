"""walk: the fires of a plan in a zone, by trying every minute of the clock.

Rules: (1) a plan that follows the clock fires at every instant whose local time matches: twice through a fold, not at
           all in a gap.
       (2) any other plan has nominal local times. One that exists once is that instant; one in a gap is moved or
           dropped as `gap` says; one in a fold is the first, the second or both instants as `fold` says. The fires are
           the set of those instants.
"""

from datetime import date, timedelta

DAY = 86400
EPOCH = date(1970, 1, 1)
BEHIND, AHEAD = 15 * 3600, 13 * 3600  # local times are at most so far ahead of UTC, and so far behind it


def fires(plan, zone, after, until, count, gap="after", fold="first"):
    """The first `count` fires in (after, until], in seconds since 1970."""
    if plan.follows_clock:
        return following(plan, zone, after, until, count)
    return fixed(plan, zone, after, until, count, gap, fold)


def times_of_day(plan):
    """Every second of a day that matches, found by trying every minute of it."""
    found = []
    hours, minutes = set(plan.hours), set(plan.minutes)
    for minute in range(1440):
        if minute // 60 in hours and minute % 60 in minutes:
            found.extend(minute * 60 + second for second in plan.seconds)
    return found


def matching_days(plan, first, last):
    """The local midnights (seconds) of the plan's days among the days first..last, both in days since 1970."""
    when, end = EPOCH + timedelta(days=first), EPOCH + timedelta(days=last)
    while when <= end:
        if when.year not in plan.years:
            when = date(when.year + 1, 1, 1)
            continue
        if plan.day(when):
            yield (when - EPOCH).days * DAY
        when += timedelta(days=1)


def ever_fires(plan):
    """Is there any day of 1970 to 2200 on which the plan has a time?"""
    return next(matching_days(plan, 0, (date(2200, 12, 31) - EPOCH).days), None) is not None


def following(plan, zone, after, until, count):
    found, times = [], times_of_day(plan)
    for start, end, offset in zone.segments(after, until):  # rule 1: each stretch of one offset by itself
        low, high = max(start, after + 1), min(end - 1, until)
        for midnight in matching_days(plan, (low + offset) // DAY, (high + offset) // DAY):
            for time in times:
                instant = midnight + time - offset
                if low <= instant <= high:
                    found.append(instant)
            if len(found) >= count:
                return found[:count]
    return found[:count]


def fixed(plan, zone, after, until, count, gap, fold):
    found, times = set(), times_of_day(plan)
    for midnight in matching_days(plan, (after - AHEAD) // DAY, (until + BEHIND) // DAY):
        near = list(zone.segments(midnight - 2 * DAY, midnight + 3 * DAY))
        for time in times:
            instants = instants_for(zone, near, midnight + time, gap, fold)
            found.update(instant for instant in instants if after < instant <= until)
        if len(found) >= count and sum(1 for instant in found if instant < midnight + DAY - BEHIND) >= count:
            break  # what later days bring is later than these
    return sorted(found)[:count]


def instants_for(zone, near, local, gap, fold):
    """Rule 2 for one nominal local time; near are the zone's segments around it."""
    instants = [local - offset for start, end, offset in near if start <= local - offset < end]
    if len(instants) == 1:
        return instants
    if not instants:
        first_after, offset_before = zone.gap_around(local)
        return {"after": [first_after], "shift": [local - offset_before], "skip": []}[gap]
    return {"first": instants[:1], "second": instants[-1:], "both": instants}[fold]
