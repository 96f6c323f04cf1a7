# install: what the machine lacks. Sourced by ./dev, which stands in the project's folder.

# Prints the packages of the groups $@ that are not here, one a line. Runs at every start, so it asks dpkg only once.
missing_packages()
{
    local group probe package installed libraries=()
    while read -r group probe package; do
        [[ " $* " == *" $group "* ]] || continue
        case $probe in
        -) libraries+=("$package") ;;
        /*) [[ -e $probe ]] || echo "$package" ;;
        *) command -v "$probe" >/dev/null || echo "$package" ;;
        esac
    done <tools/packages.txt

    # Elsewhere than on Debian, Meson is the one to say which library is missing.
    command -v dpkg-query >/dev/null || return 0
    installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${libraries[@]}" 2>/dev/null || true)
    for package in "${libraries[@]}"; do
        grep -qx "$package installed" <<<"$installed" || echo "$package"
    done
}

# Makes sure that all packages of the groups $@ are here, or ends with the command that brings them.
need()
{
    local missing sudo=()
    mapfile -t missing < <(missing_packages "$@" | sort -u)
    ((${#missing[@]})) || return 0

    if ((EUID != 0)); then
        sudo=(sudo)
    fi
    if ! command -v apt-get >/dev/null || ! may_install "${sudo[@]}"; then
        echo "dev: some packages are missing. As root, run:" >&2
        echo "apt-get update && apt-get install -y --no-install-recommends ${missing[*]}" >&2
        exit 1
    fi

    echo "installing ${missing[*]} (this can take some minutes)"
    "${sudo[@]}" apt-get -qq update
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null

    mapfile -t missing < <(missing_packages "$@" | sort -u)
    if ((${#missing[@]})); then
        echo "dev: installed, but still not to be found: ${missing[*]}" >&2
        exit 1
    fi
}

# True for root (no arguments), and where sudo works: without a password, or with somebody there to type it.
may_install()
{
    (($# == 0)) && return
    command -v sudo >/dev/null && { [[ -t 0 ]] || sudo -n true 2>/dev/null; }
}

# The npm packages of folder $1. npm writes its own copy of the lock file last, so that is what to look at.
need_npm()
{
    [[ -e $1/package.json ]] || return 0
    local done=$1/node_modules/.package-lock.json
    [[ -e $done && ! $done -ot $1/package-lock.json ]] && return
    echo "installing the npm packages of $1"
    (cd "$1" && npm ci --no-audit --no-fund --loglevel=error)
}
