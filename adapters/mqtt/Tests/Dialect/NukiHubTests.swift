import DoorwardDomain
import Testing

@testable import AdapterMQTT

@Suite struct NukiHubTests {
    @Test("every word of both states", arguments: states)
    func state(_ row: Row) throws { try row.check("nuki-hub", [:]) }

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
        ].map { Row("nukihub/lock/state", $0, $1, prev: .locked) }
        + [
            ("locked", "locked confirmed"),
            ("locking", "locking confirmed"),
            ("unlocking", "unlocking confirmed"),
            ("unlocked", "unlocked confirmed"),
            ("open", "open confirmed"),
            ("opening", "opening confirmed"),
            ("jammed", "jammed confirmed"),
            ("unlatched", "unknown confirmed; !unmappedValue: unlatched"),
        ].map { Row("nukihub/lock/hastate", $0, $1, prev: .locked) }
        + [
            Row("nukihub/lock/hastate", "open", "open confirmed; confirmed it", inFlight: .unlatch),
            Row("nukihub/lock/hastate", "locked", "locked retained", inFlight: .lock, retained: true),
            Row("nukihub/lock/binaryState", "locked", ""),
        ]

    @Test(
        "hastate calls a lock jammed that is not: where lock/state has told the cause no command ends by it",
        arguments: ["uncalibrated", "calibration", "bootRun"])
    func notJammed(_ word: String) throws {
        var spoken = try Spoken("nuki-hub", [:], prev: .unlocked, inFlight: .lock)
        #expect(spoken.hear("nukihub/lock/state", word).hasPrefix("unknown confirmed faults["))
        #expect(spoken.hear("nukihub/lock/hastate", "jammed") == "")
        #expect(spoken.memory.position == .unknown)
        #expect(spoken.hear("nukihub/lock/state", "motorBlocked") == "jammed confirmed faults[]; rejected(jammed)")
        // Now it is what it says.
        spoken.dialect.endOrder(&spoken.memory)
        #expect(spoken.hear("nukihub/lock/hastate", "jammed") == "jammed confirmed")
    }

    @Test("what the hub and the lock answer, on three topics", arguments: answers)
    func answer(_ row: Row) throws { try row.check("nuki-hub", [:]) }

    private static let answers =
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
        ].map { Row("nukihub/lock/\($0)", $1, $2, inFlight: .unlock) }
        + [
            Row("nukihub/lock/action", "ack", "!unexpectedAck"),
            Row("nukihub/lock/commandResult", "success", "!unexpectedAck"),
            Row("nukihub/lock/completionStatus", "success", "!unexpectedAck", inFlight: .lock, retained: true),
            // The idle word lies there for ever; anything else that lies there is a command.
            Row("nukihub/lock/action", "--", "", retained: true),
            Row("nukihub/lock/action", "unlatch", "!retainedCommandFound", inFlight: .lock, retained: true),
            Row("nukihub/lock/action", "", "", retained: true),
        ]

    @Test("door, battery and both topics of the reach", arguments: around)
    func surroundings(_ row: Row) throws { try row.check("nuki-hub", [:]) }

    private static let around = [
        Row("nukihub/lock/doorSensorState", "doorClosed", "door-closed"),
        Row("nukihub/lock/doorSensorState", "doorOpened", "door-open"),
        Row("nukihub/lock/doorSensorState", "doorStateUnknown", "door-unknown"),
        Row("nukihub/lock/doorSensorState", "deactivated", "door-unknown"),
        Row("nukihub/lock/battery/level", "82", "82%"),
        Row("nukihub/lock/battery/critical", "1", "low"),
        Row("nukihub/lock/battery/critical", "0", "not-low"),
        Row("nukihub/lock/battery/critical", "2", "!unmappedValue: 2"),
        Row("nukihub/lock/availability", "offline", "stale offline", prev: .locked),
        Row("nukihub/maintenance/mqttConnectionState", "online", "reach-unknown"),
    ]

    @Test("who and how, from the log", arguments: log)
    func event(_ row: Row) throws { try row.check("nuki-hub", [:]) }

    private static func entry(_ action: String, _ trigger: String, _ status: String) -> String {
        #"{"index":1,"authorizationId":77,"authorizationName":"Ann","type":"LockAction","action":"\#(action)","trigger":"\#(trigger)","completionStatus":"\#(status)"}"#
    }
    private static let log = [
        Row("nukihub/lock/rollingLog", entry("Unlock", "manual", "success"), "event operation unlock ok manual auth 77"),
        Row(
            "nukihub/lock/rollingLog", entry("lock", "button", "motorBlocked"),
            "event operation lock failed button auth 77 because jammed"),
        Row("nukihub/lock/rollingLog", entry("Unlatch", "automatic", "success"), "event operation open ok schedule auth 77"),
        Row("nukihub/lock/rollingLog", entry("FullLock", "autoLock", "success"), "event operation lock ok auto auth 77"),
        Row("nukihub/lock/rollingLog", entry("FobAction1", "system", "success"), "event operation unknown ok app auth 77"),
        Row("nukihub/lock/rollingLog", entry("Unlock", "code", "success"), "event operation unlock ok keypad auth 77"),
        Row("nukihub/lock/rollingLog", entry("Lock", "arrowkey", "success"), "event operation lock ok keypad auth 77"),
        Row(
            "nukihub/lock/rollingLog", entry("Unlock", "fingerprint", "success"), "event operation unlock ok fingerprint auth 77"),
        Row(
            "nukihub/lock/rollingLog", entry("Unlock", "code", "invalidCode"),
            "event operation unlock failed keypad auth 77 because invalidCode"),
        Row(
            "nukihub/lock/rollingLog", entry("Unlock", "code", "notAuthorized"),
            "event operation unlock failed keypad auth 77 because notAuthorised"),
        Row("nukihub/lock/rollingLog", entry("Calibrate", "system", "success"), ""),
        Row("nukihub/lock/rollingLog", entry("Unlock", "manual", "success"), "!retainedEventIgnored", retained: true),
        Row("nukihub/lock/rollingLog", #"{"type":"DoorSensor"}"#, ""),
    ]

    @Test("both topics of the reach count: one away is away, both there is there")
    func reach() throws {
        var spoken = try Spoken("nuki-hub", [:], prev: .locked)
        #expect(spoken.hear("nukihub/lock/availability", "online", isRetained: true) == "reach-unknown")
        #expect(spoken.hear("nukihub/maintenance/mqttConnectionState", "online", isRetained: true) == "online")
        #expect(spoken.hear("nukihub/maintenance/mqttConnectionState", "offline") == "stale offline")
        // Back again, it is asked how it is.
        #expect(spoken.hear("nukihub/maintenance/mqttConnectionState", "online") == "online; >nukihub/lock/query/lockstate 1")
        #expect(spoken.memory.quality == .stale && spoken.memory.position == .locked)
    }

    @Test("each movement has its word", arguments: [(LockOperation.lock, "lock"), (.unlock, "unlock"), (.unlatch, "unlatch")])
    func orders(_ operation: LockOperation, _ payload: String) throws {
        var spoken = try Spoken("nuki-hub", ["root": "cellar"])
        #expect(try spoken.order(operation) == "cellar/lock/action \(payload) q0")
    }
}
