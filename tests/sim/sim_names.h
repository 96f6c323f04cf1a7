/* sim_names: the pools, tenants, types and keys of a world. The first of each is the default.
 */
#ifndef TESTS_SIM_SIM_NAMES_H
#define TESTS_SIM_SIM_NAMES_H

#include "base/str.h"

#define POOLS_MAX 3
#define TENANTS_MAX 4
#define TYPES_MAX 3

static inline struct str sim_pool_name(unsigned index)
{
    static const struct str names[POOLS_MAX] = {STR_INIT("default"), STR_INIT("email"), STR_INIT("heavy")};

    return names[index % POOLS_MAX];
}

static inline struct str sim_tenant_name(unsigned index)
{
    static const struct str names[TENANTS_MAX] = {STR_INIT("default"), STR_INIT("acme"), STR_INIT("bell"),
                                                  STR_INIT("cork")};

    return names[index % TENANTS_MAX];
}

static inline struct str sim_type_name(unsigned index)
{
    static const struct str names[TYPES_MAX] = {STR_INIT("default"), STR_INIT("mail"), STR_INIT("bill")};

    return names[index % TYPES_MAX];
}

#endif
