import DoorwardControl
import DoorwardDomain
import DoorwardStore
import DoorwardTesting
import FoundationEssentials
import GRDB
import Testing

@Suite struct LogTests {
    @Test(
        "After random transactions, some of them rejected, the logs have no gaps and their frontiers match their records",
        arguments: 1...8 as ClosedRange<UInt64>)
    func gapless(seed: UInt64) async throws {
        let database = try TemporaryDatabase()
        var limits = TemporaryDatabase.limits
        (limits.cachedEntries, limits.pagesPerCheckpoint) = (Int(seed % 3), 40)
        var store = try database.open(limits: limits)
        var (script, random) = (StoreScript(seed: seed), SeededGenerator(seed: seed))
        _ = try await store.commit(script.tenancy)
        var expected: [LogID: Int] = [:]
        for round in 0..<6 {
            let transactions = (0..<25).map { _ in transaction(&script, &random) }
            let current = store
            let results = await withTaskGroup(of: (Int, Result<[RecordPosition], StoreError>).self) { group in
                for (index, transaction) in transactions.enumerated() {
                    group.addTask {
                        (index, await Result { () async throws(StoreError) in try await current.commit(transaction) })
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            for (index, result) in results {
                switch result {
                case .success(let places):
                    #expect(places.map(\.log) == transactions[index].records.map(\.body.log))
                    for place in places { expected[place.log, default: 0] += 1 }
                case .failure(.refused(.commandUnknown)): break
                case .failure(let error): Issue.record(error)
                }
            }
            if round == 3 {
                try await store.close()
                store = try database.open(limits: limits)
            }
        }
        try await store.close()
        let logs = try StoredLogs(path: database.path)
        #expect(logs.sizes == expected)
        #expect(logs.faults.isEmpty)
        #expect(logs.integrity == "ok")
        #expect(expected.count == 3)
    }

    /// Returns a transaction of records in several logs. One in four also has an outcome without a command, and must be rejected.
    private func transaction(_ script: inout StoreScript, _ random: inout SeededGenerator) -> StoreTransaction {
        script.now = script.now.advanced(by: .milliseconds(Int.random(in: -3...5, using: &random)))
        var transaction = StoreTransaction()
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let bodies = [script.gatewayEvent(), script.event(on: script.door), script.event(on: script.otherDoor)]
            if let body = bodies.randomElement(using: &random) { transaction.records.append(PendingRecord(body)) }
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            transaction.commands = [.end(script.confirmed(script.command(on: script.door)))]
        }
        return transaction
    }

    @Test("A person has one key per log, all unknown persons of a day share one, and a rejected transaction stores none")
    func personKeys() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 11)
        _ = try await store.commit(script.tenancy)
        let stranger = script.fixture.user("Grace", lastName: "Hopper")
        var refused = StoreTransaction(records: [record(&script, of: stranger, named: "Grace Hopper")])
        let unknown = script.confirmed(script.command(on: script.door))
        refused.commands = [.end(unknown)]
        await #expect(throws: StoreError.refused(.commandUnknown(unknown.id))) { try await store.commit(refused) }
        #expect(try keyCount(database) == 0)
        let records = [
            record(&script, of: script.user, named: "Ada Lovelace"), record(&script, of: script.user, named: "Ada King"),
            record(&script, of: stranger, named: "Grace Hopper"), record(&script, of: nil, named: "Somebody"),
            record(&script, of: nil, named: "Somebody else"),
            record(&script, of: script.user, named: "Ada Lovelace", device: script.otherDoor),
        ]
        for record in records {
            _ = try await store.commit(StoreTransaction(records: [record]))
            #expect(try await store.record(record.body.id)?.body.actor.name == record.body.actor.name)
        }
        #expect(try keyCount(database) == 4)
        script.now = script.now.advanced(by: .seconds(86_400))
        _ = try await store.commit(StoreTransaction(records: [record(&script, of: nil, named: "Somebody")]))
        #expect(try keyCount(database) == 5)
        try await store.close()
    }

    @Test("The file contains no personal values in clear text; deleting their key makes them unreadable and keeps the log valid")
    func withheld() async throws {
        let database = try TemporaryDatabase()
        var store = try database.open()
        var script = StoreScript(seed: 12)
        var named = record(&script, of: script.user, named: "Wilhelmina Xanthopoulos")
        named.body.details = ["name": .personal("Wilhelmina Xanthopoulos", person: script.user), "plain": .string("Quarterly")]
        _ = try await store.commit(StoreTransaction(records: [named]))
        try await store.close()
        let file = try Data(contentsOf: database.folder.appending(path: "doorward.db"))
        #expect(file.firstRange(of: Data("Wilhelmina".utf8)) == nil)
        #expect(file.firstRange(of: Data("Quarterly".utf8)) != nil)

        try edit(database, "DELETE FROM person_keys")
        store = try database.open()
        let read = try #require(try await store.record(named.body.id))
        #expect(read.body.actor.name == nil)
        #expect(read.body.actor.id == script.user.description)
        #expect(read.body.details == ["name": .withheld, "plain": .string("Quarterly")])
        try await store.close()
        #expect(try StoredLogs(path: database.path).faults.isEmpty)
    }

    @Test("Reading a record that was altered in the file fails, and other records can be read")
    func alteredRecord() async throws {
        let database = try TemporaryDatabase()
        var store = try database.open()
        var script = StoreScript(seed: 13)
        let (first, second) = (script.gatewayEvent(), script.gatewayEvent())
        _ = try await store.commit(StoreTransaction(records: [PendingRecord(first), PendingRecord(second)]))
        try await store.close()
        try edit(database, "UPDATE entries SET bytes = x'00' WHERE position & 1 = 0")
        store = try database.open()
        let result = await Result { () async throws(StoreError) in try await store.record(first.id) }
        guard case .failure(.failed) = result else {
            Issue.record("an altered record was read: \(result)")
            return
        }
        #expect(try await store.record(second.id)?.seq == 1)
        try await store.close()
    }

    private func record(
        _ script: inout StoreScript, of user: UserID?, named name: String, device: DeviceID? = nil
    ) -> PendingRecord {
        var body = script.event(on: device ?? script.door)
        body.actor = RecordActor(kind: user == nil ? .outside : .user, id: user?.description, name: name, userID: user)
        return PendingRecord(body)
    }

    private func keyCount(_ database: TemporaryDatabase) throws -> Int {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: database.path, configuration: configuration)
        defer { try? queue.close() }
        return try #require(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM person_keys") })
    }

    private func edit(_ database: TemporaryDatabase, _ sql: String) throws {
        let queue = try DatabaseQueue(path: database.path)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }
}
