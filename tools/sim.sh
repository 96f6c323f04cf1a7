# sim: worlds made of seeds, in which everything goes wrong. Sourced by ./dev.

# Runs the simulator with the arguments given. It is built alone: nothing else is needed for it.
run_sim()
{
    build release tests/sim/sim
    build/tests/sim/sim "$@"
}
