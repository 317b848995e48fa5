import DoorwardDomain
import Testing

@testable import AdapterMQTT

/// Each alarm is reported once when it starts, whatever happens between two messages of a lock.
@Suite struct AlarmTests {
    private static let topic = "zigbee2mqtt/front"
    private static let calm = #"{"lock_state":"locked","door_state":"closed","tamper":false,"alarm":"none"}"#
    private static let forced = #"{"lock_state":"locked","door_state":"error_forced_open","tamper":false,"alarm":"none"}"#
    private static let tampered = #"{"lock_state":"locked","door_state":"closed","tamper":true,"alarm":"none"}"#

    /// Returns a lock that has just been attached.
    private static func attached() throws -> DialectFixture {
        var fixture = try DialectFixture("zigbee2mqtt", Example.front)
        fixture.state = DialectState()
        fixture.state.isNewlyAttached = true
        return fixture
    }

    /// An incident between two messages of the lock.
    enum Gap: String, CaseIterable, CustomTestStringConvertible {
        case nothing, bridgeAway, lockAway, brokerAway, contradicted, flooded
        var testDescription: String { rawValue }

        /// - Parameter payload: the message that the bridge repeats.
        fileprivate func pass(_ fixture: inout DialectFixture, _ payload: String) {
            switch self {
            case .nothing: break
            case .bridgeAway:
                _ = fixture.receive("zigbee2mqtt/bridge/state", "offline")
                _ = fixture.receive("zigbee2mqtt/bridge/state", "online")
            case .lockAway:
                _ = fixture.receive("zigbee2mqtt/front/availability", #"{"state":"offline"}"#)
                _ = fixture.receive("zigbee2mqtt/front/availability", #"{"state":"online"}"#)
            case .brokerAway: _ = fixture.dialect.connectionLost(&fixture.state)
            case .contradicted:
                _ = fixture.receive(topic, payload.replacing(#""none""#, with: #""none","action":"manual_unlock""#))
            case .flooded: fixture.state.markStale()
            }
        }
    }

    private static func events(_ words: String) -> [String] {
        words.split(separator: "; ").filter { $0.hasPrefix("event ") && !$0.contains("operation") }.map(String.init)
    }

    @Test("an alarm that starts after a gap is reported each time, and an alarm that continues is not", arguments: Gap.allCases)
    func again(_ gap: Gap) throws {
        var fixture = try Self.attached()
        #expect(fixture.receive(Self.topic, Self.calm) == "locked confirmed door-closed")
        for (alarm, event) in [
            (Self.forced, "event doorForced"), (Self.tampered, "event tamper"), (Self.forced, "event doorForced"),
        ] {
            gap.pass(&fixture, Self.calm)
            #expect(Self.events(fixture.receive(Self.topic, alarm)) == [event])
            gap.pass(&fixture, alarm)
            #expect(Self.events(fixture.receive(Self.topic, alarm)) == [], "the alarm continues")
            #expect(Self.events(fixture.receive(Self.topic, Self.calm)) == [])
        }
    }

    @Test("an alarm whose key was in no earlier message is reported when it starts")
    func firstOfItsKind() throws {
        var fixture = try Self.attached()
        #expect(fixture.receive(Self.topic, #"{"lock_state":"locked"}"#) == "locked confirmed")
        #expect(Self.events(fixture.receive(Self.topic, #"{"lock_state":"locked","tamper":true}"#)) == ["event tamper"])
    }

    @Test(
        "an alarm that is active when the lock is attached is a fault and not an event; the next alarm is an event",
        arguments: [true, false])
    func active(isRetained: Bool) throws {
        var fixture = try Self.attached()
        let first = fixture.receive(Self.topic, Self.tampered, isRetained: isRetained)
        #expect(first.contains("faults[tamper]") && Self.events(first) == [])
        #expect(Self.events(fixture.receive(Self.topic, Self.tampered)) == [])
        _ = fixture.receive(Self.topic, Self.calm)
        #expect(Self.events(fixture.receive(Self.topic, Self.tampered)) == ["event tamper"])
    }

    @Test("a retained alarm that started while the gateway was disconnected is reported once")
    func kept() throws {
        var fixture = try Self.attached()
        _ = fixture.receive(Self.topic, Self.calm)
        _ = fixture.dialect.connectionLost(&fixture.state)
        #expect(Self.events(fixture.receive(Self.topic, Self.forced, isRetained: true)) == ["event doorForced"])
        #expect(Self.events(fixture.receive(Self.topic, Self.forced)) == [])
    }

    @Test("one alarm in two keys of a message is one event")
    func twoFields() throws {
        var fixture = try Self.attached()
        _ = fixture.receive(Self.topic, Self.calm)
        let both = Self.tampered.replacing(#""none""#, with: #""tamper_alarm_escutcheon_removed""#)
        #expect(Self.events(fixture.receive(Self.topic, both)) == ["event tamper"])
    }
}
