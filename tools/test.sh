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
        gcovr --root . --filter src/ "$dir" || true
    fi
    tools/test_report.py verdict "$dir" "$filter"
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
