import DoorwardDomain
import Testing

@testable import AdapterMQTT

@Suite struct NukiNativeTests {
    @Test("every state value, and invalid values", arguments: states)
    func state(_ row: DecodeCase) throws { try row.check("nuki-native", Example.nuki) }

    private static let states =
        [
            ("0", "unknown confirmed faults[uncalibrated]"),
            ("1", "locked confirmed"),
            ("2", "unlocking confirmed"),
            ("3", "unlocked confirmed"),
            ("4", "locking confirmed"),
            ("5", "open confirmed"),
            ("6", "unlocked confirmed"),
            ("7", "opening confirmed"),
            ("252", "unknown confirmed faults[busyInternal]"),
            ("253", "unknown confirmed faults[busyInternal]"),
            ("254", "jammed confirmed"),
            ("255", "unknown confirmed"),
            ("01", "locked confirmed"),
            ("8", "unknown confirmed; !unmappedValue: 8"),
            ("-1", "unknown confirmed; !unmappedValue: -1"),
            ("1.0", "!malformedPayload"),
            (" 1", "!malformedPayload"),
            ("0x01", "!malformedPayload"),
            ("locked", "!malformedPayload"),
            ("", ""),
            ("NaN", "!malformedPayload"),
        ].map { DecodeCase("nuki/398172F4/state", $0, $1, prev: .locked) }
        + [
            DecodeCase("nuki/398172F4/state", "3", "unlocked retained", retained: true),
            DecodeCase("nuki/398172F4/state", "254", "jammed retained", inFlight: .unlock, retained: true),
            DecodeCase("nuki/398172F4/state", "1", "locked retained", inFlight: .lock, retained: true),
            DecodeCase("nuki/398172F4/state", "1", "locked confirmed; confirmed it", inFlight: .lock),
            DecodeCase("nuki/398172F4/state", "5", "open confirmed; confirmed it", inFlight: .unlock),
            DecodeCase("nuki/398172F4/state", "3", "unlocked confirmed", inFlight: .unlatch),
            DecodeCase("nuki/398172F4/state", "4", "locking confirmed", inFlight: .lock),
            DecodeCase("nuki/398172F4/state/", "1", ""),
            DecodeCase("nuki/398172f4/state", "1", ""),
        ]

    @Test("operator and method, from the five numbers of an event", arguments: events)
    func event(_ row: DecodeCase) throws { try row.check("nuki-native", Example.nuki) }

    private static let events =
        [
            ("1,0,54322,0,1", "event operation unlock auto auth 54322"),
            ("4,2,0,0,0", "event operation unlock button"),
            ("90,2,0,0,2", "event operation none button"),
            ("3,3,54322,0,3", "event operation open fob auth 54322"),
            ("1,0,3431645,0,0", "event operation unlock app auth 3431645"),
            ("2,0,5,7,0", "event operation lock keypad credential 7 auth 5"),
            ("1,0,5,7,2", "event operation unlock fingerprint credential 7 auth 5"),
            ("2,6,0,0,0", "event operation lock auto"),
            ("1,171,0,0,0", "event operation unlock homekit"),
            ("2,172,0,0,0", "event operation lock remote"),
            ("1,1,0,0,0", "event operation unlock manual"),
            ("2,3,0,0,0", "event operation lock schedule"),
            ("5,2,0,0,0", "event operation open button"),
            ("6,0,0,0,0", "event operation lock app"),
            ("80,0,1,0,0", "event operation none app auth 1"),
            ("129,3,1,0,1", "event operation unknown fob auth 1"),
            ("1,99,0,0,0", "event operation unlock unknown"),
            ("9,0,0,0,0", "!unmappedValue: 9"),
            ("1,0,0,0", "!malformedPayload"),
            ("1,0,0,0,0,0", "!malformedPayload"),
            ("1,0,a,0,0", "!malformedPayload"),
            ("1, 0,0,0,0", "!malformedPayload"),
            ("", ""),
        ].map { DecodeCase("nuki/398172F4/lockActionEvent", $0, $1) }
        + [
            DecodeCase("nuki/398172F4/lockActionEvent", "1,2,0,0,0", "!retainedEventIgnored", retained: true),
            DecodeCase("nuki/398172F4/lockActionEvent", "1,2,0,0,0", "stale; event operation unlock button", prev: .locked),
            DecodeCase("nuki/398172F4/lockActionEvent", "2,2,0,0,0", "event operation lock button", prev: .locked),
            // The event about the gateway's own command is not reported.
            DecodeCase("nuki/398172F4/lockActionEvent", "1,172,0,0,0", "", prev: .locked, inFlight: .unlock),
            DecodeCase(
                "nuki/398172F4/lockActionEvent", "2,172,0,0,0", "event operation lock remote", prev: .locked, inFlight: .unlock),
        ]

    @Test("responses to a command, with and without a command in flight", arguments: acks)
    func ack(_ row: DecodeCase) throws { try row.check("nuki-native", Example.nuki) }

    private static let acks =
        [
            ("0", "accepted"),
            ("32", "rejected(notAuthorised)"),
            ("33", "rejected(invalidCode)"),
            ("39", "rejected(schedule)"),
            ("65", "rejected(notCalibrated)"),
            ("66", "rejected(jammed)"),
            ("69", "rejected(busy)"),
            ("76", "rejected(lowPower)"),
            ("254", "rejected(transport)"),
            ("67", "rejected(unknown)"),
            ("111", "rejected(unknown)"),
            ("x", "!malformedPayload"),
        ].map { DecodeCase("nuki/398172F4/commandResponse", $0, $1, inFlight: .unlock) }
        + [
            DecodeCase("nuki/398172F4/commandResponse", "0", "!unexpectedAck"),
            DecodeCase("nuki/398172F4/commandResponse", "0", "!unexpectedAck", inFlight: .unlock, retained: true),
        ]

    @Test("door, battery and availability", arguments: otherValueCases)
    func otherValues(_ row: DecodeCase) throws { try row.check("nuki-native", Example.nuki) }

    private static let otherValueCases = [
        DecodeCase("nuki/398172F4/doorsensorState", "2", "door-closed"),
        DecodeCase("nuki/398172F4/doorsensorState", "3", "door-open"),
        DecodeCase("nuki/398172F4/doorsensorState", "0", "door-unknown"),
        DecodeCase("nuki/398172F4/doorsensorState", "16", "door-unknown"),
        DecodeCase("nuki/398172F4/doorsensorState", "240", "door-fault faults[tamper]"),
        DecodeCase("nuki/398172F4/doorsensorState", "17", "door-unknown; !unmappedValue: 17"),
        DecodeCase("nuki/398172F4/batteryChargeState", "77", "77%"),
        DecodeCase("nuki/398172F4/batteryChargeState", "101", "!outOfRange"),
        DecodeCase("nuki/398172F4/batteryChargeState", "-1", "!outOfRange"),
        DecodeCase("nuki/398172F4/batteryChargeState", "nan", "!outOfRange"),
        DecodeCase("nuki/398172F4/batteryChargeState", "full", "!outOfRange"),
        DecodeCase("nuki/398172F4/batteryCritical", "true", "low"),
        DecodeCase("nuki/398172F4/batteryCritical", "false", "not-low"),
        DecodeCase("nuki/398172F4/batteryCritical", "1", "!malformedPayload"),
        DecodeCase("nuki/398172F4/connected", "true", "online"),
        DecodeCase("nuki/398172F4/connected", "false", "stale offline", prev: .locked),
        DecodeCase("nuki/398172F4/connected", "maybe", "reach-unknown; !unmappedValue: maybe"),
    ]

    @Test(
        "each operation has its own number on one topic, and a retained command is detected and not decoded",
        arguments: [(LockOperation.lock, "2"), (.unlock, "1"), (.unlatch, "3")])
    func commands(_ operation: LockOperation, _ payload: String) throws {
        var fixture = try DialectFixture("nuki-native", Example.nuki)
        #expect(try fixture.encode(operation) == "nuki/398172F4/lockAction \(payload) q1")
        #expect(fixture.receive("nuki/398172F4/lockAction", payload, isRetained: true) == "!retainedCommandFound")
        #expect(fixture.receive("nuki/398172F4/unlock", "true", isRetained: true) == "!retainedCommandFound")
        #expect(fixture.receive("nuki/398172F4/lockAction", payload) == "", "the gateway's own command")
        #expect(fixture.receive("nuki/398172F4/lockAction", "", isRetained: true) == "")
    }
}
