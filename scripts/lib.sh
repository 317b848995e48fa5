# What the scripts share. Sourced, not run; leaves the caller in the project's root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '\n==> %s\n' "$*" >&2; }
fail() { printf '\n%s\n' "$*" >&2; exit 1; }

# Installs the Debian packages of which a command or a header is missing.
need_packages() {
    local missing=()
    command -v git >/dev/null || missing+=(git)
    command -v curl >/dev/null || missing+=(curl)
    command -v jq >/dev/null || missing+=(jq)
    command -v python3 >/dev/null || missing+=(python3)
    [ -e /usr/include/sqlite3.h ] || missing+=(libsqlite3-dev)
    [ ${#missing[@]} -gt 0 ] || return 0

    command -v apt-get >/dev/null || fail "Doorward needs ${missing[*]}: please install them with your system's package manager, then run this again."
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "Doorward needs ${missing[*]}: please run 'apt-get install ${missing[*]}' as root, then run this again."
        as_root=(sudo)
    fi
    say "Installing ${missing[*]}"
    "${as_root[@]}" apt-get update -qq >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

# Finds Swift, or says how to get it.
need_swift() {
    command -v swift >/dev/null || fail "Doorward is built with Swift 6.3, which is not on this machine: install it by the two commands on https://www.swift.org/install/linux/ and run this again."
}

# The one build that tests, lint and demo share, so that none of them builds again what another has built.
# An import that Package.swift does not declare is an error here.
build() {
    swift build --explicit-target-dependency-import-check error "$@"
}
