import DoorwardAudit
import DoorwardDomain
import DoorwardKernel
import DoorwardTesting
import Foundation
import Synchronization
import Testing

@testable import DoorwardRecords

/// Reading the pages of an export ahead.
@Suite struct ReadAheadTests {
    /// What happened in a run, and gates for the reads.
    private final class Journal: Sendable {
        private let state = Mutex((reads: 0, used: 0))
        var reads: Int { state.withLock { $0.reads } }

        /// Notes that a read begins; returns the number of pages that were read and not used yet, with this one.
        func began() -> Int {
            state.withLock {
                $0.reads += 1
                return $0.reads - $0.used
            }
        }
        func used() { state.withLock { $0.used += 1 } }
    }

    private struct Failure: Error, Equatable { let page: Int }

    /// Numbered pages.
    private struct Pages: ExportPages {
        let count: Int
        let journal: Journal
        /// The page whose read fails.
        var failing: Int?
        var number = 0

        var isAtEnd: Bool { number == count }

        mutating func next() async throws -> Int {
            let held = journal.began()
            #expect(held <= 2, "one page is used while another one is read")
            if number == failing { throw Failure(page: number) }
            number += 1
            return number - 1
        }
    }

    @Test("the pages are returned in order and read once, at most one of them ahead", arguments: [1, 2, 3, 50])
    func order(count: Int) async throws {
        let journal = Journal()
        var pages = ReadAhead(Pages(count: count, journal: journal))
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
        let pages = ReadAhead(Pages(count: 3, journal: journal))
        #expect(!pages.isAtEnd && journal.reads == 0)
        #expect(ReadAhead(Pages(count: 0, journal: journal)).isAtEnd)
    }

    @Test("while nothing is requested, one page is read ahead and no further one")
    func bounded() async throws {
        let journal = Journal()
        var pages = ReadAhead(Pages(count: 9, journal: journal))
        #expect(try await pages.next() == 0)
        journal.used()
        while journal.reads < 2 { await Task.yield() }
        for _ in 0..<1000 { await Task.yield() }
        #expect(journal.reads == 2)
        #expect(try await pages.next() == 1)
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
        let records = ExportRecords(store: store, reader: ListReader())
        var pages = CompletePages(0..<count, proofs: ExportProofs(records, log: log), size: count)
        var ahead = ReadAhead(pages)
        #expect(try await pages.next().map(\.record.seq) == Array(0..<ExportLimits.page))
        var seqs = try await ahead.next().map(\.record.seq)
        _ = try await store.commit(StoreTransaction(truncations: [LogTruncation(log: log, firstSeq: count - 1)]))
        await #expect(throws: ExportFailure.recordsRemoved) { try await pages.next() }
        await #expect(throws: ExportFailure.recordsRemoved) {
            while !ahead.isAtEnd { seqs += try await ahead.next().map(\.record.seq) }
        }
        // The second page may have been read before, the last one was not.
        #expect(seqs == Array(0..<UInt64(seqs.count)) && (1...2).map { $0 * Int(ExportLimits.page) }.contains(seqs.count))
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
        var pages = ReadAhead(Pages(count: 4, journal: journal, failing: failing))
        for number in 0..<failing {
            #expect(try await pages.next() == number)
            journal.used()
            #expect(!pages.isAtEnd)
        }
        await #expect(throws: Failure(page: failing)) { try await pages.next() }
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

    @Test("while all executors are occupied, the threads of Swift's pool go on")
    func separate() async throws {
        final class Gate: Sendable { let isOpen = Atomic(false) }
        let executors = ExecutorGroup("test")
        // More elements than the pool has threads. Each waits for its own task of the pool, for a number of turns, so that a mistake
        // fails.
        let numbers = Array(0..<2 * ProcessInfo.processInfo.activeProcessorCount)
        await withTaskGroup(of: Bool.self) { group in
            for _ in numbers {
                group.addTask(executorPreference: executors.next()) {
                    let gate = Gate()
                    Task.detached { gate.isOpen.store(true, ordering: .relaxed) }
                    return (0..<5_000_000).contains { _ in
                        sched_yield()
                        return gate.isOpen.load(ordering: .relaxed)
                    }
                }
            }
            for await hasGoneOn in group { #expect(hasGoneOn) }
        }
    }

    @Test("the lines of a page are in its order, however many threads format them", arguments: [0, 1, 127, 128, 129, 1000])
    func lines(count: Int) async throws {
        let store = InMemoryStore()
        let log = try await fill(store, count: 1000)
        let records = ExportRecords(store: store, reader: ListReader())
        var pages = CompletePages(0..<1000, proofs: ExportProofs(records, log: log), size: 1000)
        let page = Array(try await pages.next().prefix(count))
        var writer = ExportWriter(log: log)
        for proven in page { try writer.add(proven.record.disclosed(), proof: proven.proof) }
        let chunks = try await ExportLines.format(page, of: log)
        #expect(chunks.joined().elementsEqual(writer.take()))
        #expect(chunks.count == (count + 127) / 128)
    }

    @Test("pages of large records are smaller, begin at multiples of 256, and have all records in order")
    func largeRecords() async throws {
        let (store, count) = (InMemoryStore(), 3300 as UInt64)
        let log = try await fill(store, count: count) { number, body in
            if (1000..<2600).contains(number) { body.details = ["note": .string(String(repeating: "x", count: 9000))] }
        }
        let records = ExportRecords(store: store, reader: ListReader())
        var pages = CompletePages(100..<count, proofs: ExportProofs(records, log: log), size: count)
        var found: [[UInt64]] = []
        while !pages.isAtEnd { found.append(try await pages.next().map(\.record.seq)) }
        #expect(found.joined().elementsEqual(100..<count))
        // A page ends at the first multiple of 256 after 466 records of 9,000 bytes, or at one of 2,048.
        #expect(found.map { $0.first ?? 0 } == [100, 1536, 2048, 2560])
    }
}
