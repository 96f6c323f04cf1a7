#include "cli/command.h"

#include <getopt.h>
#include <stdlib.h>

#include "cli/next_batch.h"
int command_next(int argc, char **argv)
{
    (void)argc; (void)argv;
    struct zone_cache *zones = zone_cache_new(getenv("TZDIR"));
    struct error error;
    enum err err = next_batch(zones, &error);
    zone_cache_free(zones);
    return err == ERR_OK ? EXIT_DONE : command_refuse("next", &error);
}
