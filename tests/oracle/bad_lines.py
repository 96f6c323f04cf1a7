"""bad_lines: lines that the --batch commands must answer with an error, and that must not end or confuse them."""

# What is wrong with a question: these fields beside a valid expression. None takes a field away.
BAD_OPTIONS = [
    *({"gap": bad} for bad in ("sometimes", "", "AFTER ", "first", 1, True, ["after"])),
    *({"fold": bad} for bad in ("third", "", "after", 2, {"first": 1})),
    *({"count": bad} for bad in (-1, 1.5, "5", True, [1], 10**12, 10**30)),
    *({"tz": bad} for bad in ("Nowhere/Land", "europe paris", "", 5, "UTC\u0000", "A" * 5000)),
    *({"tz": bad} for bad in ("Europe", "Europe/", "Europe/Paris/", "Europe//Paris", "./UTC", "zone.tab", "tzdata.zi")),
    *({"tz": bad} for bad in ("../../../etc/passwd", "/etc/localtime", "/usr/share/zoneinfo/UTC", "Europe/../UTC")),
    *({"from": bad} for bad in ("", "yesterday", 1767225600, "2026-01-01", "2026-01-01T00:00:00", "2026-01-01T00Z")),
    *({"from": f"2026-{bad}T00:00:00Z"} for bad in ("02-29", "13-01", "00-01", "01-00", "01-32", "1-1", "06-31")),
    *({"from": f"2026-01-01T{bad}"} for bad in ("25:00:00Z", "00:60:00Z", "00:00:00+25:00", "00:00:00Z and more")),
    *({"from": f"{bad}-01-01T00:00:00Z"} for bad in (2201, 1000, "0001", "0000", 9999, 99999, -1, 26)),
    {"from": "1969-12-31T23:59:59Z"},
    *({"expr": bad} for bad in (None, 5, ["* * * * *"], {}, True)),
    *({name: "x"} for name in ("timezone", "expression", "counts", "GAP", "", "expr ")),
    {"seed": 7},
]

BAD_ZONE_LINES = [
    *('{"zone":"%s","utc":"2026-01-01T00:00:00Z"}' % bad for bad in ("Nowhere/Land", "", "../../etc/passwd", "Europe")),
    *('{"zone":"UTC","utc":%s}' % bad for bad in ('""', '"soon"', "5", "true", "null", '"2026-02-30T00:00:00Z"')),
    *('{"zone":"UTC","utc":"%s"}' % bad for bad in ("1969-12-31T23:59:59Z", "2201-01-01T00:00:00Z")),
    '{"zone":5,"utc":"2026-01-01T00:00:00Z"}',
    '{"utc":"2026-01-01T00:00:00Z"}',
    '{"zone":"UTC","utc":"2026-01-01T00:00:00Z","x":1}',
    "rubbish",
    "[]",
    "",
]

# (name, bytes of one line) that are no questions at all.
BAD_LINES = [
    ("an empty line", b""),
    ("blanks", b"   \t "),
    ("no JSON", b"rubbish"),
    ("half an object", b'{"expr":"* * * * *"'),
    ("an object and more", b'{"expr":"* * * * *"} {}'),
    ("an array", b'["* * * * *"]'),
    ("null", b"null"),
    ("a string", b'"* * * * *"'),
    ("an object without fields", b"{}"),
    ("single quotes", b"{'expr':'* * * * *'}"),
    ("a comma too many", b'{"expr":"* * * * *",}'),
    ("bytes that are not UTF-8", b'{"expr":"\xff\xfe * * * *"}'),
    ("bytes that are nothing", b"\x01\x02\x80\xff"),
    ("a NUL byte", b'{"expr":"* * * * *"\x00}'),
    ("a NUL in the expression", b'{"expr":"* * * * *\\u0000x"}'),
    ("a control character in the expression", b'{"expr":"* * * * *\\u0007"}'),
    ("deep nesting", b'{"expr":' + b"[" * 100000 + b"]" * 100000 + b"}"),
    ("an expression of a megabyte", b'{"expr":"' + b"1," * 500000 + b'1 * * * *x"}'),
    ("a field name of a megabyte", b'{"' + b"x" * 1000000 + b'":1}'),
    ("digits without end", b'{"expr":"' + b"9" * 100000 + b' * * * *"}'),
    ("a number without end", b'{"expr":"* * * * *","count":' + b"9" * 10000 + b"}"),
]
