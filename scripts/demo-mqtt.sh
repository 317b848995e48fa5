# The demo with MQTT locks: a broker, thirty simulated locks of ten dialects, and a gateway that discovers and commands them.
# Sourced by scripts/demo, which builds the program and sources the functions for the gateway.

dialects=(homeassistant zigbee2mqtt nuki-native nuki-hub zwave-js-ui esphome tasmota homie ring-mqtt homekey-esp32)
each=3
# The locks of two dialects are not announced: their addresses are entered by hand.
silent=2
fleet=("$(dirname -- "$program")/doorward-mqtt-locks")
for dialect in "${dialects[@]}"; do fleet+=(--profile "$dialect:$each"); done

# --- The broker, the gateway, the locks ----------------------------------------------------------------------------------

# free_port: prints a port of this machine on which no process listens.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# listens PORT: succeeds if a process listens on the port.
listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# start_broker: starts a broker without persistence on a free port; sets broker_port. If the port is taken meanwhile, it tries another.
start_broker() {
    local attempt waited broker
    for attempt in 1 2 3; do
        broker_port=$(free_port)
        printf 'listener %s 127.0.0.1\nallow_anonymous true\npersistence false\nlog_dest none\n' "$broker_port" >"$folder/broker.conf"
        /usr/sbin/mosquitto -c "$folder/broker.conf" &
        broker=$!
        for ((waited = 0; waited < 100; waited++)); do
            if listens "$broker_port" && kill -0 "$broker" 2>/dev/null; then
                started+=("$broker")
                return
            fi
            kill -0 "$broker" 2>/dev/null || break
            sleep 0.1
        done
        kill -TERM "$broker" 2>/dev/null || true
        wait "$broker" 2>/dev/null || true
    done
    fail "mosquitto does not start; try: mosquitto -c with 'listener $broker_port 127.0.0.1' in a file."
}

say "A broker starts: mosquitto, on a free port of this machine alone"
start_broker
echo "mqtt://127.0.0.1:$broker_port"

# The broker belongs to no portfolio: only a super admin attaches its locks, which then belong to the property.
cat >"$folder/doorward.yaml" <<END
mqtt:
  - { name: demo, url: "mqtt://127.0.0.1:$broker_port", discovery: true, profiles: [homeassistant, zigbee2mqtt, homie] }
END
start_gateway --config "$folder/doorward.yaml"

say "Thirty locks are plugged in: ${dialects[*]}, $each of each"
mkfifo "$folder/orders" "$folder/answers"
exec 8<>"$folder/orders" 9<>"$folder/answers"
"${fleet[@]}" --broker "mqtt://127.0.0.1:$broker_port" --latency 200ms-600ms <&8 >&9 8>&- 9>&- &
started+=($!)
IFS= read -r -t 60 line <&9 && [ "$line" = ready ] || fail "The locks did not start; the reason is printed above."
"${fleet[@]}" --list >"$folder/locks.json"
# whoever COMMAND…: sends a control command to the simulated locks, for an event at the door.
whoever() {
    printf '\n  somebody: %s\n' "$*"
    printf '%s\n' "$*" >&8
    IFS= read -r -t 10 line <&9 && [ "$line" = "ok: $*" ] || fail "The locks answer: ${line-nothing}"
}

# --- A portfolio, and what was found -------------------------------------------------------------------------------------

say "The super admin creates a portfolio; its owner creates a property and its units"
root_token=$(sign_in root@demo.example "$root_password")
olga_password=$(password)
olga_id=$(person Olga Owner olga@demo.example "$olga_password")
portfolio=$(make "$root_token" /portfolios "{\"name\": \"Harbour Homes\", \"administratorUserIds\": [\"$olga_id\"]}")
olga=$(sign_in olga@demo.example "$olga_password")
property=$(make "$olga" /properties "{\"name\": \"Quay 1\", \"portfolioId\": \"$portfolio\", \"defaultTimeZone\": \"Europe/Berlin\"}")
units=()
for name in 1A 1B 1C; do units+=("$(make "$olga" /units "{\"name\": \"$name\", \"propertyId\": \"$property\"}")"); done
echo "Harbour Homes › Quay 1 › 1A, 1B, 1C"

say "The locks that the gateway has discovered"
expected=$((each * (${#dialects[@]} - silent)))
for ((waited = 0; waited < 100; waited++)); do
    call "$root_token" GET "/devices/discovered?limit=100" >"$folder/found.json"
    found=$(jq '[.data.discoveredDevices[]? | select(.problem == null)] | length' "$folder/found.json")
    [ "$found" -lt "$expected" ] || break
    sleep 0.2
done
jq -r '"GET /devices/discovered: \(.data.discoveredDevices | length) locks",
    (.data.discoveredDevices | group_by(.address.profile)[] | "  \(.[0].address.profile): \(map(.name // .id) | join(", "))",
        (.[] | select(.problem != null) | "    \(.name // .id): \(.problem)"))' "$folder/found.json"

say "They are attached; the locks without announcements are attached by their addresses"
# A discovered lock is attached with the discovered address; its name is that of the simulated lock.
jq -c --slurpfile found "$folder/found.json" '
    def place: .id // .name // .device // .node // .client // .topic // .base // .command_topic;
    ($found[0].data.discoveredDevices | map(select(.problem == null))) as $discovered
    | to_entries[] | .key as $number | .value as $lock
    | ([$discovered[] | .address | select(.profile == $lock.profile and place == ($lock.address | place))][0]) as $address
    | {name: $lock.name, adapter: "mqtt", number: $number,
       address: ($address // ({broker: "demo", profile: $lock.profile} + $lock.address)), typed: ($address == null)}
    ' "$folder/locks.json" >"$folder/attach.ndjson"
declare -A device
while IFS= read -r lock; do
    name=$(jq -r .name <<<"$lock")
    unit=${units[$(jq .number <<<"$lock") % ${#units[@]}]}
    device[$name]=$(make "$root_token" /devices "$(jq -c --arg property "$property" --arg unit "$unit" \
        'del(.number, .typed) + {propertyId: $property, unitId: $unit}' <<<"$lock")")
done <"$folder/attach.ndjson"
typed=$(jq -r 'select(.typed) | .name' "$folder/attach.ndjson" | paste -sd ' ')
echo "${#device[@]} attached; typed: ${typed:-none}"

# --- The show ------------------------------------------------------------------------------------------------------------

say "What Olga sees"
# Retained states arrive at once, requested ones a moment later. ring-mqtt retains nothing and cannot be queried: its locks
# stay UNKNOWN until they publish.
for ((waited = 0; waited < 50; waited++)); do
    call "$olga" GET "/devices?limit=100" >"$folder/devices.json"
    [ "$(jq '[.data.devices[] | select(.state == "UNKNOWN" and (.name | startswith("ring") | not))] | length' "$folder/devices.json")" -gt 0 ] || break
    sleep 0.2
done
jq -r '.data.devices[] | [.name, .state, (if .isOnline then "online" else "-" end), .batteryLevel // "-"] | @tsv' \
    "$folder/devices.json" | sort -V | awk -F '\t' '{ printf "  %-18s %-10s %-8s %s\n", $1, $2, $3, $4 }'

say "What it does"
for dialect in "${dialects[@]}"; do
    show "Olga unlocks $dialect-1" "$olga" "/devices/${device[$dialect-1]}/unlock"
done
for dialect in zigbee2mqtt nuki-native homie; do
    show "Olga locks $dialect-1 again" "$olga" "/devices/${device[$dialect-1]}/lock"
done
show "Olga draws the latch of nuki-native-3" "$olga" "/devices/${device[nuki-native-3]}/unlatch"

say "What goes wrong"
whoever jam nuki-native-2
show "Olga unlocks a lock that jams" "$olga" "/devices/${device[nuki-native-2]}/unlock"
whoever offline esphome-2
# The broker must first publish the last will.
for ((waited = 0; waited < 50; waited++)); do
    [ "$(call "$olga" GET "/devices/${device[esphome-2]}" | jq '.data.device.isOnline')" != true ] && break
    sleep 0.1
done
show "Olga unlocks a lock that has lost its power" "$olga" "/devices/${device[esphome-2]}/unlock"
whoever drop zwave-js-ui-2
show "Olga unlocks a lock that does not hear it" "$olga" "/devices/${device[zwave-js-ui-2]}/unlock" '{"timeoutMs": 2000}'

say "Events that the locks report"
whoever thumb-turn zigbee2mqtt-2
whoever keypad zwave-js-ui-2 1
whoever battery nuki-hub-2 12
sleep 1

say "The access log, as Olga sees it"
show_log "$olga" 60

[ -z "$once" ] || return 0

say "The gateway stays up at $url, the broker at mqtt://127.0.0.1:$broker_port"
cat <<END
Sign-ins:
  super admin   root@demo.example   $root_password
  owner         olga@demo.example   $olga_password

Type to the locks, for instance: jam nuki-native-3 · thumb-turn homie-1 · keypad zigbee2mqtt-1 1 · offline tasmota-2
Ctrl-C ends it all.
END
while IFS= read -r order; do
    printf '%s\n' "$order" >&8
    IFS= read -r -t 10 line <&9 && echo "$line"
done
wait "$gateway"
