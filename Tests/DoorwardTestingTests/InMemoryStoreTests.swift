import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@Suite struct InMemoryStoreTests {
    private let fixture = StoreFixture()

    // MARK: Atomicity and order

    @Test("A rejected transaction changes nothing")
    func atomic() async throws {
        let store = try await fixture.filled()
        var taken = try #require(fixture.entities.user(fixture.ada))
        taken = User(
            id: UserID(high: 9, low: 9), email: taken.email.uppercased(), firstName: "Eve", lastName: "", createdAt: fixture.at,
            updatedAt: fixture.at)
        let transaction = StoreTransaction(
            changes: [
                .putPortfolio(
                    Portfolio(id: PortfolioID(high: 9, low: 8), name: "New", createdAt: fixture.at, updatedAt: fixture.at)),
                .putUser(taken),
            ],
            records: [PendingRecord(fixture.record(1, in: .gateway))])
        await #expect(throws: StoreError.refused(.emailTaken(taken.id))) { try await store.commit(transaction) }
        #expect(try await tenancy(of: store) == tenancy(of: fixture.filled()))
        #expect(store.log(.gateway).isEmpty)
        #expect(store.commitCount == 1)
    }

    @Test("Transactions take effect in the order of the calls, in every interleaving", arguments: 0..<40 as Range<UInt64>)
    func order(seed: UInt64) throws {
        let store = InMemoryStore(suspensions: 2)
        let calls = Trace()
        let fixture = fixture
        try SeededExecutor(seed: seed).run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...6 as ClosedRange<UInt64> {
                    group.addTask {
                        calls.add("\(number)")
                        _ = try await store.commit(
                            StoreTransaction(records: [PendingRecord(fixture.record(number, in: .gateway))]))
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(store.log(.gateway).map { "\($0.body.id.low)" }.joined(separator: " ") == calls.text)
        #expect(store.log(.gateway).map(\.seq) == [0, 1, 2, 3, 4, 5])
    }

    @Test("commit suspends before and after the transaction takes effect")
    func suspends() throws {
        let fixture = fixture
        let seen = try Set(
            (0..<300 as Range<UInt64>).map { seed in
                let store = InMemoryStore()
                let trace = Trace()
                try SeededExecutor(seed: seed).run {
                    async let commit: Void = {
                        _ = try await store.commit(StoreTransaction(records: [PendingRecord(fixture.record(1, in: .gateway))]))
                        trace.add("answered")
                    }()
                    async let look: Void = {
                        trace.add("\(store.commitCount)")
                        await Task.yield()
                        trace.add("\(store.commitCount)")
                    }()
                    _ = try await (commit, look)
                }
                return trace.text
            })
        #expect(
            seen == ["0 0 answered", "0 1 answered", "0 answered 1", "1 1 answered", "1 answered 1", "answered 1 1"])
    }

    // MARK: Records

    @Test("The records of each log are numbered from 0, and their time never goes back")
    func places() async throws {
        let store = InMemoryStore()
        let log = LogID.portfolio(fixture.portfolio)
        let early = fixture.at.advanced(by: .seconds(-5))
        let places = try await store.commit(
            StoreTransaction(records: [
                PendingRecord(fixture.record(1, in: .gateway)), PendingRecord(fixture.record(2, in: log)),
                PendingRecord(fixture.record(3, in: log, at: early)),
            ]))
        #expect(
            places == [
                RecordPosition(log: .gateway, seq: 0, at: fixture.at), RecordPosition(log: log, seq: 0, at: fixture.at),
                RecordPosition(log: log, seq: 1, at: fixture.at),
            ])
        #expect(store.log(log).map { $0.body.details["clock"] } == [nil, .string("held")])
    }

    @Test("A counterpart contains the log and the number of the referenced record")
    func counterpart() async throws {
        let store = InMemoryStore()
        let log = LogID.portfolio(fixture.portfolio)
        try await store.commit(
            StoreTransaction(records: [
                PendingRecord(fixture.record(1, in: log)), PendingRecord(fixture.record(2, in: .gateway), counterpart: 0),
            ]))
        let expected = RecordValue.object(["logId": .string(fixture.portfolio.description), "seq": .integer(0)])
        #expect(store.log(.gateway).first?.body.details["counterpart"] == expected)
        let forwards = StoreTransaction(records: [PendingRecord(fixture.record(3, in: log), counterpart: 0)])
        await #expect(throws: StoreError.refused(.parentUnknown)) { try await store.commit(forwards) }
    }

    @Test("A record id can be written only once")
    func duplicateRecord() async throws {
        let store = InMemoryStore()
        let transaction = StoreTransaction(records: [PendingRecord(fixture.record(1, in: .gateway))])
        try await store.commit(transaction)
        await #expect(throws: StoreError.refused(.duplicate)) { try await store.commit(transaction) }
        #expect(try await store.record(RecordID(high: 0, low: 1))?.seq == 0)
        #expect(try await store.record(RecordID(high: 0, low: 2)) == nil)
    }

    @Test("A query returns the records in its scopes, in its order, page by page")
    func queries() async throws {
        let store = InMemoryStore()
        let log = LogID.portfolio(fixture.portfolio)
        try await store.commit(
            StoreTransaction(records: [
                PendingRecord(fixture.record(1, in: log, device: fixture.flatDoor)),
                PendingRecord(fixture.record(2, in: .gateway, device: fixture.flatDoor)),
                PendingRecord(fixture.record(3, in: log, device: fixture.frontDoor)), PendingRecord(fixture.record(4, in: log)),
            ]))
        func ids(_ query: RecordQuery) async throws -> [UInt64] { try await store.records(query).map(\.body.id.low) }
        let whole = RecordScope.portfolioLog(fixture.portfolio)
        #expect(try await ids(RecordQuery(scopes: [], limit: 9)) == [])
        #expect(try await ids(RecordQuery(scopes: [whole], limit: 9)) == [4, 3, 1])
        #expect(try await ids(RecordQuery(scopes: [whole, .gatewayLog], order: .oldestFirst, limit: 9)) == [1, 3, 4, 2])
        #expect(try await ids(RecordQuery(scopes: [.property(fixture.property, in: fixture.portfolio)], limit: 9)) == [3, 1])
        #expect(
            try await ids(
                RecordQuery(scopes: [.unit(fixture.unit, in: fixture.portfolio), whole], order: .oldestFirst, limit: 2)) == [
                    1, 3,
                ])
        #expect(try await ids(RecordQuery(scopes: [.unit(fixture.unit, in: fixture.portfolio)], limit: 9)) == [1])
        #expect(try await ids(RecordQuery(scopes: [.gatewayLog, whole], deviceID: fixture.flatDoor, limit: 9)) == [2, 1])
        let after = RecordPosition(log: log, seq: 1, at: fixture.at)
        #expect(try await ids(RecordQuery(scopes: [whole], after: after, limit: 9)) == [1])
        #expect(try await ids(RecordQuery(scopes: [whole], order: .oldestFirst, after: after, limit: 9)) == [4])
    }

    // MARK: Commands

    @Test("A command has one intent and one outcome")
    func commandLifecycle() async throws {
        let store = try await fixture.filled()
        var command = fixture.command(1)
        await #expect(throws: StoreError.refused(.intentMissing(command.id))) {
            try await store.commit(StoreTransaction(commands: [.begin(command, intent: 0)]))
        }
        await #expect(throws: StoreError.refused(.commandUnknown(command.id))) {
            try await store.commit(StoreTransaction(commands: [.update(command)]))
        }
        try await store.commit(fixture.begin(command, record: 1))
        await #expect(throws: StoreError.refused(.commandExists(command.id))) {
            try await store.commit(fixture.begin(command, record: 2))
        }
        #expect(try await store.openCommands().map(\.command) == [command])
        #expect(try await store.openCommands().first?.device.unitID == fixture.unit)
        command.state = .dispatched
        try await store.commit(StoreTransaction(commands: [.update(command)]))
        #expect(try await store.command(command.id)?.command.state == .dispatched)
        command.state = .confirmed
        try await store.commit(StoreTransaction(commands: [.end(command)]))
        await #expect(throws: StoreError.refused(.commandEnded(command.id))) {
            try await store.commit(StoreTransaction(commands: [.end(command)]))
        }
        #expect(try await store.openCommands().isEmpty)
    }

    @Test("Commands of a device are listed newest first, with their total")
    func commandLists() async throws {
        let store = try await fixture.filled()
        for number in 1...4 as ClosedRange<UInt64> {
            try await store.commit(fixture.begin(fixture.command(number), record: number))
        }
        let page = try await store.commands(
            CommandQuery(scopes: fixture.allScopes, deviceID: fixture.flatDoor, offset: 1, limit: 2))
        #expect(page.commands.map(\.command.id.low) == [3, 2])
        #expect(page.total == 4)
        let none = CommandQuery(scopes: fixture.allScopes, deviceID: fixture.frontDoor, limit: 9)
        #expect(try await store.commands(none).total == 0)
    }

    @Test("An idempotency key is valid for one request for a day")
    func idempotency() async throws {
        let store = InMemoryStore()
        func storeEntry(_ fingerprint: UInt8, hours: Int = 0) async throws {
            try await store.commit(StoreTransaction(idempotency: [fixture.entry(fingerprint, hours: hours)]))
        }
        try await storeEntry(1)
        for fingerprint: UInt8 in [1, 2] {
            await #expect(throws: StoreError.refused(.idempotencyKeyTaken(fixture.entry(1).key))) {
                try await storeEntry(fingerprint)
            }
        }
        let entry = fixture.entry(1)
        let key = entry.key
        #expect(try await store.idempotentAnswer(key, notOlderThan: fixture.at) == entry)
        #expect(try await store.idempotentAnswer(key, notOlderThan: fixture.at.advanced(by: .milliseconds(1))) == nil)
        try await storeEntry(2, hours: 24)
        #expect(try await store.idempotentAnswer(key, notOlderThan: fixture.at)?.fingerprint == [2])
    }

    // MARK: Injected failures

    @Test(
        "After an injected failure the store rejects writes, and has the transaction only if it was durable",
        arguments: [true, false])
    func failing(isDurable: Bool) async throws {
        let store = InMemoryStore()
        store.failNext(.failed("disk"), isDurable: isDurable)
        let transaction = StoreTransaction(records: [PendingRecord(fixture.record(1, in: .gateway))])
        await #expect(throws: StoreError.failed("disk")) { try await store.commit(transaction) }
        await #expect(throws: StoreError.unavailable) { try await store.commit(StoreTransaction()) }
        #expect(await !store.isWritable())
        #expect(store.log(.gateway).count == (isDurable ? 1 : 0))
        #expect(store.reopened().log(.gateway).count == (isDurable ? 1 : 0))
        store.recover()
        try await store.commit(StoreTransaction())
    }

    @Test("An injected rejection affects only one transaction")
    func refusing() async throws {
        let store = InMemoryStore()
        store.failNext(.refused(.duplicate))
        await #expect(throws: StoreError.refused(.duplicate)) { try await store.commit(StoreTransaction()) }
        try await store.commit(StoreTransaction())
        try await store.close()
        await #expect(throws: StoreError.unavailable) { try await store.commit(StoreTransaction()) }
    }

    private func tenancy(of store: InMemoryStore) async throws -> [TenancyChange] {
        var changes: [TenancyChange] = []
        try await store.loadTenancy { changes.append($0) }
        return changes
    }
}
