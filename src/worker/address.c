#include "worker/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct range4 {
    uint32_t first;
    int bits;
};

#define IP4(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

/* IANA's special-purpose registry, and what is no unicast. */
static const struct range4 denied4[] = {
    {IP4(0, 0, 0, 0), 8},      {IP4(10, 0, 0, 0), 8},     {IP4(100, 64, 0, 0), 10}, {IP4(127, 0, 0, 0), 8},
    {IP4(169, 254, 0, 0), 16}, {IP4(172, 16, 0, 0), 12},  {IP4(192, 0, 0, 0), 24},  {IP4(192, 0, 2, 0), 24},
    {IP4(192, 88, 99, 0), 24}, {IP4(192, 168, 0, 0), 16}, {IP4(198, 18, 0, 0), 15}, {IP4(198, 51, 100, 0), 24},
    {IP4(203, 0, 113, 0), 24}, {IP4(224, 0, 0, 0), 4},    {IP4(240, 0, 0, 0), 4},
};

struct range6 {
    uint8_t first[16];
    int bits;
};

/* Inside of 2000::/3, which alone is global unicast: what is not open, or has an IPv4 address inside. */
static const struct range6 denied6[] = {
    {{0x20, 0x01, 0x00, 0x00}, 23}, /* IETF protocol assignments, Teredo among them */
    {{0x20, 0x01, 0x0d, 0xb8}, 32}, /* documentation */
    {{0x20, 0x02}, 16},             /* 6to4 */
    {{0x3f, 0xff}, 20},             /* documentation */
};

static bool is_global4(uint32_t address)
{
    for (size_t i = 0; i < sizeof denied4 / sizeof denied4[0]; i++) {
        if ((address ^ denied4[i].first) >> (32 - denied4[i].bits) == 0) {
            return false;
        }
    }
    return true;
}

static bool begins_with(const uint8_t *address, const uint8_t *first, int bits)
{
    for (int i = 0; i < bits; i++) {
        if (((address[i / 8] ^ first[i / 8]) >> (7 - i % 8) & 1) != 0) {
            return false;
        }
    }
    return true;
}

static bool is_global6(const uint8_t *address)
{
    static const uint8_t global[16] = {0x20};

    if (!begins_with(address, global, 3)) {
        return false;
    }
    for (size_t i = 0; i < sizeof denied6 / sizeof denied6[0]; i++) {
        if (begins_with(address, denied6[i].first, denied6[i].bits)) {
            return false;
        }
    }
    return true;
}

bool address_is_global(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        struct sockaddr_in in;

        memcpy(&in, address, sizeof in);
        return is_global4(ntohl(in.sin_addr.s_addr));
    }
    if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 in6;

        memcpy(&in6, address, sizeof in6);
        return is_global6(in6.sin6_addr.s6_addr);
    }
    return false;
}
