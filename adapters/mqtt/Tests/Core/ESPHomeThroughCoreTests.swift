import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Glibc
import Testing

@testable import AdapterMQTT

/// Tests of an ESPHome lock, which does not repeat an unchanged state, with a complete gateway core.
@Suite(.serialized, .timeLimit(.minutes(30))) struct ESPHomeThroughCoreTests {
    private static let topic = "porch/lock/door/state"
    private static let command = "porch/lock/door/command"

    private static func makeFixture(_ more: [String: String] = [:]) async throws -> GatewayFixture {
        try await GatewayFixture(
            ["profile": "esphome", "node": "porch", "object_id": "door"].merging(more) { $1 }, [command],
            presence: ("porch/status", "online"))
    }

    @Test("intermediate states confirm nothing, the final state confirms, and a jam ends the command at once")
    func reported() async throws {
        let fixture = try await Self.makeFixture()
        try fixture.publish(Self.topic, "LOCKED")
        try await fixture.settle()
        let first = try await fixture.begin(.unlock)
        await fixture.arrived(1, on: Self.command)
        try fixture.publish(Self.topic, "UNLOCKING")
        try await fixture.settle()
        #expect(fixture.status.state == .unlocking)
        try fixture.publish(Self.topic, "UNLOCKED")
        #expect(await first.finished.command.state == .confirmed)
        let second = try await fixture.begin(.lock)
        await fixture.arrived(2, on: Self.command)
        try fixture.publish(Self.topic, "LOCKING")
        try fixture.publish(Self.topic, "JAMMED")
        let jam = await second.finished.command
        #expect(jam.state == .failed && jam.outcomeDetail == "jammed")
        try fixture.publish(Self.topic, "LOCKED")
        try await fixture.settle()
        #expect(await fixture.stopAndRead().map(\.event) == [.locked], "the bolt was freed by hand")
    }

    @Test(
        "a silent lock that is already in the target state confirms a command, unless the broker is stalled",
        arguments: [true, false])
    func silent(brokerWorks: Bool) async throws {
        let fixture = try await Self.makeFixture()
        try fixture.publish(Self.topic, "UNLOCKED")
        try await fixture.settle()
        let running = try await fixture.begin(.unlock)
        await fixture.arrived(1, on: Self.command)
        // Each received message triggers a step of the connection, which sends a liveness probe or reads the answer.
        for _ in 0..<(brokerWorks ? 9 : 6) {
            fixture.clock.advance(by: .milliseconds(1_050))
            try await fixture.settle()
            try await fixture.settle()
        }
        if brokerWorks {
            fixture.clock.advance(by: .milliseconds(300))
        } else {
            fixture.broker.signal(SIGSTOP)
            fixture.clock.advance(by: .milliseconds(3_450))
            fixture.clock.advance(by: .milliseconds(250))
        }
        #expect(await running.finished.command.state == (brokerWorks ? .confirmed : .timedOut))
        fixture.broker.signal(SIGCONT)
        await fixture.end()
    }

    @Test("the state of an optimistic node confirms no command")
    func optimistic() async throws {
        let fixture = try await Self.makeFixture(["optimistic": "true"])
        try fixture.publish(Self.topic, "LOCKED")
        try await fixture.settle()
        #expect(fixture.status.stateQuality == .assumed)
        let running = try await fixture.begin(.lock)
        await fixture.arrived(1, on: Self.command)
        try fixture.publish(Self.topic, "LOCKED")
        try await fixture.settle()
        fixture.clock.advance(by: .seconds(10))
        #expect(await running.finished.command.state == .timedOut)
        #expect(await fixture.stopAndRead().isEmpty)
    }
}
