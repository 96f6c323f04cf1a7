/* What the playbook asks of the server itself. */
#include <inttypes.h>

#include "api/doctor.h"
#include "model/record.h"

#define BACKLOG_MAX 10000
#define SLOW_COMMIT_US 1000000
#define DAY_MS (24 * INT64_C(3600000))

void doctor_system(struct doctor *doctor)
{
    doctor_check(doctor, "engine", "system", "Does the engine work?");
    doctor_looked(doctor, "it was made anew %" PRIu64 " times; %zu jobs could not be read back", doctor->shard.restarts,
                  doctor->health.unreadable);
    if (doctor->shard.restarts > 0) {
        doctor_put_count(doctor_find(doctor, DOCTOR_WARNING, "see the log: shard.down says why",
                                     "the engine was made anew %" PRIu64 " times since the start",
                                     doctor->shard.restarts),
                         (int64_t)doctor->shard.restarts);
        doctor_found(doctor);
    }
    if (doctor->health.unreadable > 0) {
        doctor_put_count(doctor_find(doctor, DOCTOR_CRITICAL, "see the log for which, and create them again",
                                     "%zu jobs could not be read back from the store", doctor->health.unreadable),
                         (int64_t)doctor->health.unreadable);
        doctor_found(doctor);
    }
    doctor_check(doctor, "store_behind", "system", "Did the store go back?");
    doctor_looked(doctor, "it was behind %" PRIu64 " times since the start", doctor->shard.rewinds);
    if (doctor->shard.rewinds > 0) {
        doctor_put_count(
            doctor_find(doctor, DOCTOR_CRITICAL,
                        "see the log: store.behind says when. What was answered in those batches is gone: jobs "
                        "created then are missing, attempts that ended then run again",
                        "the database was %" PRIu64 " batches behind what this server had seen of it",
                        doctor->shard.lost_batches),
            (int64_t)doctor->shard.lost_batches);
        doctor_found(doctor);
    }
    doctor_check(doctor, "backlog", "system", "Does work pile up?");
    doctor_looked(doctor, "%" PRId64 " are ready", doctor->all.ready);
    if (doctor->all.ready > BACKLOG_MAX) {
        doctor_put_count(doctor_find(doctor, DOCTOR_WARNING, "more workers; see which pool has the most",
                                     "%" PRId64 " are ready", doctor->all.ready),
                         doctor->all.ready);
        doctor_command(doctor, "belfry pools");
        doctor_found(doctor);
    }
    doctor_check(doctor, "commits", "system", "Is the store quick?");
    doctor_looked(doctor, "the longest commit took %" PRId64 " ms", doctor->shard.commit_max_us / 1000);
    if (doctor->shard.commit_max_us > SLOW_COMMIT_US) {
        (void)doctor_find(doctor, DOCTOR_WARNING, "see what else uses that disk", "a commit took %" PRId64 " ms",
                          doctor->shard.commit_max_us / 1000);
        doctor_found(doctor);
    }
    doctor_check(doctor, "zones", "system", "Did time zones get other rules?");
    doctor_looked(doctor, "tzdata is %s; %" PRIu64 " jobs were moved and %" PRIu64 " wait",
                  doctor->zones.version[0] != '\0' ? doctor->zones.version : "unknown", doctor->zones.moved,
                  doctor->zones.waiting);
    if (doctor->zones.moved_ms != TIME_NONE && doctor->zones.moved_ms > doctor->figures.now_ms - DAY_MS) {
        doctor_put_count(
            doctor_find(doctor, DOCTOR_WARNING,
                        "look at the next fires of these jobs; their versions and the log say which they are",
                        "tzdata is %s now, and %" PRIu64 " jobs follow the new rules of %s or of others",
                        doctor->zones.version, doctor->zones.moved, doctor->zones.moved_zone),
            (int64_t)doctor->zones.moved);
        doctor_found(doctor);
    }
    if (doctor->zones.waiting > 0) {
        doctor_put_count(doctor_find(doctor, DOCTOR_WARNING, "let them run what is due; they are moved then",
                                     "%" PRIu64
                                     " jobs follow former rules of their time zone until a due fire is decided",
                                     doctor->zones.waiting),
                         (int64_t)doctor->zones.waiting);
        doctor_found(doctor);
    }
    doctor_check(doctor, "draining", "system", "Does this server stay?");
    doctor_looked(doctor, "this server is %s", doctor->health.is_draining ? "going" : "staying");
    if (doctor->health.is_draining) {
        (void)doctor_find(doctor, DOCTOR_WARNING, "wait for it to go, and use another", "this server is going");
        doctor_found(doctor);
    }
}
