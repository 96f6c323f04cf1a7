# fuzz: libFuzzer on what reads bytes from outside. Sourced by ./dev.

# Fuzzes target $1, or each of them ("" for all), for $2 seconds each.
run_fuzz()
{
    local wanted=$1 seconds=$2 target targets=() failed=0
    for target in tests/fuzz/fuzz_*.c; do
        [[ -e $target ]] || continue
        target=${target##*/fuzz_}
        targets+=("${target%.c}")
    done
    if [[ ${#targets[@]} -eq 0 || " ${targets[*]} " != *" ${wanted:-${targets[0]}} "* ]]; then
        echo "dev: no fuzz target ${wanted:-at all}; there is: ${targets[*]:-nothing yet}" >&2
        return 1
    fi

    [[ -z $wanted ]] || targets=("$wanted")
    build fuzz "${targets[@]/#/tests/fuzz/fuzz_}"
    finds=$(mktemp -d)
    trap 'rm -rf "$finds"' EXIT
    for target in "${targets[@]}"; do
        fuzz_target "$target" "$seconds" || failed=1
    done
    return $failed
}

# New inputs go to the first folder, which is thrown away; an input that crashes is kept as ./crash-TARGET-...
fuzz_target()
{
    local target=$1 program=build-fuzz/tests/fuzz/fuzz_$1 corpus=tests/fuzz/corpus/$1 options=() before crash
    mkdir "$finds/$target"
    [[ -e tests/fuzz/$target.dict ]] && options+=("-dict=tests/fuzz/$target.dict")
    [[ -d $corpus ]] && options+=("$corpus")

    echo "fuzzing $target for $2 s"
    before=$(mktemp -p "$finds")
    sanitizer_options
    "$program" -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="./crash-$target-" "$finds/$target" "${options[@]}" && return

    while read -r crash; do
        echo "replay: $program $crash"
        echo "keep:   mv $crash $corpus/"
    done < <(find . -maxdepth 1 -name "crash-$target-*" -newer "$before")
    return 1
}
