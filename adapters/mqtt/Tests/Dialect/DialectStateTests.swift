import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import Testing

@testable import AdapterMQTT

@Suite struct DialectStateTests {
    @Test("with the connection everything known becomes stale, and nothing is forgotten but who can be reached")
    func lost() throws {
        var spoken = try DialectFixture("nuki-native", Example.nuki)
        _ = spoken.receive("nuki/398172F4/connected", "true")
        _ = spoken.receive("nuki/398172F4/state", "1")
        #expect(spoken.memory.availability == .online)
        #expect(spoken.dialect.lose(&spoken.memory).words == "stale reach-unknown")
        #expect(spoken.memory.position == .locked && spoken.memory.quality == .stale)
        #expect(spoken.receive("nuki/398172F4/connected", "true", isRetained: true) == "online")
    }

    @Test("a retained state of a lock that is away is worth nothing")
    func away() throws {
        var spoken = try DialectFixture("nuki-native", Example.nuki)
        _ = spoken.receive("nuki/398172F4/connected", "false", isRetained: true)
        #expect(spoken.receive("nuki/398172F4/state", "1", isRetained: true) == "locked stale")
        #expect(spoken.receive("nuki/398172F4/state", "1") == "locked confirmed", "a live word is a live word")
    }

    @Test("the end of a command is its end: what comes afterwards answers nothing")
    func ended() throws {
        var spoken = try DialectFixture("nuki-native", Example.nuki, prev: .unlocked, inFlight: .lock)
        spoken.dialect.endOrder(&spoken.memory)
        #expect(spoken.receive("nuki/398172F4/commandResponse", "66") == "!unexpectedAck")
        #expect(spoken.receive("nuki/398172F4/state", "1") == "locked confirmed")
    }

    @Test("nothing is noted of a command that cannot be sent")
    func unsupported() throws {
        var spoken = try DialectFixture("zigbee2mqtt", Example.front, prev: .locked)
        let before = spoken.memory
        #expect(throws: AdapterError.unsupported) { try spoken.order(.unlatch) }
        #expect(throws: AdapterError.unsupported) { try spoken.order(.viewStatus) }
        #expect(spoken.memory == before)
        var nuki = try DialectFixture("nuki-native", Example.nuki)
        #expect(throws: AdapterError.unsupported) { try nuki.order(.unlock, code: "1234") }
        #expect(nuki.memory.underWay == nil, "a lock that takes no code is not sent one, and not moved without it")
    }

    @Test("an event that contradicts what is known makes it stale, one that does not leaves it", arguments: contradictions)
    func contradiction(_ operation: LockEvent.Operation, _ position: BoltState, _ contradicts: Bool) {
        #expect(LockEvent(.operation, operation: operation).contradicts(position) == contradicts)
        #expect(!LockEvent(.operation, operation: operation, isDone: false).contradicts(position), "it was only tried")
        #expect(!LockEvent(.attemptFailed, operation: operation).contradicts(position))
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

    @Test("a code stands in no diagnostic: digits in a row are masked, and so is what would break a line of a log")
    func redaction() throws {
        #expect("\(Diagnostic.unmapped("PIN 0042!"))" == "unmappedValue: PIN ••••!")
        #expect("\(Diagnostic.unmapped("254"))" == "unmappedValue: 254")
        #expect("\(Diagnostic.unmapped("123456789"))" == "unmappedValue: ••••")
        #expect("\(Diagnostic.unmapped("a\nb\u{1B}[31m\u{202E}"))" == "unmappedValue: a·b·[31m·")
        #expect("\(Diagnostic.unmapped(String(repeating: "x", count: 500)))".count == 15 + 64)
        var spoken = try DialectFixture("zigbee2mqtt", Example.front)
        let said = spoken.receive("zigbee2mqtt/front", #"{"action":"code_271828_used","pin_code":"271828","state":"271828"}"#)
        #expect(!said.contains("271828"))
    }

    @Test(
        "what is no text, or too long, is dropped and changes nothing",
        arguments: [[0xff, 0xfe], [0xc0, 0x80], [0xed, 0xa0, 0x80]])
    func noText(_ bytes: [UInt8]) throws {
        var spoken = try DialectFixture("nuki-native", Example.nuki, prev: .locked)
        let before = spoken.memory
        #expect(spoken.receive("nuki/398172F4/state", bytes) == "!malformedPayload")
        #expect(spoken.memory == before)
        #expect(spoken.receive("nuki/398172F4/lockAction", bytes) == "", "nobody reads what is said to the lock")
    }

    @Test("64 KiB are read, and a byte more is not; nothing nests without end")
    func bounds() throws {
        var spoken = try DialectFixture("zigbee2mqtt", Example.front)
        func padded(_ length: Int) -> String {
            let start = #"{"state":"LOCK","x":""#
            return start + String(repeating: "x", count: length - start.count - 2) + #""}"#
        }
        #expect(spoken.receive("zigbee2mqtt/front", padded(65_536)) == "locked confirmed")
        #expect(spoken.receive("zigbee2mqtt/front", padded(65_537)) == "!malformedPayload")
        #expect(spoken.receive("zigbee2mqtt/front", String(repeating: "[", count: 60_000)) == "!malformedPayload")
        #expect(
            spoken.receive("zigbee2mqtt/front", #"{"state":"LOCK","x":\#(String(repeating: #"{"a":"#, count: 10_000))"#)
                == "!malformedPayload")
    }
}
