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

    private static func rig(_ folder: ProfileFolder) async throws -> (BrokerFixture, ProfileLibrary) {
        let library = ProfileLibrary(directories: [folder.path])
        #expect(library.reload() == [])
        return (try await BrokerFixture(MosquittoProcess.start(), library: library), library)
    }

    /// Sends an unlock command, publishes `word` as the lock's state, and waits until the state confirms the command.
    private static func expectUnlock(by word: String, _ rig: BrokerFixture) async throws {
        let order = try rig.send(.unlock, to: door)
        rig.nuki.say("acme/door/state", word)
        await rig.reports.first(of: door) { $0.confirms(order, .unlock) }
    }

    @Test("a changed profile applies to its locks; an invalid one is reported with file and line, and the old one stays in use")
    func changed() async throws {
        let folder = try ProfileFolder()
        try folder.write(Self.profile(unlocked: "A"), to: "acme.yaml")
        let (rig, _) = try await Self.rig(folder)
        rig.adapter.attach(AttachedLock(id: Self.door, address: Self.address))
        rig.nuki.keep("acme/door/state", "L")
        await rig.reports.first(of: Self.door) { $0.state == .locked }
        try await Self.expectUnlock(by: "A", rig)

        try folder.write(Self.profile(unlocked: "B"), to: "acme.yaml")
        #expect(rig.adapter.reloadProfiles() == [])
        try await Self.expectUnlock(by: "B", rig)
        rig.nuki.say("acme/door/state", "A")
        try await rig.settle()
        #expect(rig.reports.all(of: Self.door).last { $0.state != nil }?.state == .unknown, "a value of the old profile")

        try folder.write(Self.profile(unlocked: "C", "nonsense: 1"), to: "acme.yaml")
        let sentences = rig.adapter.reloadProfiles()
        #expect(sentences.count == 1 && sentences[0].hasPrefix("\(folder.path)/acme.yaml:6: "), "\(sentences)")
        try await Self.expectUnlock(by: "B", rig)
        await rig.end()
    }

    @Test("a lock without a profile accepts commands as soon as the profile exists")
    func appears() async throws {
        let folder = try ProfileFolder()
        let (rig, _) = try await Self.rig(folder)
        rig.adapter.attach(AttachedLock(id: Self.door, address: Self.address))
        #expect(throws: AdapterError.offline) { try rig.send(.unlock, to: Self.door) }
        try folder.write(Self.profile(unlocked: "A"), to: "acme.yaml")
        #expect(rig.adapter.reloadProfiles() == [])
        // The broker sends retained messages once it has accepted the subscription.
        rig.nuki.keep("acme/door/state", "L")
        await rig.reports.first(of: Self.door) { $0.state == .locked }
        try await Self.expectUnlock(by: "A", rig)
        await rig.end()
    }

    @Test("a changed profile applies to a lock with a command in flight only after the command has ended")
    func underWay() async throws {
        let folder = try ProfileFolder()
        try folder.write(Self.profile(unlocked: "A"), to: "acme.yaml")
        let (rig, _) = try await Self.rig(folder)
        rig.adapter.attach(AttachedLock(id: Self.door, address: Self.address))
        rig.nuki.keep("acme/door/state", "L")
        await rig.reports.first(of: Self.door) { $0.state == .locked }
        let order = try rig.send(.unlock, to: Self.door)
        try folder.write(Self.profile(unlocked: "B"), to: "acme.yaml")
        #expect(rig.adapter.reloadProfiles() == [])
        rig.nuki.say("acme/door/state", "A")
        await rig.reports.first(of: Self.door) { $0.confirms(order, .unlock) }
        #expect(rig.adapter.reloadProfiles() == [])
        try await Self.expectUnlock(by: "B", rig)
        await rig.end()
    }

    @Test("a changed profile file is loaded without a call of `reloadProfiles`")
    func watched() async throws {
        let folder = try ProfileFolder()
        try folder.write(Self.profile(unlocked: "A"), to: "acme.yaml")
        let (rig, library) = try await Self.rig(folder)
        try folder.write(Self.profile(unlocked: "BB"), to: "acme.yaml")
        while library["acme"]?.description != "says BB" { await rig.clock.pass(.seconds(2)) }
        await rig.end()
    }

    @Test("the capabilities of a discovered lock follow its profile as last loaded")
    func found() async throws {
        let folder = try ProfileFolder()
        let house = try await ListedHouse(ProfileLibrary(directories: [folder.path]))
        let before = try #require(house.adapter.discovered.first)
        #expect(before.capabilities?.contains(.battery) == true)
        try folder.write(
            Self.profile(unlocked: "A").replacing("profile: acme", with: "profile: zigbee2mqtt"), to: "zigbee2mqtt.yaml")
        #expect(house.adapter.reloadProfiles() == [])
        let after = try #require(house.adapter.discovered.first)
        #expect(after.id == before.id && after.firstSeenAt == before.firstSeenAt && after.problem == nil)
        #expect(after.capabilities?.contains(.battery) == false)
        await house.end()
    }
}
