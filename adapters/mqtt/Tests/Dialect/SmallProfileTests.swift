import DoorwardAdapterKit
import DoorwardDomain
import Testing

@testable import AdapterMQTT

@Suite struct SmallProfileTests {
    // MARK: ESPHome

    @Test("ESPHome: every state value, availability and a retained command", arguments: esphomeRows)
    func esphome(_ row: DecodeCase) throws { try row.check("esphome", Example.esphome) }

    private static let esphomeRows =
        [
            ("LOCKED", "locked confirmed"),
            ("UNLOCKED", "unlocked confirmed"),
            ("LOCKING", "locking confirmed"),
            ("UNLOCKING", "unlocking confirmed"),
            ("JAMMED", "jammed confirmed"),
            ("UNKNOWN", "unknown confirmed"),
            ("Locked", "unknown confirmed; !unmappedValue: Locked"),
            ("LOCKED ", "unknown confirmed; !unmappedValue: LOCKED "),
        ].map { DecodeCase("porch/lock/door/state", $0, $1, prev: .locked) } + [
            DecodeCase("porch/lock/door/state", "LOCKED", "locked retained", inFlight: .lock, retained: true),
            DecodeCase("porch/status", "offline", "stale offline"),
            DecodeCase("porch/status", "online", "online"),
            DecodeCase("porch/lock/door/command", "UNLOCK", "!retainedCommandFound", retained: true),
        ]

    @Test("ESPHome: silence confirms a command only if the lock had reported the target state live before it")
    func silence() throws {
        for (prev, quality, isConfirmed) in [
            (BoltState.locked, StateQuality.confirmed, true),
            (.locked, .retained, false),
            (.locked, .stale, false),
            (.unlocked, .confirmed, false),
            (.unknown, .confirmed, false),
        ] {
            var fixture = try DialectFixture("esphome", Example.esphome, prev: prev, quality: quality)
            #expect(try fixture.encode(.lock) == "porch/lock/door/command LOCK q0")
            #expect(
                (fixture.dialect.concludeFromSilence(&fixture.state).command == .confirmed) == isConfirmed, "\(prev) \(quality)")
        }
        var fixture = try DialectFixture("esphome", Example.esphome, prev: .locked, inFlight: .lock)
        #expect(fixture.receive("porch/lock/door/state", "JAMMED") == "jammed confirmed; rejected(jammed)")
        #expect(fixture.dialect.concludeFromSilence(&fixture.state) == DecodedMessage(), "the lock has reported a state")
        fixture = try DialectFixture("esphome", Example.esphome, prev: .locked, inFlight: .lock)
        #expect(fixture.receive("porch/status", "offline") == "stale offline")
        #expect(fixture.dialect.concludeFromSilence(&fixture.state) == DecodedMessage(), "the lock is offline")
        fixture = try DialectFixture("nuki-native", Example.nuki, prev: .locked, inFlight: .lock)
        #expect(fixture.dialect.concludeFromSilence(&fixture.state) == DecodedMessage(), "a Nuki always answers a command")
    }

    @Test("ESPHome: the state of an optimistic node is assumed, and a node without an open action does not support unlatch")
    func optimistic() throws {
        var fixture = try DialectFixture("esphome", ["node": "porch", "optimistic": "true", "no_open": "true"], inFlight: .lock)
        #expect(fixture.receive("porch/lock/lock/state", "LOCKED") == "locked assumed")
        #expect(throws: AdapterError.unsupported) { try fixture.encode(.unlatch) }
        #expect(!fixture.dialect.capabilities.contains(.unlatch))
        fixture = try DialectFixture("esphome", Example.esphome)
        #expect(try fixture.encode(.unlatch) == "porch/lock/door/command OPEN q0")
    }

    // MARK: Tasmota

    @Test("Tasmota: the state of a relay is assumed and confirms no command", arguments: tasmotaRows)
    func tasmota(_ row: DecodeCase) throws { try row.check("tasmota", Example.tasmota) }

    private static let tasmotaRows = [
        DecodeCase("stat/strike/POWER", "ON", "unlocked assumed", prev: .locked),
        DecodeCase("stat/strike/POWER", "off", "locked assumed"),
        DecodeCase("stat/strike/POWER", "OFF", "locked assumed", inFlight: .lock),
        DecodeCase("stat/strike/POWER", "HALF", "unknown assumed; !unmappedValue: HALF", prev: .locked),
        DecodeCase("stat/strike/RESULT", #"{"POWER":"OFF"}"#, "locked assumed; accepted", inFlight: .lock),
        DecodeCase("stat/strike/RESULT", #"{"POWER":"ON"}"#, "unlocked assumed", inFlight: .lock),
        DecodeCase("stat/strike/RESULT", #"{"POWER":"ON"}"#, "unlocked assumed"),
        DecodeCase("stat/strike/RESULT", #"{"Dimmer":1}"#, ""),
        DecodeCase("tele/strike/STATE", #"{"Uptime":"1","POWER":"ON"}"#, "unlocked assumed"),
        DecodeCase("tele/strike/LWT", "Online", "online"),
        DecodeCase("tele/strike/LWT", "offline", "reach-unknown; !unmappedValue: offline"),
        DecodeCase("tele/strike/LWT", "Offline", "stale offline"),
        DecodeCase("cmnd/strike/POWER", "ON", "!retainedCommandFound", retained: true),
        DecodeCase("cmnd/strike/POWER", "", "", retained: true),
    ]

    @Test("Tasmota: the address sets the relay and the meaning of ON, and a strike can only be unlatched")
    func relays() throws {
        var fixture = try DialectFixture("tasmota", ["topic": "x", "relay": "2", "locked": "ON", "unlocked": "OFF"])
        #expect(try fixture.encode(.lock) == "cmnd/x/POWER2 ON q0")
        #expect(fixture.receive("stat/x/RESULT", #"{"POWER1":"ON","POWER2":"OFF"}"#) == "unlocked assumed")
        #expect(fixture.dialect.stateRequests.map(\.payload) == [[]], "an empty payload requests the state")
        var strike = try DialectFixture("tasmota", ["topic": "x", "pulse": "ON"])
        #expect(try strike.encode(.unlatch) == "cmnd/x/POWER ON q0")
        #expect(throws: AdapterError.unsupported) { try strike.encode(.unlock) }
        #expect(strike.dialect.capabilities.isDisjoint(with: [.lock, .unlock]))
        #expect(strike.receive("stat/x/POWER", "ON") == "open assumed")
    }

    // MARK: Homie

    @Test("Homie: every value of the recommended node", arguments: homieRows)
    func homie(_ row: DecodeCase) throws { try row.check("homie", Example.homie) }

    private static let homieRows =
        ["locked", "unlocked", "open", "locking", "unlocking", "opening", "jammed", "unknown"].map {
            DecodeCase("homie/5/front/lock/state", $0, "\($0) confirmed")
        } + [
            DecodeCase("homie/5/front/lock/state", "Locked", "unknown confirmed; !unmappedValue: Locked", prev: .locked),
            DecodeCase("homie/5/front/lock/state", "\0", "unknown confirmed; !unmappedValue: ·", prev: .locked),
            DecodeCase("homie/5/front/lock/state", "locked", "locked retained", inFlight: .lock, retained: true),
            DecodeCase("homie/5/front/lock/door", "open", "door-open"),
            DecodeCase("homie/5/front/lock/battery", "12", "12%"),
            DecodeCase("homie/5/front/lock/command/$target", "lock", "accepted", inFlight: .lock),
            DecodeCase("homie/5/front/lock/command/$target", "unlock", "!unexpectedAck", inFlight: .lock),
            DecodeCase("homie/5/front/lock/command/set", "unlock", "!retainedCommandFound", retained: true),
            DecodeCase("homie/5/front/$state", "ready", "reach-unknown"),
            DecodeCase("homie/5/front/$state", "init", "reach-unknown"),
            DecodeCase("homie/5/front/$state", "lost", "stale offline", prev: .locked),
            DecodeCase(
                "homie/5/front/lock/last-operation", #"{"operation":"unlock","method":"keypad","userSlot":3,"ok":true}"#,
                "event operation unlock ok keypad slot 3"),
            DecodeCase("homie/5/front/lock/last-operation", #"{"action":"lock","method":"auto"}"#, "event operation lock auto"),
        ]

    @Test("Homie: the availability of a lock without a root device is its own `$state`")
    func homieAlone() throws {
        var fixture = try DialectFixture("homie", ["device": "front", "base": "homie"])
        #expect(fixture.receive("homie/front/$state", "ready", isRetained: true) == "online")
        #expect(try fixture.encode(.unlatch) == "homie/front/lock/command/set open q0")
    }

    // MARK: Ring and HomeKey

    @Test("ring-mqtt: transitional states are assumed, final states are confirmed", arguments: ringRows)
    func ring(_ row: DecodeCase) throws { try row.check("ring-mqtt", Example.ring) }

    private static let ringRows =
        [
            ("LOCKED", "locked confirmed"),
            ("UNLOCKED", "unlocked confirmed"),
            ("LOCKING", "locking assumed"),
            ("UNLOCKING", "unlocking assumed"),
            ("UNKNOWN", "unknown confirmed"),
        ].map { DecodeCase("ring/home/alarm/d1/lock/state", $0, $1) } + [
            DecodeCase("ring/home/alarm/d1/lock/state", "LOCKED", "locked confirmed; confirmed it", inFlight: .lock),
            DecodeCase("ring/home/alarm/d1/info/state", #"{"batteryLevel":100,"tamperStatus":"ok"}"#, "100%"),
            DecodeCase("ring/home/alarm/d1/info/state", #"{"tamperStatus":"tamper"}"#, "faults[tamper]; event tamper"),
            DecodeCase("ring/home/alarm/d1/status", "offline", "stale offline"),
            DecodeCase("ring/home/alarm/d1/lock/command", "lock", "!retainedCommandFound", retained: true),
        ]

    @Test("HomeKey: every state number; an authentication is an event and does not change the state", arguments: homekeyRows)
    func homekey(_ row: DecodeCase) throws { try row.check("homekey-esp32", Example.homekey) }

    private static let homekeyRows =
        [
            ("0", "unlocked confirmed"),
            ("1", "locked confirmed"),
            ("2", "jammed confirmed"),
            ("3", "unknown confirmed"),
            ("4", "unlocking confirmed"),
            ("5", "locking confirmed"),
            ("25", "unknown confirmed; !unmappedValue: 25"),
        ].map { DecodeCase("reader/homekit/state", $0, $1) } + [
            DecodeCase(
                "reader/homekey/auth", #"{"homekey":true,"issuerId":"a","endpointId":"b"}"#, "event operation unknown homekit",
                prev: .locked),
            DecodeCase(
                "reader/homekey/auth", #"{"homekey":false,"uid":"04a1","atqa":"0","sak":"8"}"#,
                "event attemptFailed rfid because invalidCode"),
            DecodeCase("reader/homekey/auth", #"{"homekey":false,"uid":"04a1"}"#, "!retainedEventIgnored", retained: true),
            DecodeCase("reader/homekey/auth", #"{"uid":"04a1"}"#, ""),
            DecodeCase("reader/homekit/set_state", "0", "!retainedCommandFound", retained: true),
            DecodeCase("reader/homekit/set_target_state", "0", "!retainedCommandFound", retained: true),
            DecodeCase("reader/homekit/set_current_state", "0", "!retainedCommandFound", retained: true),
            DecodeCase("reader/homekit/set_current_state", "0", ""),
        ]

    @Test(
        "the commands of further profiles",
        arguments: [
            ("ring-mqtt", Example.ring, LockOperation.lock, "ring/home/alarm/d1/lock/command lock q0"),
            ("ring-mqtt", Example.ring, .unlock, "ring/home/alarm/d1/lock/command unlock q0"),
            ("homekey-esp32", Example.homekey, .lock, "reader/homekit/set_target_state 1 q0"),
            ("homekey-esp32", Example.homekey, .unlock, "reader/homekit/set_target_state 0 q0"),
            ("homie", Example.homie, .lock, "homie/5/front/lock/command/set lock q0"),
            ("esphome", Example.esphome, .unlock, "porch/lock/door/command UNLOCK q0"),
            ("tasmota", Example.tasmota, .unlock, "cmnd/strike/POWER ON q0"),
            ("zigbee2mqtt", Example.front, .unlock, #"zigbee2mqtt/front/set {"state":"UNLOCK"} q0"#),
        ])
    func commands(_ profile: String, _ address: [String: String], _ operation: LockOperation, _ expected: String) throws {
        var fixture = try DialectFixture(profile, address)
        #expect(try fixture.encode(operation) == expected)
    }
}
