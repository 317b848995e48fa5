import AdapterMQTT
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

/// Tests of retained commands that another client publishes while the gateway is connected.
@Suite(.serialized, .timeLimit(.minutes(30))) struct KeptCommandTests {
    private static func odd(_ rig: BrokerFixture) -> Int { rig.adapter.counts["messages_odd"] ?? 0 }

    @Test("a retained command on a lock's command topic is counted as malformed and not reported; deleting it is not counted")
    func left() async throws {
        let rig = try await BrokerFixture(MosquittoProcess.start())
        let door = try await rig.attach("A")
        // The availability of the lock is reported after its state.
        try await rig.settle()
        let (odd, reports) = (Self.odd(rig), rig.reports.all(of: door))
        rig.nuki.keep("nuki/A/unlock", "true")
        try await rig.settle()
        #expect(Self.odd(rig) == odd + 1)
        rig.nuki.keep("nuki/A/unlock", "")
        rig.nuki.say("nuki/A/unlock", "true")
        try await rig.settle()
        #expect(Self.odd(rig) == odd + 1, "a deletion and a live command are not counted")
        #expect(rig.reports.all(of: door) == reports)
        #expect(rig.nuki.orders(at: "A") == [])
        await rig.end()
    }

    @Test("a state published with the retain flag on another lock's command topic is reported as live")
    func stateOnCommandTopic() async throws {
        let rig = try await BrokerFixture(MosquittoProcess.start())
        let other = DeviceID(high: 0xD2, low: 1)
        rig.adapter.attach(
            AttachedLock(
                id: other,
                address: [
                    "broker": .string("home"), "profile": .string("homeassistant"), "command_topic": .string("gate/set"),
                    "state_topic": .string("nuki/A/unlock"),
                ]))
        rig.nuki.keep("nuki/A/unlock", "UNLOCKED")
        await rig.reports.first(of: other) { $0.state == .unlocked }
        try await rig.attach("A")
        rig.nuki.keep("nuki/A/unlock", "LOCKED")
        await rig.reports.first(of: other) { $0.isLive && $0.state == .locked }
        await rig.end()
    }
}
