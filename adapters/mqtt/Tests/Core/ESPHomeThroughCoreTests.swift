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

    private static func rig(_ more: [String: String] = [:]) async throws -> GatewayRig {
        try await GatewayRig(
            ["profile": "esphome", "node": "porch", "object_id": "door"].merging(more) { $1 }, [command],
            presence: ("porch/status", "online"))
    }

    @Test("intermediate states confirm nothing, the final state confirms, and a jam ends the command at once")
    func spoken() async throws {
        let rig = try await Self.rig()
        try rig.say(Self.topic, "LOCKED")
        try await rig.settle()
        let first = try await rig.begin(.unlock)
        await rig.arrived(1, on: Self.command)
        try rig.say(Self.topic, "UNLOCKING")
        try await rig.settle()
        #expect(rig.status.state == .unlocking)
        try rig.say(Self.topic, "UNLOCKED")
        #expect(await first.finished.command.state == .confirmed)
        let second = try await rig.begin(.lock)
        await rig.arrived(2, on: Self.command)
        try rig.say(Self.topic, "LOCKING")
        try rig.say(Self.topic, "JAMMED")
        let jam = await second.finished.command
        #expect(jam.state == .failed && jam.outcomeDetail == "jammed")
        try rig.say(Self.topic, "LOCKED")
        try await rig.settle()
        #expect(await rig.stopAndRead().map(\.event) == [.locked], "the bolt was freed by hand")
    }

    @Test(
        "a silent lock that is already in the target state confirms a command, unless the broker is stalled",
        arguments: [true, false])
    func silent(brokerWorks: Bool) async throws {
        let rig = try await Self.rig()
        try rig.say(Self.topic, "UNLOCKED")
        try await rig.settle()
        let running = try await rig.begin(.unlock)
        await rig.arrived(1, on: Self.command)
        // Each received message triggers a step of the connection, which sends a liveness probe or reads the answer.
        for _ in 0..<(brokerWorks ? 9 : 6) {
            rig.clock.advance(by: .milliseconds(1_050))
            try await rig.settle()
            try await rig.settle()
        }
        if brokerWorks {
            rig.clock.advance(by: .milliseconds(300))
        } else {
            rig.broker.signal(SIGSTOP)
            rig.clock.advance(by: .milliseconds(3_450))
            rig.clock.advance(by: .milliseconds(250))
        }
        #expect(await running.finished.command.state == (brokerWorks ? .confirmed : .timedOut))
        rig.broker.signal(SIGCONT)
        await rig.end()
    }

    @Test("the state of an optimistic node confirms no command")
    func optimistic() async throws {
        let rig = try await Self.rig(["optimistic": "true"])
        try rig.say(Self.topic, "LOCKED")
        try await rig.settle()
        #expect(rig.status.stateQuality == .assumed)
        let running = try await rig.begin(.lock)
        await rig.arrived(1, on: Self.command)
        try rig.say(Self.topic, "LOCKED")
        try await rig.settle()
        rig.clock.advance(by: .seconds(10))
        #expect(await running.finished.command.state == .timedOut)
        #expect(await rig.stopAndRead().isEmpty)
    }
}
