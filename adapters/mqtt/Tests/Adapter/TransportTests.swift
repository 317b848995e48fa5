import AdapterMQTT
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

/// Tests of the adapter's lists of brokers and address fields, which operators see.
@Suite(.serialized, .timeLimit(.minutes(30))) struct TransportTests {
    @Test("`transports` contains each broker with its health, and with the reason while it is disconnected")
    func health() async throws {
        let attic = try await MosquittoProcess.start()
        let fixture = try await BrokerFixture(MosquittoProcess.start(), more: ["attic": attic.port])
        #expect(fixture.adapter.transports.map(\.name) == ["attic", "home"])
        #expect(fixture.adapter.transports.allSatisfy { $0.health == .ok && $0.problem == nil && $0.owner == .gateway })
        attic.kill()
        while fixture.adapter.transports[0].problem?.hasPrefix("Broker `attic` is not connected (connection") != true {
            await fixture.clock.pass()
        }
        #expect(fixture.adapter.transports.map(\.health) == [.down, .ok])
        #expect(fixture.adapter.transports[1].problem == nil)
        try await attic.restart()
        await fixture.untilHealth(.ok)
        #expect(fixture.adapter.transports.allSatisfy { $0.health == .ok && $0.problem == nil })
        await fixture.end()
    }

    @Test("the address fields allow the configured brokers, and the profiles as last loaded")
    func words() async throws {
        let folder = try ProfileFolder()
        let library = ProfileLibrary(directories: [folder.path])
        let adapter = BrokerFixture.adapter(["home": 1, "attic": 1], VirtualClock(), library)
        let fields = adapter.addressFields
        #expect(fields.map(\.name) == ["broker", "profile"])
        #expect(fields.map(\.form) == [.word(["attic", "home"]), .word(ProfileLibrary.shipped.ids)])
        try folder.write(
            """
            profile: acme
            state: { topic: x/state, map: { L: locked } }
            commands: { lock: { topic: x/set, payload: L } }
            """, to: "acme.yaml")
        #expect(adapter.reloadProfiles() == [])
        #expect(adapter.addressFields.map(\.form) == [.word(["attic", "home"]), .word(library.ids)])
        #expect(library.ids.first == "acme")
    }
}
