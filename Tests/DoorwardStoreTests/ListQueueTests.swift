import Dispatch
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import GRDB
import Logging
import Synchronization
import Testing

@testable import DoorwardStore

/// The order of waiting lists, and the limits on concurrent ones.
@Suite(.timeLimit(.minutes(30))) struct ListQueueTests {
    private static func reader(_ user: UInt64, of portfolios: UInt64...) -> ListReader {
        ListReader(userID: UserID(high: 1, low: user), logs: Set(portfolios.map { .portfolio(PortfolioID(high: 2, low: $0)) }))
    }

    /// Lets other tasks run, and ends the test when its time limit is over.
    private static func pause() async throws {
        try Task.checkCancellation()
        await Task.yield()
    }

    private static func limits(readers: Int, perPortfolio: Int) -> StoreLimits {
        var limits = StoreLimits()
        (limits.listReaders, limits.listReadersPerPortfolio) = (readers, perPortfolio)
        return limits
    }

    @Test("Waiting lists get a reader in turn: round-robin by portfolio, and by user within a portfolio")
    func turns() async throws {
        let queue = ListQueue(limits: Self.limits(readers: 1, perPortfolio: 1))
        let first = Self.reader(0, of: 9)
        try await queue.enter(first)
        let order = Shared<[String]>([])
        // One user of a portfolio requests five lists before any other user requests one.
        let waiting: [(String, ListReader)] =
            (1...5).map { ("a\($0)", Self.reader(1, of: 1)) } + [
                ("b1", Self.reader(2, of: 1)), ("b2", Self.reader(2, of: 1)), ("c1", Self.reader(3, of: 2)),
                ("d1", Self.reader(4, of: 3)), ("c2", Self.reader(3, of: 2)),
            ]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, (name, reader)) in waiting.enumerated() {
                group.addTask {
                    try await queue.enter(reader)
                    order.withLock { $0.append(name) }
                    queue.leave(reader)
                }
                while queue.waitingCount <= index { try await Self.pause() }
            }
            queue.leave(first)
            try await group.waitForAll()
        }
        #expect(order.withLock { $0 } == ["a1", "c1", "d1", "b1", "c2", "a2", "b2", "a3", "a4", "a5"])
        #expect(queue.waitingCount == 0)
    }

    @Test("A user has at most one list reader, a portfolio at most its share, and other portfolios are not held up")
    func shares() async throws {
        let queue = ListQueue(limits: Self.limits(readers: 4, perPortfolio: 2))
        let (one, two, three) = (Self.reader(1, of: 1), Self.reader(2, of: 1), Self.reader(3, of: 1))
        try await queue.enter(one)
        try await queue.enter(two)
        let blocked = [one, two, three].map { reader in Task { try await queue.enter(reader) } }
        while queue.waitingCount < 3 { try await Self.pause() }
        // Neither waiting nor running lists hold up another portfolio.
        let others = [Self.reader(4, of: 2), Self.reader(5, of: 1, 2)]
        for other in others { try await queue.enter(other) }
        #expect(queue.waitingCount == 3)
        for reader in [one, two] + others { queue.leave(reader) }
        // Each waiting list gets a reader as earlier ones finish.
        let done = Shared(0)
        for (task, reader) in zip(blocked, [one, two, three]) {
            Task {
                try await task.value
                queue.leave(reader)
                done.withLock { $0 += 1 }
            }
        }
        while done.withLock({ $0 }) < 3 { try await Self.pause() }
        #expect(queue.waitingCount == 0)
    }

    @Test("A user has only one list reader, even if the store and the portfolio have free ones")
    func oneOfOneUser() async throws {
        let queue = ListQueue(limits: Self.limits(readers: 4, perPortfolio: 4))
        let reader = Self.reader(1, of: 1)
        try await queue.enter(reader)
        let hasEntered = Shared(false)
        let second = Task {
            try await queue.enter(reader)
            hasEntered.withLock { $0 = true }
        }
        while queue.waitingCount < 1, !hasEntered.withLock({ $0 }) { try await Self.pause() }
        #expect(!hasEntered.withLock { $0 })
        queue.leave(reader)
        try await second.value
        queue.leave(reader)
    }

    @Test("Lists beyond the waiting limits per user, per portfolio and in total are rejected at once, and others are not")
    func bounds() async throws {
        var limits = Self.limits(readers: 1, perPortfolio: 1)
        (limits.waitingListsPerUser, limits.waitingListsPerPortfolio, limits.waitingLists) = (2, 3, 4)
        let queue = ListQueue(limits: limits)
        try await queue.enter(Self.reader(0, of: 9))
        var tasks: [Task<Void, any Error>] = []
        func wait(_ reader: ListReader) async throws {
            tasks.append(Task { try await queue.enter(reader) })
            while queue.waitingCount < tasks.count { try await Self.pause() }
        }
        try await wait(Self.reader(1, of: 1))
        try await wait(Self.reader(1, of: 1))
        await #expect(throws: StoreError.tooManyReads) { try await queue.enter(Self.reader(1, of: 1)) }
        try await wait(Self.reader(2, of: 1))
        await #expect(throws: StoreError.tooManyReads) { try await queue.enter(Self.reader(3, of: 1)) }
        try await wait(Self.reader(4, of: 2))
        await #expect(throws: StoreError.tooManyReads) { try await queue.enter(Self.reader(5, of: 3)) }
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: StoreError.unavailable) { try await task.value } }
        #expect(queue.waitingCount == 0)
        // A cancelled wait did not take a reader.
        queue.leave(Self.reader(0, of: 9))
        try await queue.enter(Self.reader(5, of: 3))
    }

    @Test("Sign-in data and refresh tokens are read even while every list reader is busy and more lists wait")
    func pointReads() async throws {
        let sample = try await CheckedSample(seed: 73)
        let reader = try StoreReader(path: sample.database.path, clock: sample.database.clock)
        let gate = Gate()
        let portfolios = UInt64(StoreLimits().listReaders)
        let lists = (0..<portfolios + 3).map { number in
            Task { try await reader.list(for: Self.reader(number, of: number)) { (_, _) in gate.wait() } }
        }
        while gate.waiting < Int(portfolios) || reader.lists.waitingCount < 3 { try await Self.pause() }
        let hash = try await reader.read { try CredentialReading.passwordHash(of: sample.script.user, in: $0) }
        #expect(hash == nil)
        #expect(try await reader.read { try CredentialReading.refreshToken(digest: [1], in: $0) } == nil)
        gate.open()
        for list in lists { try await list.value }
        await reader.close()
    }

    @Test("A list that exceeds its time is interrupted even inside a statement, and its connection can still be used")
    func deadline() async throws {
        let sample = try await CheckedSample(seed: 74)
        let reader = try StoreReader(path: sample.database.path, clock: SteppingClock())
        for _ in 0..<8 {
            await #expect(throws: StoreError.readTimedOut) {
                try await reader.list(for: ListReader()) { (db, _) in try Self.readForever(db) }
            }
        }
        #expect(try await reader.list(for: ListReader()) { (db, _) in try Int.fetchOne(db, sql: "SELECT 1") } == 1)
        await reader.close()
    }

    @Test("If the time of a page is over, it ends with the records found so far, and the next page continues there")
    func shortPage() async throws {
        let sample = try await CheckedSample(seed: 75)
        var limits = StoreLimits()
        // The limit allows the first runs of both logs, eight rows each, so that only the clock ends the page.
        limits.rowsPerPage = 32
        let store = try SQLiteStore.open(
            path: sample.database.path, clock: SteppingClock(), logger: .init(label: "test") { _ in SwiftLogNoOpLogHandler() },
            limits: limits)
        let scopes: [RecordScope] = [.gatewayLog, .portfolioLog(sample.script.portfolio)]
        // The clock advances by a second at each reading, so no stream is read beyond its first run.
        var query = RecordQuery(scopes: scopes, filter: RecordFilter(operation: .lockdown), limit: 2)
        var places: [RecordPosition] = []
        repeat {
            let page = try await store.page(query)
            #expect(page.records.isEmpty)
            #expect(!places.contains { $0 == page.next })
            page.next.map { places.append($0) }
            query.after = page.next
        } while query.after != nil
        #expect(!places.isEmpty)
        try await store.close()
    }

    @Test("A list whose task is cancelled stops reading")
    func cancelled() async throws {
        let sample = try await CheckedSample(seed: 76)
        let reader = try StoreReader(path: sample.database.path, clock: sample.database.clock)
        let begun = AsyncStream<Void>.makeStream()
        let list = Task {
            try await reader.list(for: ListReader()) { (db, _) in
                begun.continuation.yield()
                try Self.readForever(db)
            }
        }
        for await _ in begun.stream { break }
        list.cancel()
        await #expect(throws: StoreError.unavailable) { try await list.value }
        #expect(try await reader.list(for: ListReader()) { (db, _) in try Int.fetchOne(db, sql: "SELECT 1") } == 1)
        await reader.close()
    }

    private static func readForever(_ db: Database) throws {
        _ = try Int.fetchOne(
            db, sql: "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n WHERE i < 0")
    }
}

/// A value that several tasks can change.
private final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }

    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result { value.withLock { body(&$0) } }
}

/// Blocks all callers until it is opened.
private final class Gate: Sendable {
    private let count = Mutex(0)
    private let semaphore = DispatchSemaphore(value: 0)

    var waiting: Int { count.withLock { $0 } }

    func wait() {
        count.withLock { $0 += 1 }
        // Blocks: the reader's own thread.
        semaphore.wait()
        // Let later callers pass as well.
        semaphore.signal()
    }

    func open() { semaphore.signal() }
}

/// A clock that advances by a second at each reading.
private final class SteppingClock: GatewayClock {
    private let looks = Mutex<Int64>(0)

    func now() -> Timestamp { Timestamp(milliseconds: 0) }

    func monotonicNow() -> MonotonicInstant {
        looks.withLock { looks in
            looks += 1
            return MonotonicInstant(nanoseconds: looks * 1_000_000_000)
        }
    }

    func sleep(until instant: MonotonicInstant) async throws {}
}
