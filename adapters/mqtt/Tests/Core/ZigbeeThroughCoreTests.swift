import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Testing

@testable import AdapterMQTT

/// Tests of a Zigbee2MQTT lock, whose messages all contain cached values, with a complete gateway core.
@Suite(.serialized, .timeLimit(.minutes(30))) struct ZigbeeThroughCoreTests {
    private static let topic = "zigbee2mqtt/front"
    private static let set = "zigbee2mqtt/front/set"
    private static let get = "zigbee2mqtt/front/get"

    private static func makeFixture() async throws -> GatewayFixture {
        try await GatewayFixture(
            ["profile": "zigbee2mqtt", "name": "front"], [set, get],
            presence: ("zigbee2mqtt/front/availability", #"{"state":"online"}"#))
    }

    private static func state(_ word: String, _ more: String = "") -> String { #"{"lock_state":"\#(word)"\#(more)}"# }

    @Test("a reported bolt state confirms a command, and an operation at the keypad is one record")
    func confirmed() async throws {
        let fixture = try await Self.makeFixture()
        try fixture.publish(Self.topic, Self.state("locked"))
        try await fixture.settle()
        let running = try await fixture.begin(.unlock)
        await fixture.arrived(1, on: Self.set)
        try fixture.publish(Self.topic, Self.state("unlocked"))
        let command = await running.finished.command
        #expect(command.state == .confirmed && command.stateAfter == .unlocked)
        // The bridge's later event about the command adds no record. The event about an operation at the keypad adds a record.
        try fixture.publish(Self.topic, Self.state("unlocked", #","action":"unlock","action_source_name":"rf""#))
        try fixture.publish(Self.topic, Self.state("locked", #","action":"lock","action_source_name":"keypad","action_user":3"#))
        try await fixture.settle()
        let events = await fixture.stopAndRead()
        #expect(events.map(\.event) == [.locked])
        #expect(events.map(\.method) == [.keypad] && events.map(\.actor.name) == ["slot 3"])
    }

    @Test(
        "if the bolt is already in the target state, a cached state confirms nothing, and the answer to a state request confirms")
    func cached() async throws {
        let fixture = try await Self.makeFixture()
        try fixture.publish(Self.topic, Self.state("locked"))
        try await fixture.settle()
        // The first state request is sent once the lock's topics are subscribed.
        await fixture.arrived(1, on: Self.get)
        let running = try await fixture.begin(.lock)
        await fixture.arrived(2, on: Self.get)
        try fixture.publish(Self.topic, Self.state("locked", #","battery":70"#))
        try await fixture.settle()
        #expect(fixture.status.stateQuality == .stale)
        try fixture.publish(Self.topic, Self.state("locked", #","battery":70"#))
        let command = await running.finished.command
        #expect(command.state == .confirmed && command.changed == false)
        #expect(await fixture.stopAndRead().isEmpty)
    }

    @Test(
        "a bolt that stays between its ends ends the command as jammed, and an error in the bridge's log ends it as a transport failure"
    )
    func failed() async throws {
        let fixture = try await Self.makeFixture()
        try fixture.publish(Self.topic, Self.state("unlocked"))
        try await fixture.settle()
        let jammed = try await fixture.begin(.lock)
        await fixture.arrived(1, on: Self.set)
        try fixture.publish(Self.topic, #"{"lock_state":"not_fully_locked","state":"UNLOCK"}"#)
        try await fixture.settle()
        fixture.clock.advance(by: .seconds(5))
        let jam = await jammed.finished.command
        #expect(jam.state == .failed && jam.outcomeDetail == "jammed" && fixture.status.faults == ["jammed", "notFullyLocked"])
        let lost = try await fixture.begin(.lock)
        await fixture.arrived(2, on: Self.set)
        try fixture.publish(
            "zigbee2mqtt/bridge/logging", #"{"level":"error","message":"Publish 'set' 'state' to 'front' failed: 'x'"}"#)
        let command = await lost.finished.command
        #expect(command.state == .failed && command.outcomeDetail == "transport")
        await fixture.end()
    }

    @Test("a half-way state during a command is shown as moving, and the command is confirmed by the state that follows")
    func halfWay() async throws {
        let fixture = try await Self.makeFixture()
        try fixture.publish(Self.topic, Self.state("unlocked"))
        try await fixture.settle()
        for (number, operation, moving, end) in [
            (1, LockOperation.lock, LockState.locking, "locked"), (2, .unlock, .unlocking, "unlocked"),
        ] {
            let running = try await fixture.begin(operation)
            await fixture.arrived(number, on: Self.set)
            try fixture.publish(Self.topic, #"{"state":"UNLOCK","lock_state":"not_fully_locked","battery":80}"#)
            try await fixture.settle()
            #expect(fixture.status.state == moving && fixture.status.faults.isEmpty)
            fixture.clock.advance(by: .milliseconds(1200))
            try fixture.publish(Self.topic, Self.state(end, #","battery":80"#))
            let command = await running.finished.command
            #expect(command.state == .confirmed)
        }
        #expect(await fixture.stopAndRead().isEmpty)
    }

    @Test("a half-way state that is the last report at the deadline is a jam, even if it came less than five seconds before")
    func halfWayAtDeadline() async throws {
        let fixture = try await Self.makeFixture()
        try fixture.publish(Self.topic, Self.state("unlocked"))
        try await fixture.settle()
        let running = try await fixture.begin(.lock)
        await fixture.arrived(1, on: Self.set)
        try await fixture.settle()
        fixture.clock.advance(by: .seconds(7))
        try fixture.publish(Self.topic, Self.state("not_fully_locked"))
        try await fixture.settle()
        fixture.clock.advance(by: .milliseconds(2750))
        let command = await running.finished.command
        #expect(command.state == .failed && command.outcomeDetail == "jammed" && fixture.status.state == .jammed)
        await fixture.end()
    }

    @Test("after a timeout, neither a cached state nor a state after a contradicting one is a late confirmation")
    func timedOut() async throws {
        let fixture = try await Self.makeFixture()
        try fixture.publish(Self.topic, Self.state("unlocked"))
        try await fixture.settle()
        let running = try await fixture.begin(.unlock)
        await fixture.arrived(1, on: Self.set)
        // The broker delivers the command back to the gateway before the deadline.
        try await fixture.settle()
        fixture.clock.advance(by: .seconds(10))
        let command = await running.finished.command
        #expect(command.state == .timedOut)
        try fixture.publish(Self.topic, Self.state("unlocked", #","battery":50"#))
        try await fixture.settle()
        #expect(fixture.status.state == .unlocked && fixture.status.stateQuality == .stale)
        try fixture.publish(Self.topic, Self.state("locked", #","battery":50"#))
        try fixture.publish(Self.topic, Self.state("unlocked", #","battery":50"#))
        try await fixture.settle()
        #expect(fixture.status.stateQuality == .confirmed)
        let events = await fixture.stopAndRead()
        #expect(events.map(\.event) == [.locked, .unlocked])
        #expect(events.map(\.commandID) == [nil, nil])
    }

    @Test("after a timeout, a changed bolt state is a late confirmation, even after a cached state")
    func late() async throws {
        let fixture = try await Self.makeFixture()
        try fixture.publish(Self.topic, Self.state("locked"))
        try await fixture.settle()
        let running = try await fixture.begin(.unlock)
        await fixture.arrived(1, on: Self.set)
        // The broker delivers the command back to the gateway before the deadline.
        try await fixture.settle()
        fixture.clock.advance(by: .seconds(10))
        let command = await running.finished.command
        #expect(command.state == .timedOut)
        try fixture.publish(Self.topic, Self.state("locked", #","battery":50"#))
        try await fixture.settle()
        #expect(fixture.status.state == .locked && fixture.status.stateQuality == .stale)
        try fixture.publish(Self.topic, Self.state("unlocked", #","battery":50"#))
        try await fixture.settle()
        #expect(fixture.status.stateQuality == .confirmed)
        let events = await fixture.stopAndRead()
        #expect(events.map(\.event) == [.unlocked])
        #expect(events.map(\.commandID) == [command.id])
    }
}
