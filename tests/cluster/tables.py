"""tables: what the database holds when all is over, in the words of the API."""

import dataclasses
import json

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
JOB_STATUS = ["active", "paused", "cancelled", "completed"]
TRIGGER_STATES = ["waiting", "pending", "running", "succeeded", "dead", "cancelled"]
ATTEMPT_STATES = ["started", "succeeded", "failed", "timed_out", "lost", "released", "cancelled"]
KINDS = ["schedule", "manual", "backfill", "replay", "dependency"]


def number_of(text):
    """The 64 bits of job_…, trg_…, att_…_n."""
    value = 0
    for letter in text.split("_")[1]:
        value = value * 32 + ALPHABET.index(letter)
    return value


@dataclasses.dataclass
class Tables:
    """Lists of dicts, by the columns' names; states are words."""

    jobs: list
    triggers: list
    attempts: list  # those that did not end their trigger
    batches: list
    shard: dict
    claims: int


def read(database):
    jobs = database.rows("SELECT id, name, status, def FROM belfry.jobs")
    for job in jobs:
        job["status"] = JOB_STATUS[job["status"]]
        definition = json.loads(job.pop("def"))
        job["pool"] = definition.get("pool", "default")
        job["label"] = definition.get("payload", {}).get("label")
        job["is_recurring"] = "every" in definition or "cron" in definition
    triggers = database.rows(
        "SELECT id, job, kind, state, scheduled_ms, attempts, failures, lost_run, last_number, last_state, last_worker,"
        " payload FROM belfry.triggers"
    )
    for trigger in triggers:
        trigger["state"] = TRIGGER_STATES[trigger["state"]]
        trigger["kind"] = KINDS[trigger["kind"]]
        trigger["last_state"] = ATTEMPT_STATES[trigger["last_state"]]
        trigger["label"] = json.loads(trigger.pop("payload") or "{}").get("label")
    attempts = database.rows("SELECT trigger, number, state, worker FROM belfry.attempts")
    for attempt in attempts:
        attempt["state"] = ATTEMPT_STATES[attempt["state"]]
    return Tables(
        jobs, triggers, attempts,
        database.rows("SELECT number, epoch, nonce_0, nonce_1 FROM belfry.batch_log ORDER BY number"),
        database.rows("SELECT epoch, last_batch, nonce_0, nonce_1 FROM belfry.shards")[0],
        database.value("SELECT count(*) FROM belfry.claims"),
    )


# What is still to come: claims that are out, triggers that wait, one-time jobs of the pool that nobody has run. What
# fires again and again is paused by now.
LEFT = """
    SELECT (SELECT count(*) FROM belfry.claims) + (SELECT count(*) FROM belfry.triggers WHERE state <= 2)
         + (SELECT count(*) FROM belfry.jobs
            WHERE status = 0 AND def::json ->> 'pool' = 'work' AND coalesce(name, '') <> 'manual')
"""


def left(database):
    return database.value(LEFT)
