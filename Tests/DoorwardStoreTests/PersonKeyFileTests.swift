import Dispatch
import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Foundation
import GRDB
import Synchronization
import Testing

@testable import DoorwardStore

/// The file outside the database whose keys encrypt personal data, and erasures that destroy them.
@Suite struct PersonKeyFileTests {
    private static let name = "Ada Lovelace"
    private let database: TemporaryDatabase
    private var script = StoreScript(seed: 86)

    init() throws { database = try TemporaryDatabase() }

    private var keyFile: String { "\(database.path).person-keys" }

    private mutating func named(_ actor: RecordActor? = nil) -> PendingRecord {
        var body = script.event(on: script.door)
        body.actor = actor ?? script.actor
        return PendingRecord(body)
    }

    /// A store with a tenancy and a record with the name of the script's user and one of another user.
    private mutating func filled(_ hooks: StoreHooks = StoreHooks()) async throws -> (store: SQLiteStore, other: RecordActor) {
        let store = try database.open(hooks: hooks)
        _ = try await store.commit(script.tenancy)
        let other = RecordActor(kind: .user, id: "grace", name: "Grace Hopper", userID: script.fixture.user("Grace"))
        _ = try await store.commit(StoreTransaction(records: [named(), named(other)]))
        return (store, other)
    }

    private func names(_ store: SQLiteStore) async throws -> [String?] {
        let scope = RecordScope.portfolioLog(script.portfolio)
        return try await store.records(RecordQuery(scopes: [scope], order: .oldestFirst, limit: 50)).map(\.body.actor.name)
    }

    private func users(_ store: SQLiteStore) async throws -> [User] {
        let users = Mutex<[User]>([])
        try await store.loadTenancy { if case .putUser(let user) = $0 { users.withLock { $0.append(user) } } }
        return users.withLock { $0 }
    }

    // MARK: Opening

    @Test("The first start creates the file with mode 0600, and a later one needs it")
    mutating func created() async throws {
        let (store, _) = try await filled()
        var status = stat()
        #expect(stat(keyFile, &status) == 0 && status.st_mode & 0o777 == 0o600)
        try await store.close()
        let content = try Data(contentsOf: URL(filePath: keyFile))
        try FileManager.default.removeItem(atPath: keyFile)
        let missing = #expect(throws: StoreOpenError.self) { try database.open() }
        #expect(missing == .personKeysMissing(path: keyFile, database: database.path))
        #expect(missing?.description.contains("restore the newest copy of it") == true)
        #expect(!FileManager.default.fileExists(atPath: keyFile), "no other keys are made in place of the lost ones")
        try content.write(to: URL(filePath: keyFile))
        chmod(keyFile, 0o640)
        #expect(throws: StoreOpenError.personKeysExposed(path: keyFile)) { try database.open() }
        chmod(keyFile, 0o600)
        try content.dropLast(9).write(to: URL(filePath: keyFile))
        chmod(keyFile, 0o600)
        #expect(throws: StoreOpenError.personKeysDamaged(path: keyFile)) { try database.open() }
        let other = try TemporaryDatabase()
        try await other.open(path: other.path).close()
        try FileManager.default.removeItem(atPath: keyFile)
        try PersonKeyFileTests.writeOtherKeys(to: keyFile)
        #expect(throws: StoreOpenError.personKeysOfOther(path: keyFile, database: database.path)) { try database.open() }
        try content.write(to: URL(filePath: keyFile))
        chmod(keyFile, 0o600)
        let again = try database.open()
        #expect(try await names(again) == [Self.name, "Grace Hopper"])
        try await again.close()
    }

    private static func writeOtherKeys(to path: String) throws {
        _ = try PersonKeyFile.open(path, knownTo: "other.db", id: nil, random: SeededGenerator(seed: 99))
    }

    @Test("A crash between the creation of the file and the schema that knows it leaves a file that the next start takes")
    mutating func createdBeforeTheDatabase() async throws {
        _ = try PersonKeyFile.open(keyFile, knownTo: database.path, id: nil, random: SeededGenerator(seed: 5))
        let content = try Data(contentsOf: URL(filePath: keyFile))
        let (store, _) = try await filled()
        try await store.close()
        #expect(try Data(contentsOf: URL(filePath: keyFile)) == content)
        // A draft that a crash has left is not read.
        try Data("half".utf8).write(to: URL(filePath: "\(keyFile).new"))
        let again = try database.open()
        #expect(try await names(again).first == Self.name)
        try await again.close()
    }

    @Test("A check without the file counts the values that it cannot verify, and finds everything else whole")
    mutating func checkWithoutFile() async throws {
        let (store, _) = try await filled()
        try await store.close()
        let with = try StoreCheck.run(path: database.path)
        #expect(with.isWhole && with.counts.unverifiedValues == 0 && with.counts.personalValues >= 2)
        try FileManager.default.removeItem(atPath: keyFile)
        let without = try StoreCheck.run(path: database.path)
        #expect(without.isWhole)
        #expect(without.counts.unverifiedValues == with.counts.personalValues && without.counts.personalValues == 0)
        #expect(!FileManager.default.fileExists(atPath: keyFile))
    }

    // MARK: What the database contains

    @Test("No file of the store contains a name or an address, before any erasure")
    mutating func nothingPlain() async throws {
        let (store, _) = try await filled()
        let user = try #require(try await users(store).first { $0.id == script.user })
        try requireNothing(of: ["Lovelace", "Grace Hopper", user.email, user.email.lowercased(), user.lastName])
        try await store.close()
        try requireNothing(of: ["Lovelace", "Grace Hopper", user.email, user.email.lowercased(), user.lastName])
    }

    private func requireNothing(of texts: [String]) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: database.folder.path) {
            let bytes = try Data(contentsOf: database.folder.appending(path: name))
            for text in texts { #expect(bytes.range(of: Data(text.utf8)) == nil, "\(name) contains \(text)") }
        }
    }

    @Test("Two users with one address are refused, in whatever case, also after the file was read again")
    mutating func uniqueAddress() async throws {
        let (store, _) = try await filled()
        let user = try #require(try await users(store).first { $0.id == script.user })
        try await store.close()
        let again = try database.open()
        var twin = user
        twin = User(
            id: script.fixture.id(), email: user.email.uppercased(), firstName: "T", lastName: "T", createdAt: user.createdAt,
            updatedAt: user.updatedAt)
        await #expect(throws: StoreError.refused(.emailTaken(twin.id))) {
            try await again.commit(StoreTransaction(changes: [.putUser(twin)]))
        }
        try await again.close()
    }

    // MARK: Erasing

    @Test("An old copy of the database is unreadable for the erased person with the new file, and readable for all others")
    mutating func oldCopy() async throws {
        let (store, other) = try await filled()
        let before = try await users(store)
        let copy = database.folder.appending(path: "backup.db").path
        _ = try await store.backup(to: copy)
        _ = try await store.commit(StoreTransaction(records: [named()], forgets: [.user(script.user)]))
        #expect(try await store.finishErasures())
        #expect(try await names(store) == [nil, "Grace Hopper", nil])
        // The account of a person who was erased and not deleted stays, under a new key.
        #expect(try await users(store) == before)
        try await store.close()
        try FileManager.default.copyItem(atPath: keyFile, toPath: "\(copy).person-keys")
        #expect(try StoreCheck.run(path: copy).isWhole)
        let old = try database.open(path: copy)
        #expect(try await names(old) == [nil, "Grace Hopper"])
        let shown = try #require(try await users(old).first { $0.id == script.user })
        #expect(shown.email == "\(script.user)@erased.invalid" && !shown.isEnabled)
        #expect(try await users(old).filter { $0.id != script.user } == before.filter { $0.id != script.user })
        // The user can be changed as shown, and not as before.
        let changes = [TenancyChange.putUser(shown)]
        let stale = try #require(before.first { $0.id == script.user })
        _ = try await old.commit(StoreTransaction(requires: [.unchanged(since: .putUser(shown))], changes: changes))
        await #expect(throws: StoreError.refused(.entityChanged(.user(script.user)))) {
            _ = try await old.commit(StoreTransaction(requires: [.unchanged(since: .putUser(stale))], changes: changes))
        }
        // Both go on: later values of the person have a key of the next generation.
        _ = try await old.commit(StoreTransaction(records: [named(), named(other)]))
        #expect(try await names(old) == [nil, "Grace Hopper", Self.name, "Grace Hopper"])
        // A second erasure reaches a backup that was written since: it destroys the generation in use.
        let second = database.folder.appending(path: "second.db").path
        _ = try await old.backup(to: second)
        _ = try await old.commit(StoreTransaction(records: [named()], forgets: [.user(script.user)]))
        #expect(try await old.finishErasures())
        try await old.close()
        #expect(try StoreCheck.run(path: copy).isWhole)
        try FileManager.default.copyItem(atPath: "\(copy).person-keys", toPath: "\(second).person-keys")
        let last = try database.open(path: second)
        #expect(try await names(last) == [nil, "Grace Hopper", nil, "Grace Hopper"])
        try await last.close()
    }

    @Test(
        "A start finishes the erasures that a crash has left, at each step, and also if it is killed twice there",
        arguments: PersonKeyFile.Step.allCases, [1, 2])
    mutating func crash(step: PersonKeyFile.Step, times: Int) async throws {
        struct Killed: Error {}
        let hooks = { (isKilling: Bool) in
            var hooks = StoreHooks()
            hooks.duringErasure = { if isKilling, $0 == step { throw Killed() } }
            return hooks
        }
        var (store, _) = try await filled(hooks(true))
        let backup = database.folder.appending(path: "backup.db").path
        _ = try await store.backup(to: backup)
        _ = try await store.commit(StoreTransaction(forgets: [.user(script.user)]))
        await #expect(throws: StoreError.self) { try await store.finishErasures() }
        // The commit alone makes the values unreadable in the database itself.
        #expect(try await names(store) == [nil, "Grace Hopper"])
        try await store.close()
        // A start that is interrupted at the same step fails, and changes nothing for the next one. After the rename nothing is
        // left to do.
        if times == 2, step != .afterRename { #expect(throws: StoreOpenError.self) { try database.open(hooks: hooks(true)) } }
        store = try database.open(hooks: hooks(false))
        #expect(try await names(store) == [nil, "Grace Hopper"])
        try await store.close()
        try FileManager.default.copyItem(atPath: keyFile, toPath: "\(backup).person-keys")
        let old = try database.open(path: backup)
        #expect(try await names(old) == [nil, "Grace Hopper"])
        try await old.close()
    }

    @Test("A key that was decrypted before is not decrypted after the erasure of its owner, and each other one is")
    func unwrapped() throws {
        let keys = PersonKeyFile.inMemory(random: SeededGenerator(seed: 3))
        var random = SeededGenerator(seed: 4)
        let (key, user, other) = (PersonKey(using: &random), script.user, UserID(high: 0x7000, low: 1 << 63))
        func unwrap(_ bytes: [UInt8], of user: UserID, log: Int64 = 1) throws -> [UInt8]? {
            try keys.unwrap(bytes, of: .user(user), log: log)?.revealBytes()
        }
        let wrapped = try keys.wrap(key, of: .user(user), log: 1, from: 0)
        let others = try keys.wrap(key, of: .user(other), log: 1, from: 0)
        for _ in 0..<2 {
            #expect(try unwrap(wrapped, of: user) == key.revealBytes())
            #expect(try unwrap(others, of: other) == key.revealBytes())
        }
        #expect(throws: UnreadableColumn.self) { try unwrap(wrapped, of: other) }
        #expect(throws: UnreadableColumn.self) { try unwrap(wrapped, of: user, log: 2) }
        try keys.erase([(user: user, generations: 1)])
        #expect(try unwrap(wrapped, of: user) == nil)
        #expect(try unwrap(others, of: other) == key.revealBytes())
    }

    @Test("An old copy of the key file in the place of the present one does not bring an erased person back")
    mutating func oldKeyFile() async throws {
        let (store, _) = try await filled()
        let old = try Data(contentsOf: URL(filePath: keyFile))
        _ = try await store.commit(StoreTransaction(forgets: [.user(script.user)]))
        #expect(try await store.finishErasures())
        try await store.close()
        let new = try Data(contentsOf: URL(filePath: keyFile))
        #expect(new != old)
        try old.write(to: URL(filePath: keyFile))
        chmod(keyFile, 0o600)
        try await database.open().close()
        #expect(try Data(contentsOf: URL(filePath: keyFile)) == new)
    }

    @Test("Erasing twice without new values changes the file once, and a person with new values is erased again")
    mutating func again() async throws {
        let (store, _) = try await filled()
        let without = script.fixture.user("Nora")
        _ = try await store.commit(StoreTransaction(forgets: [.user(without)]))
        #expect(try await store.finishErasures())
        let once = try Data(contentsOf: URL(filePath: keyFile))
        _ = try await store.commit(StoreTransaction(forgets: [.user(without)]))
        #expect(try await store.finishErasures())
        #expect(try Data(contentsOf: URL(filePath: keyFile)) == once)
        for _ in 0..<3 {
            _ = try await store.commit(StoreTransaction(forgets: [.user(script.user)]))
            #expect(try await store.finishErasures())
            _ = try await store.commit(StoreTransaction(records: [named()]))
            #expect(try await names(store).last == Self.name)
        }
        try await store.close()
        #expect(try StoreCheck.run(path: database.path).isWhole)
    }

    @Test("Transactions are written while the key file of an erasure is being replaced, and a close waits for the file")
    mutating func writesMeanwhile() async throws {
        let (held, gate, events) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0), Events())
        var hooks = Self.holding(held.continuation, gate, events)
        // The file is held until the close has written everything else.
        hooks.afterCheckpoint = { gate.signal() }
        let (store, _) = try await filled(hooks)
        _ = try await store.commit(StoreTransaction(forgets: [.user(script.user)]))
        async let finished = try? store.finishErasures()
        for await _ in held.stream { break }
        // The first record after the erasure has a key of the next generation, before the old one is destroyed.
        let places = try await store.commit(StoreTransaction(records: [named()]))
        #expect(places.count == 1)
        #expect(try await names(store) == [nil, "Grace Hopper", Self.name])
        try await store.close()
        events.add("closed")
        _ = await finished
        #expect(events.all == ["replaced", "closed"])
        let again = try database.open()
        #expect(try await names(again) == [nil, "Grace Hopper", Self.name])
        try await again.close()
        #expect(try StoreCheck.run(path: database.path).isWhole)
    }

    @Test("Erasures that are finished at the same time share a replacement of the file, also when the gateway stops meanwhile")
    mutating func finishedTogether() async throws {
        let (held, gate, events) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0), Events())
        let (store, _) = try await filled(Self.holding(held.continuation, gate, events))
        _ = try await store.commit(StoreTransaction(forgets: [.user(script.user)]))
        async let first = store.finishErasures()
        for await _ in held.stream { break }
        _ = try await store.commit(StoreTransaction(forgets: [.user(script.fixture.user("Grace"))]))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { _ = try await store.finishErasures() } }
            gate.signal()
            for await _ in held.stream { break }
            gate.signal()
            try await group.waitForAll()
        }
        _ = try await first
        #expect(events.all == ["replaced", "replaced"])
        try await store.close()
        #expect(try StoreCheck.run(path: database.path).isWhole)
    }

    /// Hooks that hold each replacement of the file until `gate` is signalled, and note its end.
    private static func holding(
        _ held: AsyncStream<Void>.Continuation, _ gate: DispatchSemaphore, _ events: Events
    ) -> StoreHooks {
        var hooks = StoreHooks()
        hooks.duringErasure = { step in
            if step == .afterRename { events.add("replaced") }
            guard step == .beforeDraft else { return }
            held.yield()
            // Blocks: the thread of the key file, as in a slow flush.
            gate.wait()
        }
        return hooks
    }

    /// What happened, in order.
    private final class Events: Sendable {
        private let state = Mutex<[String]>([])
        var all: [String] { state.withLock { $0 } }
        func add(_ event: String) { state.withLock { $0.append(event) } }
    }

    private func run(_ sql: String, _ queue: DatabaseQueue) throws {
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    }

    @Test("The log is not truncated while a reader needs it, and is once the reader has ended")
    mutating func readerMeanwhile() async throws {
        let (store, _) = try await filled()
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: database.path, configuration: configuration)
        // A read that does not end, such as that of a backup by another program.
        try run("BEGIN; SELECT count(*) FROM entries", reader)
        _ = try await store.commit(StoreTransaction(forgets: [.user(script.user)]))
        #expect(try await !store.finishErasures())
        _ = try await store.commit(StoreTransaction(records: [named()]))
        try run("COMMIT", reader)
        #expect(try await store.finishErasures())
        try reader.close()
        try await store.close()
    }

    @Test("The write-ahead log is empty after an erasure, or the store says that a reader still needs it")
    mutating func writeAheadLog() async throws {
        let (store, _) = try await filled()
        _ = try await store.commit(StoreTransaction(forgets: [.user(script.user)]))
        #expect(try await store.finishErasures())
        let size = try FileManager.default.attributesOfItem(atPath: "\(database.path)-wal")[.size] as? Int
        #expect(size == 0)
        try await store.close()
        await #expect(throws: StoreError.unavailable) { try await store.finishErasures() }
    }
}
