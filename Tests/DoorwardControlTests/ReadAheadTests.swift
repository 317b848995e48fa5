import DoorwardAudit
import DoorwardDomain
import DoorwardTesting
import Foundation
import Synchronization
import Testing

@testable import DoorwardControl

/// Reading the pages of an export ahead.
@Suite struct ReadAheadTests {
    /// What happened in a run, and gates for the reads.
    private final class Journal: Sendable {
        private let state = Mutex((pages: [Int](), cancelled: 0, used: 0, erasures: UInt64(0)))
        /// The pages whose reads began, in this order.
        var pages: [Int] { state.withLock { $0.pages } }
        var reads: Int { pages.count }
        var cancelled: Int { state.withLock { $0.cancelled } }

        /// Notes that a read of a page begins; returns the number of pages that were read and not used yet, with this one.
        func began(_ page: Int) -> Int {
            state.withLock {
                $0.pages.append(page)
                return $0.pages.count - $0.used
            }
        }
        func wasCancelled() { state.withLock { $0.cancelled += 1 } }
        var erasures: UInt64 { state.withLock { $0.erasures } }
        func erase() { state.withLock { $0.erasures += 1 } }
        func used() { state.withLock { $0.used += 1 } }
    }

    private struct Failure: Error, Equatable { let page: Int }

    /// Numbered pages.
    private struct Pages: ExportPages {
        let count: Int
        let journal: Journal
        /// The page whose read fails.
        var failing: Int?
        /// The page whose read ends only when it is cancelled.
        var endless: Int?
        /// The page during whose first read values are erased.
        var erasing: Int?
        /// The most pages that are used or read at the same time.
        var limit = 2
        var number = 0

        var isAtEnd: Bool { number == count }

        mutating func next() async throws -> Int {
            let held = journal.began(number)
            #expect(held <= limit, "one page is used while the others are read")
            if number == erasing, journal.erasures == 0 { journal.erase() }
            if number == failing { throw Failure(page: number) }
            if number == endless {
                while !Task.isCancelled { await Task.yield() }
                journal.wasCancelled()
                throw CancellationError()
            }
            number += 1
            return number - 1
        }
    }

    @Test("the pages are returned in order and read once, at most one of them ahead", arguments: [1, 2, 3, 50])
    func order(count: Int) async throws {
        let journal = Journal()
        var pages = ReadAhead(Pages(count: count, journal: journal), erasures: { 0 })
        var found: [Int] = []
        while !pages.isAtEnd {
            found.append(try await pages.next())
            journal.used()
        }
        #expect(found == Array(0..<count))
        #expect(journal.reads == count)
    }

    @Test("nothing is read before the first page is requested")
    func unread() {
        let journal = Journal()
        let pages = ReadAhead(Pages(count: 3, journal: journal), erasures: { 0 })
        #expect(!pages.isAtEnd && journal.reads == 0)
        #expect(ReadAhead(Pages(count: 0, journal: journal), erasures: { 0 }).isAtEnd)
    }

    @Test("while nothing is requested, one page is read ahead and no further one")
    func bounded() async throws {
        let journal = Journal()
        var pages = ReadAhead(Pages(count: 9, journal: journal), erasures: { 0 })
        #expect(try await pages.next() == 0)
        journal.used()
        while journal.reads < 2 { await Task.yield() }
        for _ in 0..<1000 { await Task.yield() }
        #expect(journal.reads == 2)
        #expect(try await pages.next() == 1)
    }

    @Test("what was read before an erasure is read again when it is requested")
    func erased() async throws {
        let journal = Journal()
        var pages = ReadAhead(Pages(count: 3, journal: journal)) { journal.erasures }
        #expect(try await pages.next() == 0)
        journal.used()
        while journal.reads < 2 { await Task.yield() }
        journal.erase()
        journal.used()
        #expect(try await pages.next() == 1)
        journal.used()
        #expect(journal.reads >= 3)
        #expect(try await pages.next() == 2)
        #expect(journal.reads == 4 && pages.isAtEnd)
    }

    /// Writes the events of a door to the log of its portfolio, and returns the log.
    ///
    /// - Parameter change: changes the event with this number.
    private func fill(
        _ store: some GatewayStore, count: UInt64, _ change: (UInt64, inout RecordBody) -> Void = { _, _ in }
    ) async throws -> LogID {
        var script = StoreScript(seed: 5)
        _ = try await store.commit(script.tenancy)
        let records = (0..<count).map { number in
            var body = script.event(on: script.door)
            change(number, &body)
            return PendingRecord(body)
        }
        _ = try await store.commit(StoreTransaction(records: records))
        return .portfolio(script.portfolio)
    }

    @Test("an export whose records are removed while it is read ends with an error, after whole pages only")
    func removed() async throws {
        let (store, count) = (InMemoryStore(), 4 * ExportLimits.page)
        let log = try await fill(store, count: count)
        let records = ExportRecords(store: store, reader: ListReader()) { 0 }
        var pages = CompletePages(0..<count, proofs: ExportProofs(records, log: log), size: count)
        var ahead = ReadAhead(ReadAhead(pages, erasures: { 0 }), erasures: { 0 })
        #expect(try await pages.next().map(\.record.seq) == Array(0..<ExportLimits.page))
        var seqs = try await ahead.next().map(\.record.seq)
        _ = try await store.commit(StoreTransaction(cuts: [LogCut(log: log, firstSeq: count - 1)]))
        await #expect(throws: ExportFailure.recordsRemoved) { try await pages.next() }
        await #expect(throws: ExportFailure.recordsRemoved) {
            while !ahead.isAtEnd { seqs += try await ahead.next().map(\.record.seq) }
        }
        // Up to two pages after the first one may have been read before, the last one was not.
        #expect(seqs == Array(0..<UInt64(seqs.count)) && (1...3).map { $0 * Int(ExportLimits.page) }.contains(seqs.count))
    }

    @Test("a page that is read while values are erased is read again", arguments: 0..<3)
    func erasedDuringRead(erasing: Int) async throws {
        let journal = Journal()
        let numbers = Pages(count: 3, journal: journal, erasing: erasing, limit: 9)
        var pages = ReadAhead(numbers) { journal.erasures }
        for number in 0..<3 { #expect(try await pages.next() == number) }
        #expect(journal.erasures == 1)
        #expect(journal.pages.count { $0 == erasing } == 2)
    }

    @Test("a read-ahead of a read-ahead holds two pages, and reads both again after an erasure")
    func nested() async throws {
        let journal = Journal()
        let numbers = Pages(count: 9, journal: journal, limit: 11)
        var pages = ReadAhead(ReadAhead(numbers) { journal.erasures }) { journal.erasures }
        #expect(try await pages.next() == 0)
        while journal.reads < 3 { await Task.yield() }
        for _ in 0..<1000 { await Task.yield() }
        #expect(journal.reads == 3)
        journal.erase()
        for number in 1..<9 { #expect(try await pages.next() == number) }
        #expect(pages.isAtEnd && journal.reads == 11)
    }

    @Test("releasing a read-ahead of a read-ahead cancels the read of its second page")
    func nestedReleased() async throws {
        let journal = Journal()
        do {
            let numbers = Pages(count: 4, journal: journal, endless: 2, limit: 9)
            var pages = ReadAhead(ReadAhead(numbers, erasures: { 0 }), erasures: { 0 })
            #expect(try await pages.next() == 0)
            while journal.reads < 3 { await Task.yield() }
        }
        while journal.cancelled == 0 { await Task.yield() }
        #expect(journal.reads == 3)
    }

    @Test("each write that erases counts, also one that fails, and no other")
    func counted() async throws {
        let store = InMemoryStore()
        let guarded = StoreGuard(store: store)
        try await guarded.write(StoreTransaction())
        #expect(guarded.erasureCount == 0)
        try await guarded.write(StoreTransaction(forgets: [.day("2026-11-22")]))
        #expect(guarded.erasureCount == 1)
        store.failNext(.unavailable)
        await #expect(throws: GatewayError.self) { try await guarded.write(StoreTransaction(forgets: [.day("2026-11-23")])) }
        #expect(guarded.erasureCount == 2)
    }

    @Test("a failed read is thrown when its page is requested, after all pages before it", arguments: 0..<4)
    func failure(failing: Int) async throws {
        let journal = Journal()
        var pages = ReadAhead(Pages(count: 4, journal: journal, failing: failing), erasures: { 0 })
        for number in 0..<failing {
            #expect(try await pages.next() == number)
            journal.used()
            #expect(!pages.isAtEnd)
        }
        await #expect(throws: Failure(page: failing)) { try await pages.next() }
    }

    @Test("releasing the pages cancels what is read ahead")
    func released() async throws {
        let journal = Journal()
        do {
            var pages = ReadAhead(Pages(count: 4, journal: journal, endless: 1), erasures: { 0 })
            #expect(try await pages.next() == 0)
            while journal.reads < 2 { await Task.yield() }
        }
        while journal.cancelled == 0 { await Task.yield() }
        #expect(journal.reads == 2)
    }

    @Test("cancelling the reader of a page cancels its read", arguments: 0..<3)
    func cancelled(endless: Int) async throws {
        let journal = Journal()
        let reader = Task {
            var pages = ReadAhead(Pages(count: 4, journal: journal, endless: endless), erasures: { 0 })
            while !pages.isAtEnd {
                _ = try await pages.next()
                journal.used()
            }
        }
        while journal.reads <= endless { await Task.yield() }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(journal.cancelled == 1)
    }

    @Test("adjacent numbers are read as one range")
    func ranges() {
        #expect(SelectedPages.ranges(of: []) == [])
        #expect(SelectedPages.ranges(of: [4]) == [4..<5])
        #expect(SelectedPages.ranges(of: [0, 1, 2, 5, 7, 8]) == [0..<3, 5..<6, 7..<9])
        var random = SeededGenerator(seed: 4)
        for _ in 0..<100 {
            let seqs = (0..<60 as Range<UInt64>).filter { _ in Bool.random(using: &random) }
            let ranges = SelectedPages.ranges(of: seqs)
            #expect(ranges.flatMap { Array($0) } == seqs)
            #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
        }
    }

    @Test("the lines after an erasure have no value of the person, although their records were read before it")
    func erasedLines() async throws {
        let (store, journal) = (CountingStore(InMemoryStore()), Journal())
        let (user, count) = (StoreScript(seed: 5).user, 4 * ExportLimits.page)
        let log = try await fill(store, count: count) { _, body in
            body.actor = RecordActor(kind: .user, id: "pseudonym", name: "Ada Lovelace", userID: user)
        }
        let records = ExportRecords(store: store, reader: ListReader()) { journal.erasures }
        let complete = CompletePages(0..<count, proofs: ExportProofs(records, log: log), size: count)
        let ahead = ReadAhead(ReadAhead(complete) { journal.erasures }) { journal.erasures }
        var pages = ReadAhead(LinePages(ahead, log: log) { journal.erasures }) { journal.erasures }
        func next() async throws -> Bool {
            var lines: [UInt8] = []
            for chunk in try await pages.next() { lines += try await chunk.value }
            return String(decoding: lines, as: UTF8.self).contains("Ada Lovelace")
        }
        #expect(try await next())
        // The records of all pages are read before the erasure.
        var reads = 0
        while reads < 4 {
            reads += store.takeCalls().count { $0.hasPrefix("sealedRecords") }
            await Task.yield()
        }
        _ = try await store.commit(StoreTransaction(forgets: [.user(user)]))
        journal.erase()
        while !pages.isAtEnd { #expect(try await !next()) }
    }

    @Test("while all executors are occupied, the threads of Swift's pool go on")
    func separate() async throws {
        final class Gate: Sendable { let isOpen = Atomic(false) }
        let executors = ExecutorGroup("test")
        // More elements than the pool has threads. Each waits for its own task of the pool, for a number of turns, so that a mistake
        // fails.
        let numbers = Array(0..<2 * ProcessInfo.processInfo.activeProcessorCount)
        let parts = numbers.startTransforming(share: 1, on: executors) { _ in
            let gate = Gate()
            Task.detached { gate.isOpen.store(true, ordering: .relaxed) }
            return (0..<5_000_000).contains { _ in
                sched_yield()
                return gate.isOpen.load(ordering: .relaxed)
            }
        }
        for part in parts { #expect(try await part.value) }
    }

    @Test("Transformed elements are in order whatever the share of a task", arguments: [1, 2, 63, 64, 100, 101, 1000])
    func share(share: Int) async throws {
        let executors = ExecutorGroup("test")
        for count in [0, 1, 64, 100] {
            let numbers = Array(0..<count)
            var parts: [[Int]] = []
            for part in numbers.startTransforming(share: share, on: executors, { $0.map { -$0 } }) {
                parts.append(try await part.value)
            }
            #expect(parts.joined().elementsEqual(numbers.map { -$0 }))
            #expect(parts.dropLast().allSatisfy { $0.count == share } && parts.last?.count ?? 1 <= share)
        }
    }

    @Test("an error of one part is thrown for this part only")
    func failedPart() async throws {
        let parts = [0, 1, 2].startTransforming(share: 1, on: ExecutorGroup("test")) { part in
            if part == [1] { throw Failure(page: 1) }
            return part.map { -$0 }
        }
        await #expect(throws: Failure(page: 1)) { try await parts[1].value }
        #expect(try await parts[0].value == [0])
        #expect(try await parts[2].value == [-2])
    }

    @Test("parts that are released while they wait for an executor are not transformed")
    func releasedParts() async throws {
        final class State: Sendable {
            let isOpen = Atomic(false)
            let transformed = Atomic(0)
        }
        let (executors, state) = (ExecutorGroup("test"), State())
        let numbers = Array(0..<2 * ProcessInfo.processInfo.activeProcessorCount)
        let occupying = numbers.startTransforming(share: 1, on: executors) { _ in
            (0..<5_000_000).contains { _ in
                sched_yield()
                return state.isOpen.load(ordering: .relaxed)
            }
        }
        do {
            let released = numbers.startTransforming(share: 1, on: executors) { _ in
                state.transformed.add(1, ordering: .relaxed)
            }
            #expect(released.count == numbers.count)
        }
        state.isOpen.store(true, ordering: .relaxed)
        for part in occupying { #expect(try await part.value) }
        // These come after the released ones on each executor.
        for part in numbers.startTransforming(share: 1, on: executors, { $0.count }) { #expect(try await part.value == 1) }
        #expect(state.transformed.load(ordering: .relaxed) == 0)
    }

    @Test("pages of large records are smaller, begin at multiples of 256, and have all records in order")
    func largeRecords() async throws {
        let (store, count) = (InMemoryStore(), 3300 as UInt64)
        let log = try await fill(store, count: count) { number, body in
            if (1000..<2600).contains(number) { body.details = ["note": .string(String(repeating: "x", count: 9000))] }
        }
        let records = ExportRecords(store: store, reader: ListReader()) { 0 }
        var pages = CompletePages(100..<count, proofs: ExportProofs(records, log: log), size: count)
        var found: [[UInt64]] = []
        while !pages.isAtEnd { found.append(try await pages.next().map(\.record.seq)) }
        #expect(found.joined().elementsEqual(100..<count))
        // A page ends at the first multiple of 256 after 466 records of 9,000 bytes, or at one of 2,048.
        #expect(found.map { $0.first ?? 0 } == [100, 1536, 2048, 2560])
    }
}
