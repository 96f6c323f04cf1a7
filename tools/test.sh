# test: everything that can fail, counted. Sourced by ./dev.

# Runs the tests of variant $1 whose suite or name contains $2 ("" for all). The verdict is the last line.
run_tests()
{
    local variant=$1 filter=$2 dir names wrapper=()
    dir=$(build_dir "$variant")

    mapfile -t names < <(tools/test_report.py names "$dir" "$filter")
    if ((${#names[@]})); then
        sanitizer_options
        # gcc 12's ThreadSanitizer stops at some layouts of the address space; containers may forbid to fix it.
        if [[ $variant == tsan ]] && setarch -R true 2>/dev/null; then
            wrapper=(setarch -R)
        fi
        rm -f "$dir/meson-logs/testlog.json"
        find "$dir" -name '*.gcda' -delete # the coverage of earlier runs
        # Whether it went well is for the report to say: it counts cases, Meson counts programs.
        "${wrapper[@]}" meson test -C "$dir" --no-rebuild --timeout-multiplier "$(patience "$variant")" "${names[@]}" ||
            true
    fi
    if [[ $variant == coverage ]]; then
        report_coverage "$dir" || true
    fi
    tools/test_report.py verdict "$dir" "$filter"
}

# What the run in folder $1 covered: the branches of each file, then lines and branches of each layer. Left out are
# branches that no test should take, or that are not those of the line they stand on:
# - assert(...): its other branch is a bug. (The checks that return false, such as engine_check, do count.)
# - STR_ARGS(...): the macro asks whether printf can take the slice as it is, wherever one is printed.
# - tests/sim/mutants: the engine once more, with mistakes to switch on that are branches of the same lines.
report_coverage()
{
    local data=$1/coverage.json layer
    gcovr --root . --filter src/ --exclude-directories '.*/mutants\.p' \
        --exclude-branches-by-pattern '.*\b(assert|STR_ARGS)\(' --json "$data" "$1" || return
    gcovr --root . --add-tracefile "$data" --branches
    for layer in src/*/; do
        echo "$layer $(gcovr --root . --add-tracefile "$data" --filter "$layer" --output "$data.txt" --print-summary |
            sed -n 's/^\(lines\|branches\): /\1 /p' | paste -sd ' ')"
    done
}

# A sanitizer's finding ends the program, so that no test passes over it. What the caller has set comes last and wins.
sanitizer_options()
{
    local asan=halt_on_error=1:detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1
    export ASAN_OPTIONS="$asan:${ASAN_OPTIONS:-}"
    export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1:${UBSAN_OPTIONS:-}"
    export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1:${TSAN_OPTIONS:-}"
}

# How many times its time limit a test gets: sanitizers are slow.
patience()
{
    case $1 in
    asan | tsan | coverage) echo 5 ;;
    *) echo 1 ;;
    esac
}
