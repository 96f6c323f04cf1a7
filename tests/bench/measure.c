#include "measure.h"

#include <stdint.h>

#include "base/chrono.h"

double measure_ns(measured *run, void *context, size_t calls, int repeats)
{
    int64_t shortest_ns = INT64_MAX;

    for (int i = 0; i < repeats; i++) {
        int64_t begin_ns = chrono_mono_ns();
        run(context, calls);
        int64_t took_ns = chrono_mono_ns() - begin_ns;

        shortest_ns = took_ns < shortest_ns ? took_ns : shortest_ns;
    }
    return (double)shortest_ns / (double)calls;
}

double measure_millions(double ns)
{
    return 1000.0 / ns;
}

const char *measure_verdict(double value, double value_max)
{
    return value <= value_max ? "met" : "missed";
}
