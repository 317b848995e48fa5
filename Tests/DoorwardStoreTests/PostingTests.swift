import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import GRDB
import Testing

@testable import DoorwardStore

/// Posting lists: their blocks, how they are read, and how they are rebuilt from the log.
@Suite struct PostingTests {
    @Test("A block is decoded as it was encoded, and inconsistent blocks are rejected", arguments: 1...20 as ClosedRange<UInt64>)
    func blocks(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var seqs: [UInt64] = [UInt64.random(in: 0..<1 << 40, using: &random)]
        for _ in 1..<Int.random(in: 1...PostingBlock.capacity, using: &random) {
            let last = seqs.last ?? 0
            let gap: UInt64 = Bool.random(using: &random) ? 300 : 1 << 30
            seqs.append(last + UInt64.random(in: 1...gap, using: &random))
        }
        let deltas = PostingBlock.deltas(of: seqs)
        let (first, last, count) = (Int64(seqs[0]), Int64(seqs[seqs.count - 1]), Int64(seqs.count))
        #expect(PostingBlock.seqs(first: first, last: last, count: count, deltas: deltas) == seqs)
        #expect(PostingBlock.seqs(first: first, last: last + 1, count: count, deltas: deltas) == nil)
        #expect(PostingBlock.seqs(first: first, last: last, count: count + 1, deltas: deltas) == nil)
        #expect(PostingBlock.seqs(first: first, last: last, count: count, deltas: deltas + [1]) == nil)
        #expect(PostingBlock.seqs(first: first, last: last, count: count, deltas: deltas + [0x80]) == nil)
        #expect(PostingBlock.seqs(first: first, last: last, count: count + 1, deltas: deltas + [0]) == nil, "not ascending")
        #expect(PostingBlock.seqs(first: -1, last: last, count: count, deltas: deltas) == nil)
    }

    @Test(
        "Reading any range of a posting list, in either order and in runs of any length, finds the records' positions",
        arguments: 1...8 as ClosedRange<UInt64>)
    func reading(seed: UInt64) async throws {
        let database = try TemporaryDatabase()
        var limits = StoreLimits()
        limits.entriesPerProjection = [1, 50, 300, 5000][Int(seed % 4)]
        let store = try database.open(limits: limits)
        var (script, random) = (StoreScript(seed: seed), SeededGenerator(seed: seed))
        _ = try await store.commit(script.tenancy)
        var expected: [Int64] = []
        for _ in 0..<40 {
            let bodies = (0..<Int.random(in: 1...30, using: &random)).map { _ in
                script.event(on: Bool.random(using: &random) ? script.door : script.gate)
            }
            let places = try await store.commit(StoreTransaction(records: bodies.map { PendingRecord($0) }))
            for (body, place) in zip(bodies, places) where body.device?.deviceID == script.door {
                expected.append(EntryKey(logKey: 1, seq: place.seq).rawValue)
            }
        }
        let queue = try DatabaseQueue(path: database.path)
        let end = EntryKey(logKey: 1, seq: 1 << 30).rawValue
        let door = script.door
        let unprojected = try await queue.read { db in
            var unprojected = UnprojectedPositions(db)
            let list = EntrySelection.Source.postings(.entries(.device(door)))
            return try unprojected.positions(of: EntrySelection(source: list), in: 1)
        }
        for isAscending in [true, false] {
            for _ in 0..<20 {
                let low = expected[Int.random(in: 0..<expected.count, using: &random)] + Int64.random(in: -1...1, using: &random)
                let range = low..<(Bool.random(using: &random) ? end : low + Int64.random(in: 0...400, using: &random))
                let wanted = expected.filter(range.contains)
                let counts = (0..<1000).map { _ in Int.random(in: 1...200, using: &random) }
                let reading = PostingReading(.entries(.device(door)), log: 1, unprojected: unprojected, isAscending: isAscending)
                let found = try await queue.read { try Self.all(reading, within: range, isAscending, counts, in: $0) }
                #expect(found == (isAscending ? wanted : wanted.reversed()))
            }
        }
        try queue.close()
        try await store.close()
    }

    /// Returns all positions of a range, read in runs of the given lengths.
    private static func all(
        _ reading: PostingReading, within range: Range<Int64>, _ isAscending: Bool, _ counts: [Int], in db: Database
    ) throws -> [Int64] {
        var (reading, rest, found): (PostingReading, Range<Int64>, [Int64]) = (reading, range, [])
        for count in counts {
            let run = try reading.next(count, within: rest, in: db)
            found += run
            guard run.count == count, let last = run.last else { return found }
            rest = isAscending ? last + 1..<max(last + 1, rest.upperBound) : rest.lowerBound..<last
        }
        return found
    }

    @Test("Deleted posting lists, time marks and counts are rebuilt, and all queries return the same results")
    func deleted() async throws {
        let database = try TemporaryDatabase()
        var draw = RandomTransactions(seed: 5, now: database.clock.now())
        var store = try database.open()
        let model = InMemoryStore(suspensions: 0)
        for step in 0..<150 {
            let transaction = step == 0 ? draw.tenancy : draw.next()
            _ = await Result { () async throws(StoreError) in try await store.commit(transaction) }
            _ = await Result { () async throws(StoreError) in try await model.commit(transaction) }
        }
        try await store.close()
        #expect(try database.count("SELECT count(*) FROM logs WHERE projected < size") == 0, "closing projects all entries")
        try database.edit(
            "DELETE FROM postings; DELETE FROM time_marks; DELETE FROM command_counts; DELETE FROM command_totals")
        #expect(try !StoreCheck.run(path: database.path).isWhole)
        store = try database.open()
        try await ModelComparison(draw).expectSame(store, model)
        try await store.close()
        #expect(try StoreCheck.run(path: database.path).isWhole)
        // Change the file to the state of a file whose logs were never projected.
        try database.edit(
            """
            DELETE FROM postings; DELETE FROM time_marks; DELETE FROM command_counts; DELETE FROM command_totals;
            UPDATE logs SET projected = 0
            """)
        #expect(try StoreCheck.run(path: database.path).isWhole, "unprojected entries are not a fault")
        var limits = StoreLimits()
        limits.entriesPerProjection = 5000
        store = try database.open(limits: limits)
        #expect(try database.count("SELECT count(*) FROM postings") == 0)
        try await ModelComparison(draw).expectSame(store, model)
        try await store.close()
        #expect(try StoreCheck.run(path: database.path).isWhole)
    }

    @Test("A malformed last block does not block commits, and a check reports it")
    func damaged() async throws {
        let database = try TemporaryDatabase()
        var store = try database.open()
        var script = StoreScript(seed: 6)
        _ = try await store.commit(script.tenancy)
        for _ in 0..<20 { _ = try await store.commit(StoreTransaction(records: [PendingRecord(script.event(on: script.door))])) }
        try await store.close()
        try database.edit("UPDATE postings SET deltas = x'80', count = 3 WHERE facet = 1")
        store = try database.open()
        for _ in 0..<20 { _ = try await store.commit(StoreTransaction(records: [PendingRecord(script.event(on: script.door))])) }
        try await store.close()
        #expect(try StoreCheck.run(path: database.path).fault?.problem == .projection("postings"))
    }

    @Test("Opening a store with a log whose records are missing fails instead of hanging", .timeLimit(.minutes(5)))
    func missingRecords() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 1)
        _ = try await store.commit(script.tenancy)
        _ = try await store.commit(StoreTransaction(records: [PendingRecord(script.event(on: script.door))]))
        try await store.close()
        let queue = try DatabaseQueue(path: database.path)
        try await queue.write { db in
            try db.execute(sql: "UPDATE logs SET size = size + 100000 WHERE key = (SELECT min(key) FROM logs)")
        }
        try queue.close()
        #expect(throws: (any Error).self) { _ = try database.open() }
    }
}
