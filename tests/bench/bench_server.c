/* bench_server: what the whole server does: the real binary, over HTTP, with a real SQLite on a real disk, fsync and
 * all; client and server share the machine.
 *
 *     ./dev bench server [--data DIR] [--seconds N] [--belfry FILE] [PART...]
 *
 *     lifecycle    jobs created, claimed and finished, in batches
 *     create       single creates over 64 connections
 *     bulk         creates of 10,000 at once
 *     pickup       an idle server: from a create to its grant
 *     lag          2,000 fires a second: how late they are granted
 *     herd         thousands of jobs due at one instant, beside another tenant
 *     waiting      5,000 workers that wait
 *     restart      a million jobs a day ahead: start-up and memory
 *
 * Data goes to a new folder below DIR (default: beside this program), which is removed at the end. Nothing fails
 * because of time.
 */
#include "server_main.h"

int main(int argc, char **argv)
{
    static const struct bench_part parts[] = {
        {"lifecycle", part_lifecycle}, {"create", part_create},   {"bulk", part_bulk},
        {"pickup", part_pickup},       {"lag", part_lag},         {"herd", part_herd},
        {"waiting", part_waiting},     {"restart", part_restart},
    };

    return bench_main(argc, argv, &(struct bench_parts){.parts = parts, .count = sizeof parts / sizeof parts[0]});
}
