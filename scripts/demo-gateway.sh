# Functions for the demo's gateway: its database, a free port, people, requests. Sourced by scripts/demo, after it has read its options.

if [ -n "$folder" ]; then
    mkdir -p "$folder"
    [ ! -e "$folder/doorward.db" ] || fail "$folder holds a database already: name an empty folder, or remove it."
    temporary=
else
    folder=$(mktemp -d)
    temporary=yes
fi

# Ends every process that the demo has started, by its process id, the last one first.
started=()
finish() {
    trap - EXIT INT TERM
    local index
    for ((index = ${#started[@]} - 1; index >= 0; index--)); do
        kill -TERM "${started[index]}" 2>/dev/null || true
        wait "${started[index]}" 2>/dev/null || true
    done
    [ -z "$temporary" ] || rm -rf "$folder"
}
trap finish EXIT
trap 'echo; exit 0' INT TERM

# Variables of the shell must not change the demo. The cost of a password hash is the lowest allowed.
for name in ${!DOORWARD_@}; do unset "$name"; done
export DOORWARD_AUTH_PASSWORD_COST=14 DOORWARD_STORE_PATH=$folder/doorward.db

password() { head -c 15 /dev/urandom | base64 | tr '+/' '-_'; }

# start_gateway [OPTION…]: starts a gateway with a first super admin, root@demo.example; sets url, gateway and root_password.
start_gateway() {
    local line
    say "The first super admin is created on the host, directly in the database"
    root_password=$(password)
    "$program" admin create --email root@demo.example --first-name Rita --last-name Root --password-stdin <<<"$root_password"
    say "The gateway starts"
    rm -f "$folder/ready"
    mkfifo "$folder/ready"
    "$program" serve --http-port 0 --log-level error "$@" >"$folder/ready" &
    gateway=$!
    started+=("$gateway")
    read -r line <"$folder/ready" || fail "The gateway ended before it was ready; its reason stands above."
    echo "$line"
    url=${line#listening on }
}

# call TOKEN METHOD PATH [BODY]: sends a request and prints the body of the response.
call() {
    local body=()
    [ $# -lt 4 ] || body=(-H 'Content-Type: application/json' --data "$4")
    curl -sS -X "$2" "$url/api/v1$3" -H "Authorization: Bearer $1" "${body[@]}"
}

# make TOKEN PATH BODY: sends a POST and prints the id of the created entity.
make() {
    local answer
    answer=$(call "$1" POST "$2" "$3")
    jq -er '.data | .[keys[0]].id' <<<"$answer" || fail "POST $2 was refused: $answer"
}

# sign_in EMAIL PASSWORD: signs in and prints an access token.
sign_in() {
    jq -n --arg email "$1" --arg password "$2" '{email: $email, password: $password}' \
        | curl -sS "$url/api/v1/auth/login" -H 'Content-Type: application/json' --data @- | jq -er .data.token
}

# person FIRST LAST EMAIL PASSWORD: creates a user as the super admin, whose token is root_token; prints the new user's id.
person() {
    make "$root_token" /users "$(jq -n --arg f "$1" --arg l "$2" --arg e "$3" --arg p "$4" \
        '{firstName: $f, lastName: $l, email: $e, password: $p}')"
}

# show "WHO does WHAT" TOKEN PATH [BODY]: prints a request as a user would type it, and the response in one line.
show() {
    local answer
    printf '\n%s\n  $ curl -X POST $URL/api/v1%s%s\n' "$1" "$3" "${4:+ --data '$4'}"
    answer=$(call "$2" POST "$3" "${4:-{\}}")
    jq -r '"  → " + if .status == "success" then
            if .data.command then "\(.data.command.state): \(.data.device.name) is \(.data.device.state)" else "done" end
        else "\(.code): \(.message)" end' <<<"$answer"
}

# show_log TOKEN [LIMIT]: prints the log's records of locks and changes as a table, newest last.
show_log() {
    call "$1" GET "/access-records?limit=${2:-100}&order=desc" | jq -r '
        .data.accessRecords | reverse[] | select(.deviceId != null or .kind == "ADMIN_CHANGE")
        | [.seq, .at[11:23], .kind, .actorName // .actorKind, .operation // .event // "\(.action) \(.targetType)",
           .deviceName // "-", .outcome // .decision // "-", .outcomeDetail // .reason // "-"] | @tsv' \
        | awk -F '\t' 'BEGIN { row("seq", "at (UTC)", "kind", "who", "what", "lock", "result", "why") }
            function row(a, b, c, d, e, f, g, h) {
                printf "%4s  %-12s  %-15s  %-15s  %-27s  %-15s  %-9s  %s\n", a, b, c, d, e, f, g, h
            }
            { row($1, $2, $3, $4, $5, $6, $7, $8) }'
}
