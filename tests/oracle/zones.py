"""zones: every zone of the system's tzdata, `belfry zone --batch` against Python's zoneinfo.

Coverage: each zone name (links too) at the second before, at and after every change of offset or abbreviation from 1970
to 2200, found by zonetable, and at random instants of those years.

Usage: zones.py BELFRY
"""

import json
import random
import sys

import batch
import tap
import zonetable

YEAR_1970 = 0
YEAR_2201 = 7289654400
RANDOM_PER_ZONE = 60


def instants_to_ask(starts, rng):
    asked = {start + near for start in starts for near in (-1, 0, 1)}
    asked.update(rng.randrange(YEAR_1970, YEAR_2201) for _ in range(RANDOM_PER_ZONE))
    asked.update((YEAR_1970, YEAR_2201 - 1))
    return sorted(instant for instant in asked if YEAR_1970 <= instant < YEAR_2201)


def compare(belfry, name, instants, info):
    """The disagreements about one zone, as lines to show."""
    lines = [f'{{"zone":"{name}","utc":"{batch.iso(instant)}"}}' for instant in instants]
    wrong = []
    for line, answer, instant in zip(lines, batch.ask_lines(belfry, "zone", lines), instants):
        offset, abbreviation = zonetable.state_at(info, instant)
        local = batch.iso(instant + offset)[:-1]
        if (answer.get("offset"), answer.get("abbr"), answer.get("local")) != (offset, abbreviation, local):
            wrong.append(f"replay: {line}")
            wrong.append(f"zoneinfo: {offset} {abbreviation} {local}, belfry: {json.dumps(answer)}")
    return wrong


def main(belfry):
    out = tap.Tap()
    seed = tap.seed_from_environment()
    out.note(f"seed {seed}")
    rng = random.Random(seed)
    scanned = {}  # file content -> the zone that was scanned with it
    asked = sub_minute = 0
    for name in zonetable.names():
        zone = scanned.setdefault(zonetable.file_of(name), None) or zonetable.Zone(name)
        scanned[zonetable.file_of(name)] = zone
        instants = instants_to_ask(zone.starts, rng)
        asked += len(instants)
        sub_minute += any(offset % 60 for offset in zone.offsets)
        wrong = compare(belfry, name, instants, zone.info)
        out.ok(not wrong, f"{name} agrees with zoneinfo at {len(instants)} instants", wrong)
    out.note(f"{asked} instants in {len(scanned)} distinct zones")
    out.ok(sub_minute > 0, f"{sub_minute} zones with offsets that are not whole minutes were among them")
    return out.done()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
