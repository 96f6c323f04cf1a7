"""quartz_classes: the ways in which Belfry may differ from the real Quartz over fires, by name.

A difference must be of a class, and the class is checked, never assumed.

  short month   29W to 31W: Quartz also fires in months that have no such day. Its other fires must be Belfry's.
  change        Within one length of a gap or fold Quartz loses fires, and Belfry follows the contract (brute.py judges
                that exactly). Outside that stretch the fires must be equal, and each fire of Quartz inside it must at
                least be at a local time that matches, or at one of the gap moved by its length.
  never         Quartz accepts what can never fire, and gives nothing (or, for 29W to 31W, only what it should not);
                Belfry refuses it.
"""

from datetime import timedelta

import batch
import plan
import walk

HOUR, DAY = 3600, 86400
HORIZON = batch.seconds_of("2120-01-01T00:00:00Z")  # Quartz knows years up to a hundred from now


def month_days(instant, zone):
    local = batch.EPOCH + timedelta(seconds=instant + zone.offset_at(instant))
    return plan.month_length(local.date())


def without_short_months(case, fires):
    """Quartz's fires, less those of the class `short month`."""
    dom = case.expr.split()[3].upper()
    if dom not in ("29W", "30W", "31W"):
        return fires
    return [instant for instant in fires if month_days(instant, case.zone) >= int(dom[:2])]


def stretches(zone, first, last):
    """(from, to) around each change of offset: one length of it to either side."""
    near = zone.gaps_and_folds(first - 2 * DAY, last + 2 * DAY)
    return [(instant - abs(after - before), instant + abs(after - before)) for instant, before, after in near]


def inside(instant, spans):
    return any(low <= instant <= high for low, high in spans)


def matches_by_clock_or_moved(case, instant):
    """Does the local time at `instant` match, or is it a matching time of the gap, read with the offset before it?"""
    reading = plan.reading(case.expr)
    offsets = {case.zone.offset_at(instant), case.zone.offset_at(instant - 3 * HOUR)}
    return any(matches(reading, instant + offset) for offset in offsets)


def matches(reading, local):
    when = batch.EPOCH + timedelta(seconds=local)
    in_time = when.hour in reading.hours and when.minute in reading.minutes and when.second in reading.seconds
    return in_time and reading.day(when.date())


def classify(case, quartz, belfry):
    """('same' or the name of a class, None), or (None, why it is of no class)."""
    until = min([HORIZON] + [fires[-1] for fires in (quartz, belfry) if len(fires) >= case.count])
    mine = [instant for instant in belfry if instant <= until]
    if [instant for instant in quartz if instant <= until] == mine:
        return "same", None
    theirs = [instant for instant in without_short_months(case, quartz) if instant <= until]
    if theirs == mine:
        return "short month", None
    spans = stretches(case.zone, case.after, until)
    if [i for i in theirs if not inside(i, spans)] != [i for i in mine if not inside(i, spans)]:
        return None, "they differ away from any change of offset"
    strange = [i for i in theirs if inside(i, spans) and not matches_by_clock_or_moved(case, i)]
    if strange:
        return None, f"Quartz fires inside a change at times that do not match: {[batch.iso(i) for i in strange]}"
    return "change", None


def is_never(case, quartz):
    """Is it right that Belfry refused the case, as one that can never fire?"""
    return not without_short_months(case, quartz) and not walk.ever_fires(plan.reading(case.expr))
