"""corners_clock: the corners that are about clocks being changed. See corners.py.

In 2026 New York changes on 8 March at 07:00Z and on 1 November at 06:00Z, Berlin and Dublin on 29 March and 25 October
at 01:00Z.
"""

from corners import NY, at, on

BERLIN, LORD_HOWE, TROLL = "Europe/Berlin", "Australia/Lord_Howe", "Antarctica/Troll"
SPRING, AUTUMN = "2026-03-08T00:00:00Z", "2026-11-01T00:00:00Z"  # New York's changes are later that day

FIXED_NEW_YORK = [
    (
        "a fixed time in the gap fires when the gap ends",
        at("30 2 * * *", SPRING, NY),
        on("2026-03-08", "07:00") + on("2026-03-09", "06:30"),
    ),
    (
        "gap after: the end of the gap is not after itself",
        at("30 2 * * *", "2026-03-08T07:00:00Z", NY),
        on("2026-03-09", "06:30"),
    ),
    (
        "gap after: the last second of the gap's edge still sees it",
        at("30 2 * * *", "2026-03-08T06:59:59Z", NY),
        on("2026-03-08", "07:00"),
    ),
    (
        "gap shift moves by the gap's length",
        at("30 2 * * *", SPRING, NY, gap="shift"),
        on("2026-03-08", "07:30") + on("2026-03-09", "06:30"),
    ),
    (
        "gap skip leaves the day out",
        at("30 2 * * *", SPRING, NY, gap="skip"),
        on("2026-03-09", "06:30") + on("2026-03-10", "06:30"),
    ),
    (
        "gap after: the moved and the real fire are one",
        at("0 2,3 * * *", SPRING, NY),
        on("2026-03-08", "07:00") + on("2026-03-09", "06:00", "07:00"),
    ),
    (
        "gap shift: the moved and the real fires are one",
        at("0,30 2,3 * * *", SPRING, NY, gap="shift"),
        on("2026-03-08", "07:00", "07:30") + on("2026-03-09", "06:00"),
    ),
    (
        "gap after: a whole missing hour is one fire",
        at("0-59/10 2 * * *", SPRING, NY),
        on("2026-03-08", "07:00") + on("2026-03-09", "06:00", "06:10"),
    ),
    (
        "gap after: sixty missing seconds are one fire",
        at("* 30 2 * * ?", SPRING, NY),
        on("2026-03-08", "07:00") + on("2026-03-09", "06:30:00", "06:30:01"),
    ),
    (
        "gap shift keeps seconds apart",
        at("0/30 30 2 * * ?", SPRING, NY, gap="shift"),
        on("2026-03-08", "07:30:00", "07:30:30") + on("2026-03-09", "06:30:00"),
    ),
    (
        "an hour range without star is fixed",
        at("0 0-23/2 * * *", "2026-03-08T04:59:59Z", NY),
        on("2026-03-08", "05:00", "07:00", "08:00"),
    ),
    (
        "a star that does not come first leaves it fixed",
        at("30,* 2 * * *", SPRING, NY),
        on("2026-03-08", "07:00") + on("2026-03-09", "06:00"),
    ),
    (
        "a fixed time in the fold fires in the first pass",
        at("30 1 * * *", AUTUMN, NY),
        on("2026-11-01", "05:30") + on("2026-11-02", "06:30"),
    ),
    (
        "fold first: between the passes nothing is left",
        at("30 1 * * *", "2026-11-01T05:30:00Z", NY),
        on("2026-11-02", "06:30"),
    ),
    (
        "fold second fires in the second pass",
        at("30 1 * * *", AUTUMN, NY, fold="second"),
        on("2026-11-01", "06:30") + on("2026-11-02", "06:30"),
    ),
    (
        "fold second: between the passes it is still to come",
        at("30 1 * * *", "2026-11-01T05:30:00Z", NY, fold="second"),
        on("2026-11-01", "06:30"),
    ),
    (
        "fold both fires twice",
        at("30 1 * * *", AUTUMN, NY, fold="both"),
        on("2026-11-01", "05:30", "06:30") + on("2026-11-02", "06:30"),
    ),
    (
        "the fold's first minute is in the fold",
        at("0 1 * * *", AUTUMN, NY, fold="both"),
        on("2026-11-01", "05:00", "06:00"),
    ),
    (
        "the minute after the fold is not",
        at("0 2 * * *", AUTUMN, NY, fold="both"),
        on("2026-11-01", "07:00") + on("2026-11-02", "07:00"),
    ),
    (
        "fold first: an hour of minutes runs once",
        at("0-59/30 1 * * *", AUTUMN, NY),
        on("2026-11-01", "05:00", "05:30") + on("2026-11-02", "06:00"),
    ),
    (
        "Quartz: a start with a step is fixed too",
        at("0 0/30 1 * * ?", AUTUMN, NY),
        on("2026-11-01", "05:00", "05:30") + on("2026-11-02", "06:00"),
    ),
    (
        "a star in the seconds does not make it follow",
        at("*/30 30 1 * * ?", AUTUMN, NY),
        on("2026-11-01", "05:30:00", "05:30:30") + on("2026-11-02", "06:30:00"),
    ),
    (
        "the rules of the footer hold in 2190",
        at("30 2 * * *", "2190-03-13T12:00:00Z", NY),
        on("2190-03-14", "07:00") + on("2190-03-15", "06:30"),
    ),
]

FOLLOWING = [
    (
        "every half hour goes through the fold evenly",
        at("*/30 * * * *", "2026-11-01T04:59:59Z", NY),
        on("2026-11-01", "05:00", "05:30", "06:00", "06:30", "07:00"),
    ),
    (
        "every half hour goes through the gap evenly",
        at("*/30 * * * *", "2026-03-08T06:00:00Z", NY),
        on("2026-03-08", "06:30", "07:00", "07:30"),
    ),
    (
        "a star in the hour follows the clock",
        at("30 * * * *", "2026-11-01T05:00:00Z", NY),
        on("2026-11-01", "05:30", "06:30", "07:30"),
    ),
    (
        "a star in the minute follows the clock",
        at("*/30 1 * * *", AUTUMN, NY),
        on("2026-11-01", "05:00", "05:30", "06:00", "06:30") + on("2026-11-02", "06:00"),
    ),
    (
        "fold has no effect on what follows the clock",
        at("*/30 1 * * *", AUTUMN, NY, fold="second"),
        on("2026-11-01", "05:00", "05:30", "06:00", "06:30"),
    ),
    ("what follows the clock skips the gap", at("*/30 2 * * *", SPRING, NY), on("2026-03-09", "06:00", "06:30")),
    (
        "gap has no effect on what follows the clock",
        at("*/30 2 * * *", SPRING, NY, gap="shift"),
        on("2026-03-09", "06:00", "06:30"),
    ),
    (
        "every other hour skips the one that is missing",
        at("0 */2 * * *", "2026-03-08T04:59:59Z", NY),
        on("2026-03-08", "05:00", "08:00", "10:00"),
    ),
    ("a star first in a list follows the clock", at("*,30 2 * * *", SPRING, NY), on("2026-03-09", "06:00", "06:01")),
    (
        "Quartz every 15 minutes has no hole and no double",
        at("0 */15 * * * ?", "2026-10-24T23:59:59Z", BERLIN),
        on("2026-10-25", "00:00", "00:15", "00:30", "00:45", "01:00", "01:15", "01:30", "01:45", "02:00"),
    ),
    (
        "Quartz with a fixed minute in every hour follows too",
        at("0 5 * * * ?", "2026-10-24T23:59:59Z", BERLIN),
        on("2026-10-25", "00:05", "01:05", "02:05"),
    ),
    (
        "@hourly follows the clock",
        at("@hourly", "2026-11-01T04:30:00Z", NY),
        on("2026-11-01", "05:00", "06:00", "07:00"),
    ),
]

ODD_ZONES = [
    (
        "Lord Howe: the gap of half an hour",
        at("15 2 * * *", "2026-10-03T12:00:00Z", LORD_HOWE),
        on("2026-10-03", "15:30") + on("2026-10-04", "15:15"),
    ),
    (
        "Lord Howe: shifted by half an hour",
        at("15 2 * * *", "2026-10-03T12:00:00Z", LORD_HOWE, gap="shift"),
        on("2026-10-03", "15:45") + on("2026-10-04", "15:15"),
    ),
    (
        "Lord Howe: both passes are half an hour apart",
        at("45 1 * * *", "2026-04-04T12:00:00Z", LORD_HOWE, fold="both"),
        on("2026-04-04", "14:45", "15:15") + on("2026-04-05", "15:15"),
    ),
    (
        "Lord Howe: every 15 minutes through the fold",
        at("*/15 * * * *", "2026-04-04T14:30:00Z", LORD_HOWE),
        on("2026-04-04", "14:45", "15:00", "15:15", "15:30"),
    ),
    (
        "Lord Howe: hourly on the hour is an hour and a half apart",
        at("0 * * * *", "2026-04-04T13:59:59Z", LORD_HOWE),
        on("2026-04-04", "14:00", "15:30", "16:30"),
    ),
    (
        "Troll: the first hour of the two-hour gap",
        at("30 1 * * *", "2026-03-29T00:00:00Z", TROLL),
        on("2026-03-29", "01:00", "23:30"),
    ),
    (
        "Troll: the second hour shifted by two",
        at("30 2 * * *", "2026-03-29T00:00:00Z", TROLL, gap="shift"),
        on("2026-03-29", "02:30") + on("2026-03-30", "00:30"),
    ),
    (
        "Troll: both passes are two hours apart",
        at("30 2 * * *", "2026-10-25T00:00:00Z", TROLL, fold="both"),
        on("2026-10-25", "00:30", "02:30") + on("2026-10-26", "02:30"),
    ),
    (
        "Havana: midnight is missing",
        at("0 0 * * *", "2026-03-07T12:00:00Z", "America/Havana"),
        on("2026-03-08", "05:00") + on("2026-03-09", "04:00"),
    ),
    (
        "Havana: @daily survives the missing midnight",
        at("@daily", "2026-03-07T12:00:00Z", "America/Havana"),
        on("2026-03-08", "05:00") + on("2026-03-09", "04:00"),
    ),
    (
        "Havana: half past midnight shifted",
        at("30 0 * * *", "2026-03-07T12:00:00Z", "America/Havana", gap="shift"),
        on("2026-03-08", "05:30") + on("2026-03-09", "04:30"),
    ),
    (
        "Havana: half past midnight twice",
        at("30 0 * * *", "2026-10-31T12:00:00Z", "America/Havana", fold="both"),
        on("2026-11-01", "04:30", "05:30") + on("2026-11-02", "05:30"),
    ),
    (
        "Santiago: the evening before repeats",
        at("30 23 * * *", "2026-04-04T12:00:00Z", "America/Santiago", fold="both"),
        on("2026-04-05", "02:30", "03:30") + on("2026-04-06", "03:30"),
    ),
    (
        "Santiago: midnight is missing",
        at("0 0 * * *", "2026-09-05T12:00:00Z", "America/Santiago"),
        on("2026-09-06", "04:00") + on("2026-09-07", "03:00"),
    ),
    (
        "Beirut: midnight is missing",
        at("0 0 * * *", "2026-03-28T12:00:00Z", "Asia/Beirut"),
        on("2026-03-28", "22:00") + on("2026-03-29", "21:00"),
    ),
    (
        "Beirut: the last hour of the day comes again",
        at("30 23 * * *", "2026-10-24T12:00:00Z", "Asia/Beirut", fold="second"),
        on("2026-10-24", "21:30") + on("2026-10-25", "21:30"),
    ),
    (
        "Cairo: a quarter past midnight is missing",
        at("15 0 * * *", "2026-04-23T12:00:00Z", "Africa/Cairo"),
        on("2026-04-23", "22:00") + on("2026-04-24", "21:15"),
    ),
    (
        "Cairo: the last hour of the day twice",
        at("30 23 * * *", "2026-10-29T12:00:00Z", "Africa/Cairo", fold="both"),
        on("2026-10-29", "20:30", "21:30") + on("2026-10-30", "21:30"),
    ),
    (
        "Cairo: the day field is the nominal day",
        at("30 0 24 4 *", "2026-04-01T00:00:00Z", "Africa/Cairo"),
        on("2026-04-23", "22:00"),
    ),
    (
        "Apia: the missing day fires when it is over",
        at("0 9 * * *", "2011-12-29T12:00:00Z", "Pacific/Apia"),
        on("2011-12-29", "19:00") + on("2011-12-30", "10:00", "19:00") + on("2011-12-31", "19:00"),
    ),
    (
        "Apia: the missing day shifted is the next day's fire",
        at("0 9 * * *", "2011-12-29T12:00:00Z", "Pacific/Apia", gap="shift"),
        on("2011-12-29", "19:00") + on("2011-12-30", "19:00") + on("2011-12-31", "19:00"),
    ),
    (
        "Apia: the missing day skipped",
        at("0 0 30 12 *", "2011-12-01T00:00:00Z", "Pacific/Apia", gap="skip"),
        on("2012-12-29", "10:00"),
    ),
    (
        "Apia: hourly work sees no missing day",
        at("0 * * * *", "2011-12-30T08:30:00Z", "Pacific/Apia"),
        on("2011-12-30", "09:00", "10:00", "11:00"),
    ),
    (
        "Casablanca: Ramadan begins with a fold",
        at("30 2 * * *", "2024-03-09T12:00:00Z", "Africa/Casablanca", fold="both"),
        on("2024-03-10", "01:30", "02:30") + on("2024-03-11", "02:30"),
    ),
    (
        "Casablanca: Ramadan ends with a gap",
        at("30 2 * * *", "2024-04-13T12:00:00Z", "Africa/Casablanca"),
        on("2024-04-14", "02:00") + on("2024-04-15", "01:30"),
    ),
    (
        "Dublin: negative DST has its gap in spring",
        at("30 1 * * *", "2026-03-29T00:00:00Z", "Europe/Dublin"),
        on("2026-03-29", "01:00") + on("2026-03-30", "00:30"),
    ),
    (
        "Dublin: negative DST has its fold in autumn",
        at("30 1 * * *", "2026-10-25T00:00:00Z", "Europe/Dublin", fold="both"),
        on("2026-10-25", "00:30", "01:30") + on("2026-10-26", "01:30"),
    ),
    (
        "Monrovia: noon at an offset of -0:44:30",
        at("0 12 * * *", "1972-01-06T00:00:00Z", "Africa/Monrovia"),
        on("1972-01-06", "12:44:30") + on("1972-01-07", "12:00:00"),
    ),
    (
        "Monrovia: a gap of 44 and a half minutes",
        at("20 0 * * *", "1972-01-06T12:00:00Z", "Africa/Monrovia"),
        on("1972-01-07", "00:44:30") + on("1972-01-08", "00:20:00"),
    ),
    (
        "Monrovia: shifted by 44 and a half minutes",
        at("20 0 * * *", "1972-01-06T12:00:00Z", "Africa/Monrovia", gap="shift"),
        on("1972-01-07", "01:04:30"),
    ),
    (
        "Monrovia: every half hour by the clock",
        at("*/30 * * * *", "1972-01-07T00:00:00Z", "Africa/Monrovia"),
        on("1972-01-07", "00:14:30", "01:00:00", "01:30:00"),
    ),
    (
        "Kwajalein: 21 August 1993 is missing",
        at("0 6 * * *", "1993-08-20T00:00:00Z", "Pacific/Kwajalein"),
        on("1993-08-20", "18:00") + on("1993-08-21", "12:00", "18:00"),
    ),
    (
        "Caracas 2007: half an hour back",
        at("45 2 * * *", "2007-12-09T00:00:00Z", "America/Caracas", fold="both"),
        on("2007-12-09", "06:45", "07:15") + on("2007-12-10", "07:15"),
    ),
    (
        "Caracas 2016: half an hour forth",
        at("45 2 * * *", "2016-05-01T00:00:00Z", "America/Caracas", gap="shift"),
        on("2016-05-01", "07:15") + on("2016-05-02", "06:45"),
    ),
    (
        "Kathmandu 1986: a gap of a quarter",
        at("10 0 * * *", "1985-12-31T12:00:00Z", "Asia/Kathmandu"),
        on("1985-12-31", "18:30") + on("1986-01-01", "18:25"),
    ),
    (
        "Pyongyang 2015: the last half hour twice",
        at("45 23 * * *", "2015-08-14T00:00:00Z", "Asia/Pyongyang", fold="both"),
        on("2015-08-14", "14:45", "15:15") + on("2015-08-15", "15:15"),
    ),
    (
        "Pyongyang 2018: the last half hour is missing",
        at("45 23 * * *", "2018-05-04T00:00:00Z", "Asia/Pyongyang"),
        on("2018-05-04", "15:00") + on("2018-05-05", "14:45"),
    ),
]

CLOCK = FIXED_NEW_YORK + FOLLOWING + ODD_ZONES
