# build: one Meson folder for each variant. Sourced by ./dev.

# Prints the folder of variant $1.
build_dir()
{
    [[ $1 == release ]] && echo build || echo "build-$1"
}

# Builds variant $1 in its folder; the rest names targets (everything where there are none). Silent if all is built.
build()
{
    configure "$1"
    ninja -C "$(build_dir "$1")" "${@:2}" |
        { grep --line-buffered -v -e '^ninja: Entering' -e '^ninja: no work to do' || true; }
}

# Sets up the folder of variant $1, unless it already is as it should be.
configure()
{
    local compiler=${CC:-} options=()
    case $1 in
    clang | fuzz) compiler=clang ;;
    esac
    # Sanitizers add false warnings (GCC's manual advises against -Werror with them), and -O2 removes some bugs, such as
    # a last write to freed memory, before they see them.
    case $1 in
    asan) options=(-Db_sanitize=address,undefined -Db_lundef=false -Dwerror=false -Doptimization=g) ;;
    tsan) options=(-Db_sanitize=thread -Db_lundef=false -Dwerror=false -Doptimization=g) ;;
    coverage) options=(-Db_coverage=true -Doptimization=0) ;;
    fuzz) options=(-Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false -Dwerror=false) ;;
    esac
    set_up "$(build_dir "$1")" "$compiler" "${options[@]}"
}

# Sets up folder $1 for compiler $2 ("" for the usual one) with the Meson options that follow. What a folder was set up
# with is written down in it, so that another CC is not silently ignored.
set_up()
{
    local dir=$1 wanted="$2 ${CFLAGS:-} ${LDFLAGS:-} ${*:3}"
    [[ -e $dir/configured && $(<"$dir/configured") == "$wanted" ]] && return

    # Ours to remove: we made it, or began to.
    if [[ -e $dir && ! -e $dir/configured && ! -e $dir/setup.log ]]; then
        echo "dev: $dir was not made by ./dev; please move it away" >&2
        exit 1
    fi
    echo "setting up $dir"
    rm -rf "$dir"
    mkdir "$dir"
    env ${2:+CC="$2"} meson setup "$dir" "${@:3}" >"$dir/setup.log" 2>&1 || { cat "$dir/setup.log" >&2; exit 1; }
    echo "$wanted" >"$dir/configured"
}
