# bench: measurements, on the release build. Sourced by ./dev.

# Runs benchmark $1 with the arguments that follow, or all of them.
run_bench()
{
    local wanted=${1:-} name names=()
    for name in build/tests/bench/bench_*; do
        [[ -f $name && -x $name ]] && names+=("${name##*/bench_}")
    done
    if [[ ${#names[@]} -eq 0 || " ${names[*]} " != *" ${wanted:-${names[0]}} "* ]]; then
        echo "dev: no benchmark ${wanted:-at all}; there is: ${names[*]:-nothing yet}" >&2
        return 1
    fi

    [[ -z $wanted ]] || names=("$wanted")
    for name in "${names[@]}"; do
        "build/tests/bench/bench_$name" "${@:2}"
    done
}
