# check: what the tools hold of the house style. Sourced by ./dev.

# Runs every check, each even after another has failed, and ends with a verdict.
run_checks()
{
    local failed=() sources
    mapfile -t sources < <(find src clients tests -name node_modules -prune -o -name '*.[ch]' -print | sort)

    check format xargs_each clang-format --dry-run -Werror
    check layers tools/check_layers.py
    check headers tools/check_headers.sh build
    check tidy tools/check_tidy.py build-clang
    check cppcheck run_cppcheck

    if ((${#failed[@]})); then
        echo "check: failed: ${failed[*]}"
        return 1
    fi
    echo "check: all good"
}

# Runs check $1 as the command that follows, shows what it says only if it fails, and remembers that.
check()
{
    local name=$1 output began=$SECONDS
    shift
    if output=$("$@" 2>&1); then
        echo "ok    $name ($((SECONDS - began)) s)"
    else
        printf '%s\n' "$output"
        echo "FAIL  $name"
        failed+=("$name")
    fi
}

# Runs the command over all sources, in parallel.
xargs_each()
{
    printf '%s\0' "${sources[@]}" | xargs -0 -P "$(nproc)" -n 16 "$@"
}

# The rest of cppcheck's opinions is either clang-tidy's business or a matter of taste. NULL is a pointer wherever
# Belfry builds, so it may end a list of arguments (varFuncNullUB).
run_cppcheck()
{
    mkdir -p build-clang/cppcheck
    cppcheck --quiet --error-exitcode=1 -j "$(nproc)" --cppcheck-build-dir=build-clang/cppcheck \
        --enable=warning,performance,portability --inline-suppr --std=c11 -D_GNU_SOURCE '-D__typeof__(x)=void *' -I src \
        --suppress=missingIncludeSystem --suppress=unknownMacro --suppress=varFuncNullUB "${sources[@]}"
}
