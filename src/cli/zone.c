#include "cli/command.h"

#include <stdlib.h>

#include "cli/zone_batch.h"
int command_zone(int argc, char **argv)
{
    (void)argc; (void)argv;
    struct zone_cache *zones = zone_cache_new(getenv("TZDIR"));
    struct error error;
    enum err err = zone_batch(zones, &error);
    zone_cache_free(zones);
    return err == ERR_OK ? EXIT_DONE : command_refuse("zone", &error);
}
