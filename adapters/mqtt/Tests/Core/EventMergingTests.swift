import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Testing

@testable import AdapterMQTT

/// Two messages about one operation at the door are one record.
@Suite(.serialized, .timeLimit(.minutes(30))) struct EventMergingTests {
    private static func nuki() async throws -> GatewayFixture {
        let fixture = try await GatewayFixture(["profile": "nuki-native", "id": "A"], [], presence: ("nuki/A/connected", "true"))
        try fixture.publish("nuki/A/state", "1")
        try await fixture.settle()
        return fixture
    }

    @Test("a Nuki event and the state that follows it are one record")
    func event() async throws {
        let fixture = try await Self.nuki()
        for (topic, payload) in [("lockActionEvent", "1,0,5,7,1"), ("state", "2"), ("state", "3")] {
            try fixture.publish("nuki/A/\(topic)", payload)
        }
        try await fixture.settle()
        #expect(fixture.status.state == .unlocked)
        let events = await fixture.stopAndRead()
        #expect(events.map(\.event) == [.unlocked] && events.map(\.method) == [.keypad])
        #expect(events.map(\.actor.name) == ["code 7"])
    }

    @Test("an announced operation is recorded when its state arrives, without the method if that takes more than ten seconds")
    func apart() async throws {
        let fixture = try await Self.nuki()
        try fixture.publish("nuki/A/lockActionEvent", "1,2,0,0,0")
        try await fixture.settle()
        fixture.clock.advance(by: .seconds(11))
        try fixture.publish("nuki/A/state", "3")
        try fixture.publish("nuki/A/lockActionEvent", "2,2,0,0,0")
        try fixture.publish("nuki/A/state", "254")
        try await fixture.settle()
        let events = await fixture.stopAndRead()
        #expect(events.map(\.event) == [.unlocked, .jammed], "the announced locking was not completed")
        #expect(events.map(\.method) == [nil, nil])
    }

    @Test("a Z-Wave notification and the mode are one record in either order; a notification without new details adds none")
    func notification() async throws {
        let fixture = try await GatewayFixture(
            ["profile": "zwave-js-ui", "node": "front"], [], presence: ("zwave/front/status", "true"))
        let access = "zwave/front/113/0/Access_Control"
        func mode(_ value: Int, _ time: Int) throws {
            try fixture.publish("zwave/front/98/0/currentMode", #"{"time":\#(time),"value":\#(value)}"#)
        }
        try mode(255, 1)
        try await fixture.settle()
        try fixture.publish("\(access)/Keypad_unlock_operation", #"{"time":2,"value":{"userId":3}}"#)
        try mode(0, 3)
        try mode(255, 4)
        try fixture.publish("\(access)/Lock_operation_with_User_Code", "")
        try await fixture.settle()
        let events = await fixture.stopAndRead()
        #expect(events.map(\.event) == [.unlocked, .locked])
        #expect(events.map(\.method) == [.keypad, nil])
    }

    @Test("a valid HomeKey gives the method of the next movement, and an unknown card is a failed attempt")
    func homekey() async throws {
        let fixture = try await GatewayFixture(
            ["profile": "homekey-esp32", "client": "reader"], [], presence: ("reader/status", "online"))
        try fixture.publish("reader/homekit/state", "1")
        try await fixture.settle()
        try fixture.publish("reader/homekey/auth", #"{"homekey":false,"uid":"04a1","atqa":"0","sak":"8"}"#)
        try fixture.publish("reader/homekey/auth", #"{"homekey":true,"issuerId":"a","endpointId":"b"}"#)
        try fixture.publish("reader/homekit/state", "4")
        try fixture.publish("reader/homekit/state", "0")
        try await fixture.settle()
        let events = await fixture.stopAndRead()
        #expect(events.map(\.event) == [.attemptFailed, .unlocked])
        #expect(events.map(\.method) == [.rfid, .app])
    }
}
