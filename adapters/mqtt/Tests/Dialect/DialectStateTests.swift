import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import Testing

@testable import AdapterMQTT

@Suite struct DialectStateTests {
    @Test("when the connection is lost the state becomes stale and the availability unknown, and the position is kept")
    func connectionLost() throws {
        var fixture = try DialectFixture("nuki-native", Example.nuki)
        _ = fixture.receive("nuki/398172F4/connected", "true")
        _ = fixture.receive("nuki/398172F4/state", "1")
        #expect(fixture.state.availability == .online)
        #expect(fixture.dialect.connectionLost(&fixture.state).summary == "stale reach-unknown")
        #expect(fixture.state.position == .locked && fixture.state.quality == .stale)
        #expect(fixture.receive("nuki/398172F4/connected", "true", isRetained: true) == "online")
    }

    @Test("a retained state of an offline lock is stale")
    func unavailable() throws {
        var fixture = try DialectFixture("nuki-native", Example.nuki)
        _ = fixture.receive("nuki/398172F4/connected", "false", isRetained: true)
        #expect(fixture.receive("nuki/398172F4/state", "1", isRetained: true) == "locked stale")
        #expect(fixture.receive("nuki/398172F4/state", "1") == "locked confirmed", "a live state is confirmed")
    }

    @Test("after the end of a command a response is unexpected, and a state confirms no command")
    func completed() throws {
        var fixture = try DialectFixture("nuki-native", Example.nuki, prev: .unlocked, inFlight: .lock)
        fixture.dialect.completeCommand(&fixture.state)
        #expect(fixture.receive("nuki/398172F4/commandResponse", "66") == "!unexpectedAck")
        #expect(fixture.receive("nuki/398172F4/state", "1") == "locked confirmed")
    }

    @Test("a command that cannot be sent does not change the dialect state")
    func unsupported() throws {
        var fixture = try DialectFixture("zigbee2mqtt", Example.front, prev: .locked)
        let before = fixture.state
        #expect(throws: AdapterError.unsupported) { try fixture.encode(.unlatch) }
        #expect(throws: AdapterError.unsupported) { try fixture.encode(.viewStatus) }
        #expect(fixture.state == before)
        var nuki = try DialectFixture("nuki-native", Example.nuki)
        #expect(throws: AdapterError.unsupported) { try nuki.encode(.unlock, code: "1234") }
        #expect(nuki.state.inFlight == nil, "a command with a code is not sent to a lock that takes no code")
    }

    @Test(
        "a completed operation contradicts the listed bolt states, and a failed one contradicts none", arguments: contradictions)
    func contradiction(_ operation: LockEvent.Operation, _ position: BoltState, _ contradicts: Bool) {
        #expect(LockEvent(kind: .operation, operation: operation).contradicts(position) == contradicts)
        #expect(!LockEvent(kind: .operation, operation: operation, isDone: false).contradicts(position), "the operation failed")
        #expect(!LockEvent(kind: .attemptFailed, operation: operation).contradicts(position))
    }

    private static let contradictions: [(LockEvent.Operation, BoltState, Bool)] = [
        (.unlock, .locked, true),
        (.unlock, .locking, true),
        (.unlock, .unlocked, false),
        (.unlock, .unlocking, false),
        (.unlock, .open, false),
        (.unlock, .unknown, false),
        (.unlock, .jammed, true),
        (.lock, .locked, false),
        (.lock, .locking, false),
        (.lock, .unlocked, true),
        (.lock, .open, true),
        (.lock, .opening, true),
        (.open, .locked, true),
        (.open, .unlocked, false),
        (.open, .opening, false),
        (.none, .locked, false),
        (.unknown, .locked, false),
    ]

    @Test("diagnostics mask digits that could be a code, replace control characters, and are limited in length")
    func redaction() throws {
        #expect("\(Diagnostic.unmapped("PIN 0042!"))" == "unmappedValue: PIN ••••!")
        #expect("\(Diagnostic.unmapped("254"))" == "unmappedValue: 254")
        #expect("\(Diagnostic.unmapped("123456789"))" == "unmappedValue: ••••")
        #expect("\(Diagnostic.unmapped("a\nb\u{1B}[31m\u{202E}"))" == "unmappedValue: a·b·[31m·")
        #expect("\(Diagnostic.unmapped(String(repeating: "x", count: 500)))".count == 15 + 64)
        var fixture = try DialectFixture("zigbee2mqtt", Example.front)
        let summary = fixture.receive("zigbee2mqtt/front", #"{"action":"code_271828_used","pin_code":"271828","state":"271828"}"#)
        #expect(!summary.contains("271828"))
    }

    @Test(
        "a payload that is not UTF-8 is malformed and changes nothing",
        arguments: [[0xff, 0xfe], [0xc0, 0x80], [0xed, 0xa0, 0x80]])
    func noText(_ bytes: [UInt8]) throws {
        var fixture = try DialectFixture("nuki-native", Example.nuki, prev: .locked)
        let before = fixture.state
        #expect(fixture.receive("nuki/398172F4/state", bytes) == "!malformedPayload")
        #expect(fixture.state == before)
        #expect(fixture.receive("nuki/398172F4/lockAction", bytes) == "", "a live payload on the command topic is not decoded")
    }

    @Test("decodes a payload of 64 KiB, and rejects a longer one and one that is nested too deeply")
    func bounds() throws {
        var fixture = try DialectFixture("zigbee2mqtt", Example.front)
        func padded(_ length: Int) -> String {
            let start = #"{"state":"LOCK","x":""#
            return start + String(repeating: "x", count: length - start.count - 2) + #""}"#
        }
        #expect(fixture.receive("zigbee2mqtt/front", padded(65_536)) == "locked confirmed")
        #expect(fixture.receive("zigbee2mqtt/front", padded(65_537)) == "!malformedPayload")
        #expect(fixture.receive("zigbee2mqtt/front", String(repeating: "[", count: 60_000)) == "!malformedPayload")
        #expect(
            fixture.receive("zigbee2mqtt/front", #"{"state":"LOCK","x":\#(String(repeating: #"{"a":"#, count: 10_000))"#)
                == "!malformedPayload")
    }
}
