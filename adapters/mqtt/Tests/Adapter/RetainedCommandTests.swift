import AdapterMQTT
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

/// Tests of retained commands that another client publishes while the gateway is connected.
@Suite(.serialized, .timeLimit(.minutes(30))) struct RetainedCommandTests {
    private static func malformedCount(_ fixture: BrokerFixture) -> Int { fixture.adapter.counts["messages_odd"] ?? 0 }

    @Test("a retained command on a lock's command topic is counted as malformed and not reported; deleting it is not counted")
    func retainedCommand() async throws {
        let fixture = try await BrokerFixture(MosquittoProcess.start())
        let door = try await fixture.attach("A")
        // The availability of the lock is reported after its state.
        try await fixture.settle()
        let (malformedCount, reports) = (Self.malformedCount(fixture), fixture.reports.all(of: door))
        fixture.nuki.publishRetained("nuki/A/unlock", "true")
        try await fixture.settle()
        #expect(Self.malformedCount(fixture) == malformedCount + 1)
        fixture.nuki.publishRetained("nuki/A/unlock", "")
        fixture.nuki.publish("nuki/A/unlock", "true")
        try await fixture.settle()
        #expect(Self.malformedCount(fixture) == malformedCount + 1, "a deletion and a live command are not counted")
        #expect(fixture.reports.all(of: door) == reports)
        #expect(fixture.nuki.commands(at: "A") == [])
        await fixture.end()
    }

    @Test("a state published with the retain flag on another lock's command topic is reported as live")
    func stateOnCommandTopic() async throws {
        let fixture = try await BrokerFixture(MosquittoProcess.start())
        let other = DeviceID(high: 0xD2, low: 1)
        fixture.adapter.attach(
            AttachedLock(
                id: other,
                address: [
                    "broker": .string("home"), "profile": .string("homeassistant"), "command_topic": .string("gate/set"),
                    "state_topic": .string("nuki/A/unlock"),
                ]))
        fixture.nuki.publishRetained("nuki/A/unlock", "UNLOCKED")
        await fixture.reports.first(of: other) { $0.state == .unlocked }
        try await fixture.attach("A")
        fixture.nuki.publishRetained("nuki/A/unlock", "LOCKED")
        await fixture.reports.first(of: other) { $0.isLive && $0.state == .locked }
        await fixture.end()
    }
}
