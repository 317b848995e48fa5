import AdapterMQTT
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

/// Tests of custom profiles that change while their locks are attached.
@Suite(.serialized, .timeLimit(.minutes(30))) struct ProfileReloadTests {
    private static let door = DeviceID(high: 0xE1, low: 1)
    private static let address: [String: JSONValue] = ["broker": "home", "profile": "acme", "name": "door"]

    private static func profile(unlocked: String, _ more: String = "") -> String {
        """
        profile: acme
        description: says \(unlocked)
        vars: { name: {} }
        state: { topic: "acme/{name}/state", map: { L: locked, \(unlocked): unlocked } }
        commands: { unlock: { topic: "acme/{name}/set", payload: \(unlocked) } }
        \(more)
        """
    }

    private static func makeFixture(_ folder: ProfileFolder) async throws -> (BrokerFixture, ProfileLibrary) {
        let library = ProfileLibrary(directories: [folder.path])
        #expect(library.reload() == [])
        return (try await BrokerFixture(MosquittoProcess.start(), library: library), library)
    }

    /// Sends an unlock command, publishes `word` as the lock's state, and waits until the state confirms the command.
    private static func expectUnlock(by word: String, _ fixture: BrokerFixture) async throws {
        let command = try fixture.send(.unlock, to: door)
        fixture.nuki.publish("acme/door/state", word)
        await fixture.reports.first(of: door) { $0.confirms(command, .unlock) }
    }

    @Test("a changed profile applies to its locks; an invalid one is reported with file and line, and the old one stays in use")
    func changed() async throws {
        let folder = try ProfileFolder()
        try folder.write(Self.profile(unlocked: "A"), to: "acme.yaml")
        let (fixture, _) = try await Self.makeFixture(folder)
        fixture.adapter.attach(AttachedLock(id: Self.door, address: Self.address))
        fixture.nuki.publishRetained("acme/door/state", "L")
        await fixture.reports.first(of: Self.door) { $0.state == .locked }
        try await Self.expectUnlock(by: "A", fixture)

        try folder.write(Self.profile(unlocked: "B"), to: "acme.yaml")
        #expect(fixture.adapter.reloadProfiles() == [])
        try await Self.expectUnlock(by: "B", fixture)
        fixture.nuki.publish("acme/door/state", "A")
        try await fixture.settle()
        #expect(fixture.reports.all(of: Self.door).last { $0.state != nil }?.state == .unknown, "a value of the old profile")

        try folder.write(Self.profile(unlocked: "C", "nonsense: 1"), to: "acme.yaml")
        let sentences = fixture.adapter.reloadProfiles()
        #expect(sentences.count == 1 && sentences[0].hasPrefix("\(folder.path)/acme.yaml:6: "), "\(sentences)")
        try await Self.expectUnlock(by: "B", fixture)
        await fixture.end()
    }

    @Test("a lock without a profile accepts commands as soon as the profile exists")
    func appears() async throws {
        let folder = try ProfileFolder()
        let (fixture, _) = try await Self.makeFixture(folder)
        fixture.adapter.attach(AttachedLock(id: Self.door, address: Self.address))
        #expect(throws: AdapterError.offline) { try fixture.send(.unlock, to: Self.door) }
        try folder.write(Self.profile(unlocked: "A"), to: "acme.yaml")
        #expect(fixture.adapter.reloadProfiles() == [])
        // The broker sends retained messages once it has accepted the subscription.
        fixture.nuki.publishRetained("acme/door/state", "L")
        await fixture.reports.first(of: Self.door) { $0.state == .locked }
        try await Self.expectUnlock(by: "A", fixture)
        await fixture.end()
    }

    @Test("a changed profile applies to a lock with a command in flight only after the command has ended")
    func inFlight() async throws {
        let folder = try ProfileFolder()
        try folder.write(Self.profile(unlocked: "A"), to: "acme.yaml")
        let (fixture, _) = try await Self.makeFixture(folder)
        fixture.adapter.attach(AttachedLock(id: Self.door, address: Self.address))
        fixture.nuki.publishRetained("acme/door/state", "L")
        await fixture.reports.first(of: Self.door) { $0.state == .locked }
        let command = try fixture.send(.unlock, to: Self.door)
        try folder.write(Self.profile(unlocked: "B"), to: "acme.yaml")
        #expect(fixture.adapter.reloadProfiles() == [])
        fixture.nuki.publish("acme/door/state", "A")
        await fixture.reports.first(of: Self.door) { $0.confirms(command, .unlock) }
        #expect(fixture.adapter.reloadProfiles() == [])
        try await Self.expectUnlock(by: "B", fixture)
        await fixture.end()
    }

    @Test("a changed profile file is loaded without a call of `reloadProfiles`")
    func watched() async throws {
        let folder = try ProfileFolder()
        try folder.write(Self.profile(unlocked: "A"), to: "acme.yaml")
        let (fixture, library) = try await Self.makeFixture(folder)
        try folder.write(Self.profile(unlocked: "BB"), to: "acme.yaml")
        while library["acme"]?.description != "says BB" { await fixture.clock.pass(.seconds(2)) }
        await fixture.end()
    }

    @Test("the capabilities of a discovered lock follow its profile as last loaded")
    func found() async throws {
        let folder = try ProfileFolder()
        let fixture = try await BridgeFixture(ProfileLibrary(directories: [folder.path]))
        let before = try #require(fixture.adapter.discovered.first)
        #expect(before.capabilities?.contains(.battery) == true)
        try folder.write(
            Self.profile(unlocked: "A").replacing("profile: acme", with: "profile: zigbee2mqtt"), to: "zigbee2mqtt.yaml")
        #expect(fixture.adapter.reloadProfiles() == [])
        let after = try #require(fixture.adapter.discovered.first)
        #expect(after.id == before.id && after.firstSeenAt == before.firstSeenAt && after.problem == nil)
        #expect(after.capabilities?.contains(.battery) == false)
        await fixture.end()
    }
}
