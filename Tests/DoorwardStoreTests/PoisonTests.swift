import DoorwardControl
import DoorwardDomain
import DoorwardStore
import DoorwardTesting
import Logging
import Synchronization
import Testing

/// Keeps the levels of the logged events.
private final class LogBook: Sendable {
    private let noted = Mutex<[Logger.Level]>([])

    var levels: [Logger.Level] { noted.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in Handler(book: self) } }

    private struct Handler: LogHandler {
        let book: LogBook
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { book.noted.withLock { $0.append(event.level) } }
    }
}

@Suite struct PoisonTests {
    @Test("A transaction that a constraint of the database rejects fails alone and is logged as an error")
    func constraint() async throws {
        let database = try TemporaryDatabase()
        try await database.open().close()
        try database.edit(
            """
            CREATE TRIGGER poison BEFORE INSERT ON portfolios WHEN NEW.name = 'Poison'
            BEGIN SELECT RAISE(ABORT, 'poison'); END
            """)
        var world = TenancyFixture(seed: 1)
        _ = world.portfolio("Poison")
        try await expectAlone(
            StoreTransaction(changes: world.changes), .refused(.inconsistent("a constraint of a table")), in: database)
    }

    @Test("A log with an unreadable frontier rejects writes to it; other writes succeed")
    func unreadableLog() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 2)
        _ = try await store.commit(script.tenancy)
        _ = try await store.commit(StoreTransaction(records: [PendingRecord(script.event(on: script.door))]))
        try await store.close()
        try database.edit("UPDATE logs SET frontier = x'00'")
        let poisoned = StoreTransaction(records: [PendingRecord(script.event(on: script.door))])
        try await expectAlone(poisoned, .refused(.inconsistent("a row cannot be read")), in: database)
    }

    @Test("Text with U+0000 is rejected instead of being truncated", arguments: ["\u{0}", "a\u{0}", "\u{0}b", "a\u{0}b"])
    func nul(text: String) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 4)
        _ = try await store.commit(script.tenancy)
        let refused = StoreError.refused(.inconsistent("a text with U+0000"))
        var world = TenancyFixture(seed: 5)
        _ = world.portfolio(text)
        await #expect(throws: refused) { try await store.commit(StoreTransaction(changes: world.changes)) }
        await #expect(throws: refused) {
            try await store.commit(StoreTransaction(credentials: [.setPassword(script.user, hash: text)]))
        }
        let key = IdempotencyKey(principal: "USER", key: "k\(text)")
        let entry = IdempotencyEntry(
            key: key, fingerprint: [1], result: .command(CommandID(high: 0, low: 1)), createdAt: script.now)
        await #expect(throws: refused) { try await store.commit(StoreTransaction(idempotency: [entry])) }
        #expect(try await store.idempotentAnswer(key, notOlderThan: script.now) == nil)
        var command = script.command(on: script.door)
        _ = try await store.commit(script.begin(command))
        command.outcomeDetail = text
        await #expect(throws: refused) { try await store.commit(StoreTransaction(commands: [.update(command)])) }
        #expect(await store.isWritable())
        try await store.close()
        #expect(try database.count("SELECT count(*) FROM portfolios") == 2)
        #expect(try database.count("SELECT count(*) FROM idempotency") == 0)
    }

    /// Commits the transaction in one batch with others, and expects that only this transaction is rejected.
    private func expectAlone(_ poisoned: StoreTransaction, _ error: StoreError, in database: TemporaryDatabase) async throws {
        let (gate, book) = (FlushGate(openingAfter: 31), LogBook())
        let store = try database.open(hooks: gate.hooks(), logger: book.logger)
        var script = StoreScript(seed: 100)
        let fine = (0..<30).map { _ in
            StoreTransaction(records: [PendingRecord(script.event(on: script.fixture.id(), log: .portfolio(script.fixture.id())))]
            )
        }
        let answers = await withTaskGroup(of: Result<[RecordPosition], StoreError>.self) { group in
            for transaction in fine.prefix(15) + [poisoned] + fine.suffix(15) {
                group.addTask { await Result { () async throws(StoreError) in try await store.commit(transaction) } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.filter { $0 == .failure(error) }.count == 1)
        #expect(answers.filter { (try? $0.get().map(\.seq)) == [0] }.count == 30)
        #expect(await store.isWritable())
        #expect(book.levels == [.error])
        try await store.close()
    }
}
