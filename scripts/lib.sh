# Functions that the scripts share. This file is sourced, not run; it changes to the project's root. `here` is the folder in which
# the script was called, `script` the script's own absolute path.
set -euo pipefail
CDPATH=
here=$PWD
case $0 in /*) script=$0 ;; *) script=$here/$0 ;; esac
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
root=$PWD

say() { printf '\n==> %s\n' "$*" >&2; }
fail() { printf '\n%s\n' "$*" >&2; exit 1; }

# absolute PATH: prints the absolute path, relative to the folder in which the script was called.
absolute() { case $1 in /*) printf '%s\n' "$1" ;; *) printf '%s\n' "$here/$1" ;; esac; }

# need COMMAND:PACKAGE…: installs the Debian packages whose command or file is missing.
need() {
    local missing=() pair
    for pair in "$@"; do
        case $pair in
            /*) [ -e "${pair%%:*}" ] || missing+=("${pair#*:}") ;;
            *) command -v "${pair%%:*}" >/dev/null || missing+=("${pair#*:}") ;;
        esac
    done
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

# The packages for building and testing. Git needs certificates for HTTPS, which its package only recommends.
need_packages() {
    local packages=(git:git curl:curl jq:jq python3:python3 /usr/include/sqlite3.h:libsqlite3-dev /usr/include/zlib.h:zlib1g-dev
        /usr/include/mosquitto.h:libmosquitto-dev /usr/sbin/mosquitto:mosquitto openssl:openssl)
    ! command -v apt-get >/dev/null || packages+=(/etc/ssl/certs/ca-certificates.crt:ca-certificates)
    need "${packages[@]}"
}

# The packages for requests to a gateway.
need_callers() { need curl:curl jq:jq; }

# Finds Swift, or prints how to install it.
need_swift() {
    command -v swift >/dev/null || fail "Doorward is built with Swift 6.3, which is not on this machine: install it by the two commands on https://www.swift.org/install/linux/ and run this again."
}

# The build that tests, lint and demo share, so that nothing is built twice. An import that Package.swift does not declare is an
# error here.
build() {
    swift build --explicit-target-dependency-import-check error "$@"
}

# stage NAME COMMAND…: runs a command, and adds a line to the file `stages`: NAME, elapsed seconds, seconds of the processors.
stages=.build/stages.tsv
stage() {
    local status=0 TIMEFORMAT=$1$'\t%0R\t%0U\t%0S'
    shift
    mkdir -p "$root/${stages%/*}"
    # Of the two outputs to standard error, the times go to the file.
    { time "$@" 2>&3 || status=$?; } 3>&2 2>>"$root/$stages"
    return $status
}

# Prints the stages that have ended.
show_stages() {
    say "Seconds by stage: elapsed, and of the processors"
    awk -F '\t' '{ printf "%6d %6d  %s\n", $2, $3 + $4, $1 }' "$root/$stages" >&2
}
