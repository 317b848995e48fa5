import DoorwardDomain
import Testing

@testable import AdapterMQTT

@Suite struct NukiHubTests {
    @Test("every value of both state topics", arguments: states)
    func state(_ row: DecodeCase) throws { try row.check("nuki-hub", [:]) }

    private static let states =
        [
            ("locked", "locked confirmed"),
            ("unlocking", "unlocking confirmed"),
            ("unlocked", "unlocked confirmed"),
            ("locking", "locking confirmed"),
            ("unlatched", "open confirmed"),
            ("unlockedLnga", "unlocked confirmed"),
            ("unlatching", "opening confirmed"),
            ("motorBlocked", "jammed confirmed"),
            ("uncalibrated", "unknown confirmed faults[uncalibrated]"),
            ("bootRun", "unknown confirmed faults[busyInternal]"),
            ("calibration", "unknown confirmed faults[busyInternal]"),
            ("undefined", "unknown confirmed"),
            ("Locked", "unknown confirmed; !unmappedValue: Locked"),
        ].map { DecodeCase("nukihub/lock/state", $0, $1, prev: .locked) }
        + [
            ("locked", "locked confirmed"),
            ("locking", "locking confirmed"),
            ("unlocking", "unlocking confirmed"),
            ("unlocked", "unlocked confirmed"),
            ("open", "open confirmed"),
            ("opening", "opening confirmed"),
            ("jammed", "jammed confirmed"),
            ("unlatched", "unknown confirmed; !unmappedValue: unlatched"),
        ].map { DecodeCase("nukihub/lock/hastate", $0, $1, prev: .locked) }
        + [
            DecodeCase("nukihub/lock/hastate", "open", "open confirmed; confirmed it", inFlight: .unlatch),
            DecodeCase("nukihub/lock/hastate", "locked", "locked retained", inFlight: .lock, retained: true),
            DecodeCase("nukihub/lock/binaryState", "locked", ""),
        ]

    @Test(
        "`jammed` on lock/hastate is ignored if lock/state has reported another cause",
        arguments: ["uncalibrated", "calibration", "bootRun"])
    func notJammed(_ word: String) throws {
        var fixture = try DialectFixture("nuki-hub", [:], prev: .unlocked, inFlight: .lock)
        #expect(fixture.receive("nukihub/lock/state", word).hasPrefix("unknown confirmed faults["))
        #expect(fixture.receive("nukihub/lock/hastate", "jammed") == "")
        #expect(fixture.state.position == .unknown)
        #expect(fixture.receive("nukihub/lock/state", "motorBlocked") == "jammed confirmed faults[]; rejected(jammed)")
        // lock/state has confirmed the jam, so that `jammed` is accepted.
        fixture.dialect.completeCommand(&fixture.state)
        #expect(fixture.receive("nukihub/lock/hastate", "jammed") == "jammed confirmed")
    }

    @Test("the responses of the hub and of the lock, on three topics", arguments: acks)
    func ack(_ row: DecodeCase) throws { try row.check("nuki-hub", [:]) }

    private static let acks =
        [
            ("action", "ack", "accepted"),
            ("action", "denied", "rejected(notAuthorised)"),
            ("action", "error", "rejected(unknown)"),
            ("action", "unknown_action", "rejected(unsupported)"),
            ("action", "--", ""),
            ("action", "unlock", ""),
            ("commandResult", "success", "accepted"),
            ("commandResult", "working", "accepted"),
            ("commandResult", "failed", "rejected(unknown)"),
            ("commandResult", "timeOut", "rejected(transport)"),
            ("commandResult", "notPaired", "rejected(notAuthorised)"),
            ("commandResult", "error", "rejected(unknown)"),
            ("commandResult", "undefined", ""),
            ("completionStatus", "success", "accepted"),
            ("completionStatus", "motorBlocked", "rejected(jammed)"),
            ("completionStatus", "canceled", "rejected(unknown)"),
            ("completionStatus", "tooRecent", "rejected(busy)"),
            ("completionStatus", "busy", "rejected(busy)"),
            ("completionStatus", "lowMotorVoltage", "rejected(lowPower)"),
            ("completionStatus", "clutchFailure", "rejected(unknown)"),
            ("completionStatus", "motorPowerFailure", "rejected(lowPower)"),
            ("completionStatus", "incompleteFailure", "rejected(unknown)"),
            ("completionStatus", "invalidCode", "rejected(invalidCode)"),
            ("completionStatus", "otherError", "rejected(unknown)"),
            ("completionStatus", "unknown", ""),
        ].map { DecodeCase("nukihub/lock/\($0)", $1, $2, inFlight: .unlock) }
        + [
            DecodeCase("nukihub/lock/action", "ack", "!unexpectedAck"),
            DecodeCase("nukihub/lock/commandResult", "success", "!unexpectedAck"),
            DecodeCase("nukihub/lock/completionStatus", "success", "!unexpectedAck", inFlight: .lock, retained: true),
            // The hub retains the idle value `--`; any other retained value is a command.
            DecodeCase("nukihub/lock/action", "--", "", retained: true),
            DecodeCase("nukihub/lock/action", "unlatch", "!retainedCommandFound", inFlight: .lock, retained: true),
            DecodeCase("nukihub/lock/action", "", "", retained: true),
        ]

    @Test("door, battery and both availability topics", arguments: otherValueCases)
    func otherValues(_ row: DecodeCase) throws { try row.check("nuki-hub", [:]) }

    private static let otherValueCases = [
        DecodeCase("nukihub/lock/doorSensorState", "doorClosed", "door-closed"),
        DecodeCase("nukihub/lock/doorSensorState", "doorOpened", "door-open"),
        DecodeCase("nukihub/lock/doorSensorState", "doorStateUnknown", "door-unknown"),
        DecodeCase("nukihub/lock/doorSensorState", "deactivated", "door-unknown"),
        DecodeCase("nukihub/lock/battery/level", "82", "82%"),
        DecodeCase("nukihub/lock/battery/critical", "1", "low"),
        DecodeCase("nukihub/lock/battery/critical", "0", "not-low"),
        DecodeCase("nukihub/lock/battery/critical", "2", "!unmappedValue: 2"),
        DecodeCase("nukihub/lock/availability", "offline", "stale offline", prev: .locked),
        DecodeCase("nukihub/maintenance/mqttConnectionState", "online", "reach-unknown"),
    ]

    @Test("operator and method, from the lock's log", arguments: log)
    func event(_ row: DecodeCase) throws { try row.check("nuki-hub", [:]) }

    private static func entry(_ action: String, _ trigger: String, _ status: String) -> String {
        #"{"index":1,"authorizationId":77,"authorizationName":"Ann","type":"LockAction","action":"\#(action)","trigger":"\#(trigger)","completionStatus":"\#(status)"}"#
    }
    private static let log = [
        DecodeCase("nukihub/lock/rollingLog", entry("Unlock", "manual", "success"), "event operation unlock ok manual auth 77"),
        DecodeCase(
            "nukihub/lock/rollingLog", entry("lock", "button", "motorBlocked"),
            "event operation lock failed button auth 77 because jammed"),
        DecodeCase(
            "nukihub/lock/rollingLog", entry("Unlatch", "automatic", "success"), "event operation open ok schedule auth 77"),
        DecodeCase("nukihub/lock/rollingLog", entry("FullLock", "autoLock", "success"), "event operation lock ok auto auth 77"),
        DecodeCase("nukihub/lock/rollingLog", entry("FobAction1", "system", "success"), "event operation unknown ok app auth 77"),
        DecodeCase("nukihub/lock/rollingLog", entry("Unlock", "code", "success"), "event operation unlock ok keypad auth 77"),
        DecodeCase("nukihub/lock/rollingLog", entry("Lock", "arrowkey", "success"), "event operation lock ok keypad auth 77"),
        DecodeCase(
            "nukihub/lock/rollingLog", entry("Unlock", "fingerprint", "success"), "event operation unlock ok fingerprint auth 77"),
        DecodeCase(
            "nukihub/lock/rollingLog", entry("Unlock", "code", "invalidCode"),
            "event operation unlock failed keypad auth 77 because invalidCode"),
        DecodeCase(
            "nukihub/lock/rollingLog", entry("Unlock", "code", "notAuthorized"),
            "event operation unlock failed keypad auth 77 because notAuthorised"),
        DecodeCase("nukihub/lock/rollingLog", entry("Calibrate", "system", "success"), ""),
        DecodeCase("nukihub/lock/rollingLog", entry("Unlock", "manual", "success"), "!retainedEventIgnored", retained: true),
        DecodeCase("nukihub/lock/rollingLog", #"{"type":"DoorSensor"}"#, ""),
    ]

    @Test("the lock is offline if one availability topic is offline, and online if both are online")
    func availability() throws {
        var fixture = try DialectFixture("nuki-hub", [:], prev: .locked)
        #expect(fixture.receive("nukihub/lock/availability", "online", isRetained: true) == "reach-unknown")
        #expect(fixture.receive("nukihub/maintenance/mqttConnectionState", "online", isRetained: true) == "online")
        #expect(fixture.receive("nukihub/maintenance/mqttConnectionState", "offline") == "stale offline")
        // When the hub is online again, the lock is queried for its state.
        #expect(fixture.receive("nukihub/maintenance/mqttConnectionState", "online") == "online; >nukihub/lock/query/lockstate 1")
        #expect(fixture.state.quality == .stale && fixture.state.position == .locked)
    }

    @Test(
        "each operation has its own payload",
        arguments: [(LockOperation.lock, "lock"), (.unlock, "unlock"), (.unlatch, "unlatch")])
    func commands(_ operation: LockOperation, _ payload: String) throws {
        var fixture = try DialectFixture("nuki-hub", ["root": "cellar"])
        #expect(try fixture.encode(operation) == "cellar/lock/action \(payload) q0")
    }
}
