#!/usr/bin/env python3
"""Writes the seeds of the fuzz corpora: inputs that somebody thought of.

    seeds.py CORPUS         CORPUS is the folder with one folder for each target

What the fuzzer found by itself lies beside them under names that are hashes, and is not touched.
"""

import pathlib
import struct
import sys

HOUR = 3600

# Zones by their index in odd_zones.c, as the byte that chooses them.
UTC, EARLY, LATE, DAY, SECONDS, QUICK, HOURLY, WEST, HALF, TWO, MIDNIGHT, ACROSS = range(12)

TIME_END = 7289654400  # 2201


def choices(zone=UTC, gap=0, fold=0, edge=None, change=None, seconds=0, at=1775638800):
    """The choices behind an expression. gap: after, shift, skip. fold: first, second, both. The instant is an index
    into the edges of time, or so many seconds away from a change of the zone's clock, or given as it is."""
    chosen = bytes([zone, gap + 3 * fold])
    week = 7 * 24 * HOUR
    if edge is not None:
        return chosen + bytes([3, edge])
    if change is not None:
        changes = {DAY: 3, SECONDS: 4, QUICK: 5}.get(zone, 1 if zone < DAY else 467)
        index = bytes([change]) if changes <= 256 else struct.pack(">H", change)
        return chosen + bytes([2]) + index + struct.pack(">I", week + seconds)[1:]
    return chosen + bytes([0]) + struct.pack(">Q", week + at)[3:]


EXPRESSIONS = {
    "every_minute": ("* * * * *", choices()),
    "every_quarter_through_gap": ("*/15 * * * *", choices(HOURLY, change=101, seconds=-HOUR)),
    "every_quarter_through_fold": ("*/15 * * * *", choices(HOURLY, change=102, seconds=-HOUR)),
    "weekdays_at_nine": ("0 9 * * MON-FRI", choices(WEST)),
    "weekdays_at_nine_in_zone": ("TZID=America/New_York:0 9 * * MON-FRI", choices(WEST)),
    "never": ("0 0 30 2 *", choices()),
    "thirty_first": ("0 0 31 * *", choices()),
    "leap_day": ("0 0 29 2 *", choices(HALF)),
    "leap_day_on_sunday": ("0 0 29 2 */7", choices(TWO)),
    "first_or_friday": ("0 0 1 * 5", choices()),
    "star_step_days": ("0 0 */2 * 1", choices()),
    "zero_and_seven": ("0 0 * * 0,7", choices()),
    "reversed_range": ("0 22-2 * * *", choices()),
    "empty_item": ("1,,2 * * * *", choices()),
    "hour_24": ("0 24 * * *", choices()),
    "rubbish_behind": ("0 9 * * 1x", choices()),
    "four_fields": ("0 9 * *", choices()),
    "eight_fields": ("0 0 0 1 1 ? 2030 x", choices()),
    "lists_and_steps": ("0,10-20/5,30 1-5/2,22 1,15,L * *", choices()),
    "all_lists": ("1,2,3 4,5,6 7,8,9 1,2,3 1,2,3", choices()),
    "names": ("5 4 * JAN,mar-May,DEC sun,Tue", choices()),
    "long_step": ("*/90 * * * *", choices()),
    "gap_after": ("30 2 * * *", choices(HOURLY, gap=0, change=101, seconds=-HOUR)),
    "gap_shift": ("30 2 * * *", choices(HOURLY, gap=1, change=101, seconds=-HOUR)),
    "gap_skip": ("30 2 * * *", choices(HOURLY, gap=2, change=101, seconds=-HOUR)),
    "fold_first": ("30 2 * * *", choices(HOURLY, fold=0, change=102, seconds=-3 * HOUR)),
    "fold_second": ("30 2 * * *", choices(HOURLY, fold=1, change=102, seconds=-3 * HOUR)),
    "fold_both": ("30 2 * * *", choices(HOURLY, fold=2, change=102, seconds=-3 * HOUR)),
    "half_hour_gap": ("0,15,45 2 * * *", choices(HALF, gap=1, change=102, seconds=-HOUR)),
    "half_hour_fold": ("45 1 * * *", choices(HALF, fold=2, change=101, seconds=-2 * HOUR)),
    "two_hours_gap": ("0 0,30 1-3 * * ?", choices(TWO, gap=1, change=101, seconds=-HOUR)),
    "missing_day": ("15 12 31 12 *", choices(DAY, gap=1, change=1, seconds=-86400)),
    "missing_day_follows_clock": ("0 */6 * * *", choices(DAY, change=1, seconds=-86400)),
    "repeated_day": ("15 12 * * *", choices(DAY, fold=1, change=2, seconds=-90000)),
    "midnight_gap": ("0 0 * * *", choices(MIDNIGHT, change=102, seconds=-HOUR)),
    "midnight_fold": ("@daily", choices(MIDNIGHT, fold=2, change=101, seconds=-2 * HOUR)),
    "across_midnight": ("15,45 0,23 * * *", choices(ACROSS, gap=1, change=101, seconds=-HOUR)),
    "odd_seconds": ("7/20 * * * * ?", choices(SECONDS, change=3, seconds=-60)),
    "quick_changes": ("0 0/10 0-23 12-25 9 ? 2020", choices(QUICK, gap=1, fold=1, change=2, seconds=-HOUR)),
    "start_of_time": ("30 19 * * *", choices(WEST, edge=2)),
    "end_of_time": ("59 18 * * *", choices(WEST, fold=1, at=TIME_END - 86400)),
    "end_of_time_in_summer": ("45 10 1 1 *", choices(HALF, fold=1, at=TIME_END - 86400)),
    "earliest_instant": ("@yearly", choices(EARLY, edge=0)),
    "latest_instant": ("@hourly", choices(LATE, edge=9)),
    "quartz_last_day": ("0 0 9 L * ?", choices()),
    "quartz_third_last_day": ("0 0 9 L-3 * ?", choices()),
    "quartz_last_weekday": ("0 0 9 LW * ?", choices()),
    "quartz_nearest_weekday": ("0 0 9 15W * ?", choices()),
    "quartz_31W": ("0 0 9 31W * ?", choices()),
    "quartz_last_friday": ("0 0 2 ? * 6L", choices()),
    "quartz_friday_name_last": ("0 0 2 ? * FRIL", choices()),
    "quartz_third_friday": ("0 0 9 ? * 6#3", choices()),
    "quartz_fifth_in_february": ("0 0 0 ? 2 7#5", choices()),
    "quartz_wrapping": ("50-10/5 0 22-2 ? NOV-FEB FRI-MON", choices()),
    "quartz_years": ("0 0 12 1 1 ? 1970,2030-2040/3,2200", choices(edge=2)),
    "quartz_one_year": ("0 0 12 29 2 ? 2196", choices(HALF, edge=2)),
    "quartz_past_year": ("0 0 12 1 1 ? 1970", choices()),
    "quartz_slash": ("/7 /5 * * * ?", choices()),
    "quartz_both_days": ("0 0 0 1 * 2", choices()),
    "quartz_two_marks": ("0 0 0 ? * ?", choices()),
    "spread": ("H H(0-7) H * *", choices() + b"nightly-report"),
    "spread_steps": ("H/15 H(8-17)/3 * H H", choices() + b"x"),
    "every_90s": ("@every 90s", choices()),
    "every_1h30m": ("@every  1h30m ", choices()),
    "every_too_short": ("@every 5ms", choices()),
    "weekly": ("@weekly", choices(TWO)),
    "annually": (" @Annually ", choices()),
    "reboot": ("@reboot", choices()),
    "no_colon": ("TZID=Europe/Paris 0 9 * * *", choices()),
    "empty_zone": ("TZID=:0 9 * * *", choices()),
    "zone_with_nul": ("TZID=\0:0 9 * * *", choices()),
    "control_character": ("@\x1b[2J", choices()),
    "not_utf8_behind_special": ("0 0 0 LW\x80 * ?", choices()),
    "blanks": ("\t 0  9 *\t* * ", choices()),
    "not_ascii": ("0 9 * * m\u00e4r", choices()),
    "empty": ("", b""),
}

TEXTS = {
    "instant": "2026-04-08T09:00:00.000Z",
    "instant_offset": "2026-04-08T09:00:00+02:00",
    "instant_small_letters": "2026-04-08t09:00:00.123456789z",
    "instant_first": "1970-01-01T00:00:00Z",
    "instant_before_first": "1970-01-01T00:00:00+00:01",
    "instant_last": "2200-12-31T23:59:59.999Z",
    "instant_leap_second": "2016-12-31T23:59:60Z",
    "instant_leap_day": "2000-02-29T12:00:00-23:59",
    "instant_no_such_day": "2100-02-29T00:00:00Z",
    "instant_no_offset": "2026-04-08T09:00:00",
    "duration": "1h30m",
    "duration_all_units": "7d2h5m30s250ms",
    "duration_ms": "250ms",
    "duration_zero": "0s",
    "duration_longest": "36600d",
    "duration_too_long": "36601d",
    "duration_overflow": "99999999999999999999h",
    "duration_wrong_order": "5m2h",
    "duration_no_unit": "90",
    "not_a_time": "next Tuesday",
    "not_ascii": "\u00fcbermorgen",
    "long_not_ascii": "\u00fc" * 29 + "x" + "\u00fc" * 29,
    "control_character": "\x1b[2J",
    "numbers_to_write": "\n\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0b\x0c\x0d\x0e\x0f",
}

DOCUMENTS = {
    "empty_object": "{}",
    "empty_array": " [ ] ",
    "job": '{"name":"welcome","cron":"0 9 * * *","retry":{"max_attempts":5,"delays":["30s","2m"],"jitter":0.2}}',
    "batch_line": '{"expr":"*/15 * * * *","tz":"Europe/Berlin","from":"2026-04-08T09:00:00Z","count":3}',
    "words": "[true,false,null]",
    "numbers": "[0,-0,1,-1,0.1,1e3,1E-3,1.5e+300,9223372036854775807,-9223372036854775808]",
    "wide_integers": '{"id":12345678901234567890123,"low":-9223372036854775809,"x":9223372036854775808}',
    "whole_reals": "[1.0,-0.0,100000000000000000000.0,1e17]",
    "too_large_number": "[1e400]",
    "escapes": '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\udd14"',
    "utf8": '{"\u00fc":"\u20ac \U0001f514","\u2028":"\ufeff"}',
    "escaped_key": '{"\\u0061b":1,"\\"":2,"\\\\":3}',
    "duplicate": '{"a":1,"b":{"a":2},"a":3}',
    "duplicate_with_quote": '{"a\\"b":1,"a\\"b":2}',
    "deep": "[" * 32 + "]" * 32,
    "too_deep": "[" * 33 + "]" * 33,
    "nested": '{"a":[{"b":[{}]},[[],[1,[2]]],"c"],"d":{"e":{"f":null}}}',
    "spaces": ' \t\r\n{ "a" : [ 1 , 2 ] , "b" : { } } \n',
    "trailing_comma": "[1,]",
    "leading_zero": "[01]",
    "comment": "[1 /* one */]",
    "nan": "[NaN]",
    "half_surrogate": '"\\ud800x"',
    "nul": '"\\u0000"',
    "control": '"\x01"',
    "bom": "\ufeff1",
    "cut": '{"a":[1,{"b":"',
    "two_values": "1 2",
}


ATTEMPT = '"attempt":"att_06c4q0wm8g001_1"'
EXCHANGES = {
    "worker_alone": '{"worker":"w-1"}',
    "whole": (
        '{"worker":"w-9f2c51d07a3be8446c1d20f5","seq":41,"name":"mailer-3","pools":["email"],"capacity":16,"want":8,'
        '"wait":"20s","targets":["http","exec","none"],"holding":["att_06c4q0wm8g003_1"],"finished":['
        '{"attempt":"att_06c4q0wm8g001_1","status":"succeeded","result":{"sent":1},"output":"sent\\n"},'
        '{"attempt":"att_06c4q0wm8g002_2","status":"failed","error":{"code":"smtp_421","message":"later"},'
        '"retryable":false,"retry_after":"30s"},{"attempt":"att_06c4q0wm8g004_1","status":"released"}],'
        '"progress":[{"attempt":"att_06c4q0wm8g003_1","percent":40,"note":"page 4 of 10"}]}'
    ),
    "nulls": '{"worker":"w","seq":null,"pools":null,"finished":[{%s,"status":"failed","error":null}]}' % ATTEMPT,
    "unknown_fields": '{"x":[{"y":"]}"}],"worker":"w","z":{"worker":"no"}}',
    "escaped_key": '{"w\\u006frker":"w"}',
    "escaped_texts": '{"worker":"\\u0077","name":"\\"\\\\"}',
    "twice": '{"worker":"w","worker":"w"}',
    "twice_unknown": '{"worker":"w","x":1,"x":2}',
    "no_worker": "{}",
    "not_an_object": "[]",
    "wide_result": '{"worker":"w","finished":[{%s,"status":"succeeded","result":123456789012345678901}]}' % ATTEMPT,
    "huge_result": '{"worker":"w","finished":[{%s,"status":"succeeded","result":1e999}]}' % ATTEMPT,
    "result_twice_inside": '{"worker":"w","finished":[{%s,"status":"succeeded","result":{"a":1,"a":2}}]}' % ATTEMPT,
    "huge_percent": '{"worker":"w","progress":[{%s,"percent":1e999}]}' % ATTEMPT,
    "no_status": '{"worker":"w","finished":[{%s}]}' % ATTEMPT,
    "bad_attempt": '{"worker":"w","holding":["att_06c4q0wm8g001_0"]}',
    "spaces": '\t{ "worker" : "w" ,\r\n"pools" : [ ] , "targets":[ ] } ',
}


def tzif_block(version, width, transitions, types, leaps, flags):
    """Header and data of one block. types: (offset, is daylight saving, abbreviation); transitions: (instant, type)."""
    chars, places = b"", {}
    for _, _, abbreviation in types:
        if abbreviation not in places:
            places[abbreviation] = len(chars)
            chars += abbreviation.encode() + b"\0"
    time = {4: ">i", 8: ">q"}[width]
    count = len(types) if flags else 0
    block = b"TZif" + version + bytes(15)
    block += struct.pack(">6I", count, count, len(leaps), len(transitions), len(types), len(chars))
    block += b"".join(struct.pack(time, at) for at, _ in transitions)
    block += bytes(index for _, index in transitions)
    block += b"".join(struct.pack(">iBB", offset, saving, places[name]) for offset, saving, name in types)
    block += chars
    block += b"".join(struct.pack(time, at) + struct.pack(">i", correction) for at, correction in leaps)
    return block + bytes(2 * count)


def tzif(types, transitions=(), footer="", version=b"2", leaps=(), flags=False):
    if version == b"\0":
        return tzif_block(version, 4, transitions, types, leaps, flags)
    short = tzif_block(version, 4, (), [(0, 0, "UTC")], (), False)
    return short + tzif_block(version, 8, transitions, types, leaps, flags) + b"\n" + footer.encode() + b"\n"


CENTRAL = [(HOUR, 0, "CET"), (2 * HOUR, 1, "CEST")]
EVERY_SPRING_AND_AUTUMN = [(86400 * (90 + 182 * n), 1 - n % 2) for n in range(20)]


def tzif_files():
    whole = tzif(CENTRAL, EVERY_SPRING_AND_AUTUMN, "CET-1CEST,M3.5.0,M10.5.0/3")
    return {
        "utc": tzif([(0, 0, "UTC")], footer="UTC0"),
        "version_1": tzif(CENTRAL, EVERY_SPRING_AND_AUTUMN, version=b"\0"),
        "version_2": whole,
        "version_3_negative_hours": tzif(
            [(-2 * HOUR, 0, "-02"), (-HOUR, 1, "-01")], [(0, 1)], "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", b"3"
        ),
        "version_4_flags": tzif(CENTRAL, EVERY_SPRING_AND_AUTUMN[:4], "CET-1CEST,M3.5.0,M10.5.0/3", b"4", flags=True),
        "half_hour": tzif([(37800, 0, "+1030"), (39600, 1, "+11")], footer="<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"),
        "two_hours": tzif([(0, 0, "+00"), (7200, 1, "+02")], footer="<+00>0<+02>-2,M3.5.0/1,M10.5.0/3"),
        "negative_saving": tzif([(HOUR, 0, "IST"), (0, 1, "GMT")], footer="IST-1GMT0,M10.5.0,M3.5.0/1"),
        "julian": tzif([(0, 0, "AAA"), (HOUR, 1, "BBB")], footer="AAA0BBB,J60/0,J300/24"),
        "day_of_year": tzif([(0, 0, "AAA"), (HOUR, 1, "BBB")], footer="AAA0BBB,0/0,365/25", version=b"3"),
        "always_saving": tzif([(0, 0, "XXX"), (-3 * HOUR, 1, "EDT")], footer="XXX3EDT4,0/0,J365/23", version=b"3"),
        "missing_day": tzif([(-11 * HOUR, 0, "-11"), (13 * HOUR, 0, "+13")], [(1325239200, 1)], "<+13>-13"),
        "repeated_day": tzif([(12 * HOUR, 0, "+12"), (-12 * HOUR, 0, "-12")], [(745934400, 1)], "<-12>12"),
        "leap_seconds": tzif(
            CENTRAL, [(100000000, 1), (200000001, 0)], leaps=[(78796800, 1), (94694401, 2), (126230402, 3)]
        ),
        "falling_leap_seconds": tzif(CENTRAL, [(100, 1), (200, 0)], leaps=[(50, 1000), (150, -1000)]),
        "latest_times": tzif(CENTRAL, [(-(2**63), 1), (2**63 - 1, 0)], leaps=[(0, -5)]),
        "latest_times_and_rule": tzif(CENTRAL, [(2**62, 1)], "CET-1CEST,M3.5.0,M10.5.0/3"),
        "footer_wide_gap": tzif([(-12 * HOUR, 0, "AAA")], footer="AAA12BBB-12,M3.2.0,M11.1.0"),
        "footer_same_day": tzif([(0, 0, "AAA")], footer="AAA0BBB,J100/2,J100/3"),
        "restless": tzif(
            [(n * 1800 - 36000, n % 2, f"Z{chr(65 + n)}Z") for n in range(20)],
            [(1000 * n, 7 * n % 20) for n in range(1, 60)],
        ),
        "same_types": tzif([(0, 0, "AAA"), (0, 0, "AAA")], [(0, 1), (1, 0)], "AAA0"),
        "seconds": tzif([(-17762, 0, "LMT"), (-18000, 0, "EST")], [(-2717650800, 1)], "EST5EDT,M3.2.0,M11.1.0"),
        "no_types": tzif([]),
        "offset_too_large": tzif([(27 * HOUR, 0, "AAA")]),
        "long_abbreviation": tzif([(0, 0, "ABCDEFGHIJKLMNOPQR")]),
        "not_in_order": tzif(CENTRAL, [(5, 1), (5, 0)]),
        "type_not_there": tzif(CENTRAL, [(5, 7)]),
        "cut_header": whole[:60],
        "cut_times": whole[:130],
        "cut_footer": whole[:-5],
        "no_footer": whole[: -len("\nCET-1CEST,M3.5.0,M10.5.0/3\n")],
        "bad_footer": tzif(CENTRAL, footer="CET-1CEST,M13.5.0,M10.5.0"),
        "huge_counts": b"TZif2" + bytes(15) + b"\xff" * 24,
        "rule": b"EST5EDT,M3.2.0,M11.1.0",
        "rule_quoted": b"<-0330>3:30<-0230>,M3.2.0/0:01:30,M11.1.0/-167:59:59",
    }


def expression_files():
    for name, (text, chosen) in EXPRESSIONS.items():
        yield name, text.encode("latin-1" if name.startswith("not_utf8") else "utf-8") + b"\n" + chosen


def main(argv):
    corpus = pathlib.Path(argv[1])
    targets = {
        "cron": dict(expression_files()),
        "time": {name: text.encode() for name, text in TEXTS.items()},
        "json": {name: text.encode() for name, text in DOCUMENTS.items()},
        "tzif": tzif_files(),
        "exchange": {name: text.encode() for name, text in EXCHANGES.items()},
    }
    for target, seeds in targets.items():
        (corpus / target).mkdir(parents=True, exist_ok=True)
        for name, content in seeds.items():
            (corpus / target / name).write_bytes(content)


if __name__ == "__main__":
    main(sys.argv)
