"""corners: questions whose answers were worked out by hand from the contract, with pencil and calendar.

Each is (name, what is asked, the fires). Here are those about the language; corners_clock.py has gaps and folds. In
2026 January begins on a Thursday.
"""

NEW_YEAR = "2026-01-01T00:00:00Z"
NY = "America/New_York"


def at(expr, start=NEW_YEAR, tz="UTC", **more):
    """The fields of a question; tz=None leaves the zone out of it."""
    return {"expr": expr, "from": start, **({"tz": tz} if tz else {}), **more}


def days(*dates):
    """Midnights in UTC."""
    return [f"{date}T00:00:00Z" for date in dates]


def on(date, *times):
    return [f"{date}T{time if time.count(':') == 2 else time + ':00'}Z" for time in times]


BASICS = [
    ("a fire at the start is not after it", at("0 9 * * *", "2026-01-01T09:00:00Z"), on("2026-01-02", "09:00")),
    ("a fire one second after the start counts", at("0 9 * * *", "2026-01-01T08:59:59Z"), on("2026-01-01", "09:00")),
    (
        "half a second after a fire it is past",
        at("* * * * * ?", "2026-01-01T00:00:00.500Z"),
        on("2026-01-01", "00:00:01"),
    ),
    ("the start may have any offset", at("0 9 * * *", "2026-01-01T10:30:00+02:00"), on("2026-01-01", "09:00")),
    ("a step longer than the field leaves its first value", at("0 */99 * * *"), days("2026-01-02", "2026-01-03")),
    (
        "a step longer than a range leaves its first value",
        at("5-10/99 * * * *"),
        on("2026-01-01", "00:05", "01:05", "02:05"),
    ),
    (
        "lists may overlap and stand in any order",
        at("30,10,10-12 0 * * *"),
        on("2026-01-01", "00:10", "00:11", "00:12", "00:30"),
    ),
    ("names are read in any case", at("0 0 * jAn mOn"), days("2026-01-05", "2026-01-12")),
    (
        "a name may stand with a number in a range",
        at("0 0 * * MON-2"),
        days("2026-01-05", "2026-01-06", "2026-01-12"),
    ),
    ("a range of month names may have a step", at("0 0 1 jan-mar/2 *"), days("2026-03-01", "2027-01-01")),
    ("tabs and several spaces separate fields", at("0\t0  1 1\t \t*"), days("2027-01-01")),
    ("@yearly", at("@yearly"), days("2027-01-01", "2028-01-01")),
    ("@annually", at("@annually"), days("2027-01-01", "2028-01-01")),
    ("@monthly", at("@monthly"), days("2026-02-01", "2026-03-01")),
    ("@weekly is Sunday", at("@weekly"), days("2026-01-04", "2026-01-11")),
    ("@daily", at("@daily"), days("2026-01-02", "2026-01-03")),
    ("@midnight", at("@midnight"), days("2026-01-02", "2026-01-03")),
    ("@hourly", at("@hourly"), on("2026-01-01", "01:00", "02:00", "03:00")),
    ("@every counts from the start", at("@every 90s"), on("2026-01-01", "00:01:30", "00:03:00", "00:04:30")),
    (
        "@every takes combined durations",
        at("@every 1h30m", "2026-01-01T00:00:07Z"),
        on("2026-01-01", "01:30:07", "03:00:07"),
    ),
    (
        "@every does not care for clocks",
        at("@every 1h", "2026-11-01T04:30:00Z", NY),
        on("2026-11-01", "05:30", "06:30", "07:30"),
    ),
    (
        "TZID= names the zone",
        at("TZID=America/New_York:0 9 * * MON-FRI", "2026-01-02T15:00:00Z", None),
        on("2026-01-05", "14:00"),
    ),
    (
        "TZID= works for Quartz",
        at("TZID=Asia/Tokyo:0 0 9 ? * MON-FRI", "2026-01-02T00:00:00Z", None),
        on("2026-01-05", "00:00"),
    ),
]

UNIX_DAYS = [
    (
        "two restricted day fields mean either",
        at("0 0 13 * FRI"),
        days("2026-01-02", "2026-01-09", "2026-01-13", "2026-01-16"),
    ),
    (
        "*/2 in day of month with Monday means Mondays on odd days",
        at("0 0 */2 * MON"),
        days("2026-01-05", "2026-01-19", "2026-02-09", "2026-02-23"),
    ),
    (
        "*/2 in day of week with the 13th means both",
        at("0 0 13 * */2"),
        days("2026-01-13", "2026-06-13", "2026-08-13"),
    ),
    (
        "a star that does not come first does not unrestrict",
        at("0 0 5,* * MON"),
        days("2026-01-02", "2026-01-03", "2026-01-04"),
    ),
    ("a star that comes first does", at("0 0 *,5 * MON"), days("2026-01-05", "2026-01-12")),
    ("1-31 is restricted although it is every day", at("0 0 1-31 * MON"), days("2026-01-02", "2026-01-03")),
    ("0 is Sunday", at("0 0 * * 0"), days("2026-01-04", "2026-01-11")),
    ("7 is Sunday", at("0 0 * * 7"), days("2026-01-04", "2026-01-11")),
    ("5-7 ends on Sunday", at("0 0 * * 5-7"), days("2026-01-02", "2026-01-03", "2026-01-04", "2026-01-09")),
    ("fri-7 ends on Sunday", at("0 0 * * fri-7"), days("2026-01-02", "2026-01-03", "2026-01-04", "2026-01-09")),
    (
        "1-7/2 is Monday, Wednesday, Friday, Sunday",
        at("0 0 * * 1-7/2"),
        days("2026-01-02", "2026-01-04", "2026-01-05", "2026-01-07"),
    ),
    ("leap days", at("0 0 29 2 *"), days("2028-02-29", "2032-02-29")),
    ("2100 has no leap day", at("0 0 29 2 *", "2096-03-01T00:00:00Z"), days("2104-02-29")),
    ("after the last leap day before 2201 nothing comes", at("0 0 29 2 *", "2196-03-01T00:00:00Z"), []),
    ("the 31st is left out in short months", at("0 0 31 * *"), days("2026-01-31", "2026-03-31", "2026-05-31")),
    (
        "31 in every other month",
        at("0 0 31 */2 *", count=5),
        days("2026-01-31", "2026-03-31", "2026-05-31", "2026-07-31", "2027-01-31"),
    ),
    ("30 February or Monday is Monday in February", at("0 0 30 2 MON"), days("2026-02-02", "2026-02-09")),
]

QUARTZ_DAYS = [
    ("in Quartz 1 is Sunday", at("0 0 12 ? * 1"), on("2026-01-04", "12:00")),
    ("in Quartz 2 is Monday", at("0 0 12 ? * 2"), on("2026-01-05", "12:00")),
    ("in Quartz 7 is Saturday", at("0 0 12 ? * 7"), on("2026-01-03", "12:00")),
    (
        "hours go over midnight",
        at("0 0 22-2 * * ?", "2026-01-01T22:30:00Z"),
        on("2026-01-01", "23:00") + on("2026-01-02", "00:00", "01:00", "02:00", "22:00"),
    ),
    (
        "hours go over midnight in steps",
        at("0 0 21-3/3 * * ?", "2026-01-01T20:00:00Z"),
        on("2026-01-01", "21:00") + on("2026-01-02", "00:00", "03:00", "21:00"),
    ),
    (
        "seconds go over the minute in steps",
        at("50-10/5 * * * * ?"),
        on("2026-01-01", "00:00:05", "00:00:10", "00:00:50", "00:00:55", "00:01:00"),
    ),
    (
        "weekdays go over Saturday",
        at("0 0 0 ? * FRI-MON"),
        days("2026-01-02", "2026-01-03", "2026-01-04", "2026-01-05", "2026-01-09"),
    ),
    (
        "weekday numbers go over Saturday",
        at("0 0 0 ? * 6-2"),
        days("2026-01-02", "2026-01-03", "2026-01-04", "2026-01-05", "2026-01-09"),
    ),
    (
        "months go over December",
        at("0 0 0 1 NOV-FEB ?"),
        days("2026-02-01", "2026-11-01", "2026-12-01", "2027-01-01"),
    ),
    (
        "days of the month go over the 31st",
        at("0 0 0 30-2 * ?"),
        days("2026-01-02", "2026-01-30", "2026-01-31", "2026-02-01", "2026-02-02", "2026-03-01"),
    ),
    (
        "a/n goes on to the field's end",
        at("5/20 * * * * ?"),
        on("2026-01-01", "00:00:05", "00:00:25", "00:00:45", "00:01:05"),
    ),
    ("L is the month's last day", at("0 0 0 L * ?"), days("2026-01-31", "2026-02-28", "2026-03-31")),
    ("L is 29 February in leap years", at("0 0 0 L 2 ?"), days("2026-02-28", "2027-02-28", "2028-02-29")),
    ("L-3 is three days before the last", at("0 0 0 L-3 * ?"), days("2026-01-28", "2026-02-25", "2026-03-28")),
    (
        "L-30 exists only in months of 31 days",
        at("0 0 0 L-30 * ?"),
        days("2026-03-01", "2026-05-01", "2026-07-01", "2026-08-01"),
    ),
    (
        "LW is the month's last weekday",
        at("0 0 0 LW * ?"),
        days("2026-01-30", "2026-02-27", "2026-03-31", "2026-04-30", "2026-05-29"),
    ),
    (
        "15W is the weekday nearest to the 15th",
        at("0 0 0 15W * ?"),
        days("2026-01-15", "2026-02-16", "2026-03-16", "2026-04-15"),
    ),
    ("15W on a Saturday is the Friday before", at("0 0 0 15W 8 ?"), days("2026-08-14")),
    (
        "1W never leaves its month backwards",
        at("0 0 0 1W * ?", "2026-07-02T00:00:00Z"),
        days("2026-08-03", "2026-09-01"),
    ),
    (
        "31W never leaves its month forwards and skips short months",
        at("0 0 0 31W * ?"),
        days("2026-01-30", "2026-03-31", "2026-05-29", "2026-07-31"),
    ),
    ("29W in February fires in leap years only", at("0 0 0 29W 2 ?"), days("2028-02-29", "2032-02-27")),
    ("6L is the last Friday", at("0 0 0 ? * 6L"), days("2026-01-30", "2026-02-27", "2026-03-27")),
    ("friL is the last Friday", at("0 0 0 ? * friL"), days("2026-01-30", "2026-02-27", "2026-03-27")),
    ("L alone in day of week is Saturday", at("0 0 0 ? * L"), days("2026-01-03", "2026-01-10")),
    ("6#3 is the third Friday", at("0 0 0 ? * 6#3"), days("2026-01-16", "2026-02-20", "2026-03-20")),
    ("FRI#5 skips months with four Fridays", at("0 0 0 ? * FRI#5"), days("2026-01-30", "2026-05-29", "2026-07-31")),
    ("* in day of month counts as ?", at("0 0 9 * * MON"), on("2026-01-05", "09:00") + on("2026-01-12", "09:00")),
    ("* in day of week counts as ?", at("0 0 9 15 * *"), on("2026-01-15", "09:00") + on("2026-02-15", "09:00")),
    ("* in both day fields is every day", at("0 0 9 * * *"), on("2026-01-01", "09:00") + on("2026-01-02", "09:00")),
    ("years end a schedule", at("0 0 0 1 1 ? 2027-2029/2", count=5), days("2027-01-01", "2029-01-01")),
    ("a list of years", at("0 0 0 1 1 ? 2031,2027", count=5), days("2027-01-01", "2031-01-01")),
    ("a year that is past gives nothing", at("0 0 0 1 1 ? 2025"), []),
    ("the last second of 2200 is still inside", at("59 59 23 31 12 ? 2200", count=3), on("2200-12-31", "23:59:59")),
]

LANGUAGE = BASICS + UNIX_DAYS + QUARTZ_DAYS
