"""checker: whether what clients and workers were told is what the database holds, after all faults have healed.

Each check is a function of a History and Tables, and gives what it found wrong, as text; none: nothing.

Rules: (1) only what is certain counts: a request that nobody knows the end of (INFO) may have been done or not, but not
           twice.
       (2) a check that compared too little has found something wrong: that.
"""

import collections

import tables as tables_module

number_of = tables_module.number_of


def index(rows, key):
    found = collections.defaultdict(list)
    for row in rows:
        found[row[key]].append(row)
    return found


def nothing_acknowledged_is_lost(history, tables):
    by_label = index([job for job in tables.jobs if job["label"] is not None], "label")
    for one in history.creates:
        there = by_label.get(one.label, [])
        if one.is_done and len(there) != 1:
            yield f"job {one.label} ({one.kind}) was acknowledged and is there {len(there)} times: {one}"
        elif one.is_done and one.ids != {f"job_{spell(there[0]['id'])}"}:
            yield f"job {one.label} ({one.kind}) was told as {one.ids} and is {there[0]['id']}"
        elif one.is_impossible and there:
            yield f"job {one.label} ({one.kind}) was refused for certain, and is there: {one}"
        elif len(there) > 1:
            yield f"job {one.label} ({one.kind}) is there {len(there)} times: {one}"
        if one.is_cancelled and there and there[0]["status"] != "cancelled":
            yield f"job {one.label} was cancelled, and is {there[0]['status']}"


def spell(number):
    text = ""
    for _ in range(13):
        text = tables_module.ALPHABET[number % 32] + text
        number //= 32
    return text


def runs_are_there_once(history, tables):
    by_label = index([trigger for trigger in tables.triggers if trigger["kind"] == "manual"], "label")
    for one in history.runs:
        there = by_label.get(one.label, [])
        if len(there) > 1 or (one.is_done and len(there) != 1):
            yield f"run {one.label} is there {len(there)} times: {one}"
        elif one.is_done and one.ids != {f"trg_{spell(there[0]['id'])}"}:
            yield f"run {one.label} was told as {one.ids} and is {there[0]['id']}"


def no_fire_twice(history, tables):
    del history
    fires = collections.Counter(
        (trigger["job"], trigger["scheduled_ms"]) for trigger in tables.triggers if trigger["kind"] == "schedule"
    )
    for (job, at), count in fires.items():
        if count > 1:
            yield f"job {job} fired {count} times for {at}"
    scheduled = collections.Counter(job for job, _ in fires)
    for job in tables.jobs:
        if not job["is_recurring"] and scheduled[job["id"]] > 1:
            yield f"job {job['id']} is to fire once, and fired {scheduled[job['id']]} times"


def each_attempt_is_one_worker_s(history, tables):
    del tables
    workers = collections.defaultdict(set)
    for grant in history.grants:
        workers[grant.attempt].add(grant.worker)
    for attempt, names in workers.items():
        if len(names) > 1:
            yield f"{attempt} was given to {names}"


def told_by_tables(tables):
    """Of each attempt (trigger, number) that ended: how, and whose it was."""
    told = {(row["id"], row["last_number"]): (row["last_state"], row["last_worker"]) for row in tables.triggers}
    told.update({(row["trigger"], row["number"]): (row["state"], row["worker"]) for row in tables.attempts})
    return told


def attempt_of(report):
    return number_of(report.attempt), int(report.attempt.split("_")[2])


def was_heard(report, told):
    """An answer that was lost is asked for again; by then a newer attempt may be out, and the old one stale."""
    is_there = told.get(attempt_of(report)) == (report.status, report.worker)
    return report.is_own and (report.is_accepted or (report.times > 1 and is_there))


def only_the_newest_attempt_is_heard(history, tables):
    """What was accepted is what the tables say; nobody but its worker ends an attempt."""
    told = told_by_tables(tables)
    succeeded = collections.Counter()
    for report in history.reports:
        if report.is_accepted and not report.is_own:
            yield f"a report of {report.attempt} by a stranger was accepted: {report}"
        elif report.is_own and not was_heard(report, told):
            yield f"the worker that held {report.attempt} all the time was refused: {report}"
        elif report.is_own and told.get(attempt_of(report)) != (report.status, report.worker):
            yield f"{report} was accepted, and the tables have {told.get(attempt_of(report))}"
        succeeded[attempt_of(report)[0]] += report.is_accepted and report.status == "succeeded"
    for trigger, count in succeeded.items():
        if count > 1:
            yield f"trigger {trigger} succeeded {count} times"


def nothing_runs_twice(history, tables):
    """Workers kept all they held, so each attempt after the first has a failure that somebody reported as its cause."""
    told = told_by_tables(tables)
    failed = collections.Counter(
        number_of(report.attempt) for report in history.reports if report.status == "failed" and was_heard(report, told)
    )
    for trigger in tables.triggers:
        if trigger["state"] == "succeeded" and trigger["attempts"] != failed[trigger["id"]] + 1:
            yield f"trigger {trigger['id']} took {trigger['attempts']} attempts, and {failed[trigger['id']]} failed"
    for attempt in tables.attempts:
        if attempt["state"] != "failed":
            yield f"attempt {attempt['number']} of trigger {attempt['trigger']} was {attempt['state']}"


def limits_hold(history, tables):
    """By the workers' own clocks: from when they were told to when they began to say that it is over."""
    del tables
    by_key = collections.defaultdict(list)
    for grant in history.grants:
        if "limited" in grant.payload and grant.end is not None:
            by_key[grant.payload["limited"]].append((grant.begin, grant.end, grant.attempt))
    for key, intervals in by_key.items():
        last_end, last = 0, None
        for begin, end, attempt in sorted(intervals):
            if begin < last_end:
                yield f"{key}: {attempt} began while {last} ran"
            last_end, last = max(last_end, end), attempt


def nothing_is_stuck(history, tables):
    del history
    for trigger in tables.triggers:
        if trigger["state"] not in ("succeeded", "cancelled"):
            yield f"trigger {trigger['id']} is {trigger['state']}"
    for job in tables.jobs:
        if job["pool"] == "work" and not job["is_recurring"] and job["status"] == "active" and job["name"] != "manual":
            yield f"job {job['label']} was never run"
    if tables.claims:
        yield f"{tables.claims} claims are out"


def one_owner_at_a_time(history, tables):
    """Batches follow each other without a gap; an epoch has one nonce, and never comes after a later one."""
    del history
    nonces = collections.defaultdict(set)
    for before, batch in zip([None, *tables.batches], tables.batches):
        nonces[batch["epoch"]].add((batch["nonce_0"], batch["nonce_1"]))
        if before is not None and batch["number"] != before["number"] + 1:
            yield f"batch {batch['number']} comes after {before['number']}"
        if before is not None and batch["epoch"] < before["epoch"]:
            yield f"batch {batch['number']} of epoch {batch['epoch']} comes after one of {before['epoch']}"
    for epoch, found in nonces.items():
        if len(found) > 1:
            yield f"epoch {epoch} had {len(found)} owners"
    if tables.batches and tables.batches[-1]["number"] != tables.shard["last_batch"]:
        yield f"the last batch is {tables.shard['last_batch']}, and the log ends with {tables.batches[-1]['number']}"


CHECKS = (
    nothing_acknowledged_is_lost, runs_are_there_once, no_fire_twice, each_attempt_is_one_worker_s,
    only_the_newest_attempt_is_heard, nothing_runs_twice, limits_hold, nothing_is_stuck, one_owner_at_a_time,
)


def too_few(history):
    """What there is too little of to compare (rule 2)."""
    compared = [
        ("creates", sum(one.is_done for one in history.creates), 50),
        ("creates without a key", sum(not one.has_key for one in history.creates), 10),
        ("cancelled", sum(one.is_cancelled for one in history.creates), 1),
        ("runs", sum(one.is_done for one in history.runs), 1),
        ("reports", sum(report.is_accepted for report in history.reports), 50),
        ("lies", sum(not report.is_own for report in history.reports), 5),
        ("limited", sum("limited" in grant.payload for grant in history.grants), 10),
        ("failures", sum(report.status == "failed" for report in history.reports), 3),
    ]
    return [f"too few {name} to say anything: {count}" for name, count, least in compared if count < least]


def check(history, tables):
    """All that is wrong, at most some of each kind."""
    found = []
    for one in CHECKS:
        wrong = list(one(history, tables))
        found += [f"{one.__name__}: {text}" for text in wrong[:5]]
        if len(wrong) > 5:
            found.append(f"{one.__name__}: and {len(wrong) - 5} more")
    return found + too_few(history)
