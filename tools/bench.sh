# bench: measurements, on the release build. Sourced by ./dev.

# Runs benchmark $1 with the arguments that follow, or all of them.
run_bench()
{
    local name=${1:-} program
    local -A programs=()
    for program in build/tests/bench/bench_*; do
        [[ -f $program && -x $program ]] && programs[${program##*/bench_}]=$program
    done

    if [[ -z $name && ${#programs[@]} -gt 0 ]]; then
        for name in "${!programs[@]}"; do
            "${programs[$name]}"
        done
    elif [[ -n $name && -n ${programs[$name]:-} ]]; then
        "${programs[$name]}" "${@:2}"
    else
        echo "dev: no benchmark ${name:-at all}; there is: ${!programs[*]}" >&2
        return 1
    fi
}
