"""zonetable: what Python's zoneinfo says of a zone, as a table of changes, and local times looked up in it.

Offsets and abbreviations come from zoneinfo alone. The system's file is read only for hints where to look closely
(a change that lasts a few days would fall between two steps of the scan), never for answers.

Rules: (1) starts[i] is the first second of segment i; segments are without holes and cover 1970 to 2200 and a little
           more.
"""

import bisect
import functools
import struct
import zoneinfo
from datetime import datetime

SCAN_FROM = -10 * 86400  # a local time of 1970-01-01 may be an instant of 1969
SCAN_TO = 7289654400 + 10 * 86400  # 2201-01-01, and a little more
SCAN_STEP = 10 * 86400


def names():
    """Every zone of the system's tzdata. `localtime` is this machine's setting and no zone's name."""
    return sorted(zoneinfo.available_timezones() - {"localtime"})


def file_of(name):
    """The bytes of a zone's file: equal bytes are equal zones, so that links are scanned once."""
    for folder in zoneinfo.TZPATH:
        try:
            with open(f"{folder}/{name}", "rb") as file:
                return file.read()
        except OSError:
            continue
    raise SystemExit(f"zone {name} has no file in {zoneinfo.TZPATH}")


def hints(data):
    """The change instants in a TZif file's 64-bit table (RFC 9636, section 3); none for a file of version 1."""
    if data[4:5] == b"\0":
        return ()
    isut, isstd, leap, times, types, chars = struct.unpack(">6l", data[20:44])
    second = 44 + times * 5 + types * 6 + chars + leap * 8 + isstd + isut
    times = struct.unpack(">l", data[second + 32 : second + 36])[0]
    return struct.unpack(f">{times}q", data[second + 44 : second + 44 + 8 * times])


class Zone:
    def __init__(self, name):
        self.name = name
        self.info = zoneinfo.ZoneInfo(name)
        self.starts, self.states = scan(self.info, file_of(name))
        self.offsets = [state[0] for state in self.states]

    def offset_at(self, instant):
        return self.offsets[bisect.bisect_right(self.starts, instant) - 1]

    def segments(self, first, last):
        """(start, end, offset) of the segments that touch first..last; the end is exclusive."""
        index = max(0, bisect.bisect_right(self.starts, first) - 1)
        while index < len(self.starts) and self.starts[index] <= last:
            end = self.starts[index + 1] if index + 1 < len(self.starts) else SCAN_TO
            yield self.starts[index], end, self.offsets[index]
            index += 1

    def gap_around(self, local):
        """(first instant after the gap, offset before it) for a local time that no clock ever showed."""
        before = None
        for start, _, offset in self.segments(local - 2 * 86400, local + 2 * 86400):
            if before is not None and start + before <= local < start + offset:
                return start, before
            before = offset
        raise SystemExit(f"{self.name}: local second {local} is in no gap")

    def gaps_and_folds(self, first, last):
        """(instant, offset before, offset after) of each change of offset."""
        changes = zip(self.starts[1:], self.offsets, self.offsets[1:])
        return [change for change in changes if first <= change[0] <= last and change[1] != change[2]]


def state_at(info, instant):
    moment = datetime.fromtimestamp(instant, info)
    return int(moment.utcoffset().total_seconds()), moment.tzname()


def scan(info, data):
    """starts and states (offset, abbreviation) of a zone, by stepping and bisection."""
    looks = set(range(SCAN_FROM, SCAN_TO, SCAN_STEP))
    looks.update(look for hint in hints(data) for look in (hint - 1, hint) if SCAN_FROM < look < SCAN_TO)
    starts, states = [SCAN_FROM], [state_at(info, SCAN_FROM)]
    low = SCAN_FROM
    for high in sorted(looks):
        state = state_at(info, high)
        while state != states[-1]:
            low = first_change(info, low, high, states[-1])
            starts.append(low)
            states.append(state_at(info, low))
        low = high
    return starts, states


def first_change(info, low, high, state):
    """A second in low..high that differs from state although the one before it does not."""
    while high - low > 1:
        middle = (low + high) // 2
        if state_at(info, middle) == state:
            low = middle
        else:
            high = middle
    return high


@functools.lru_cache(maxsize=None)
def load(name):
    return Zone(name)
