import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardStore

/// Records as they are read for an export, and their decrypted values.
@Suite struct SealedRecordsTests {
    private static let count = 200
    private let database: TemporaryDatabase
    private var script = StoreScript(seed: 87)
    private let (grace, edsger): (UserID, UserID)

    init() throws {
        database = try TemporaryDatabase()
        grace = script.fixture.user("Grace")
        edsger = script.fixture.user("Edsger")
    }

    /// The actor of a record: three users in turn, and one whose values have the key of a day.
    private func actor(_ index: Int) -> RecordActor {
        switch index % 4 {
        case 0: script.actor
        case 1: RecordActor(kind: .user, id: "grace", name: "Grace \(index)", userID: grace)
        case 2: RecordActor(kind: .user, id: "edsger", name: "Edsger \(index)", userID: edsger)
        default: RecordActor(kind: .user, id: "unknown", name: "Visitor \(index)")
        }
    }

    private mutating func filled() async throws -> SQLiteStore {
        let store = try database.open()
        _ = try await store.commit(script.tenancy)
        var records: [PendingRecord] = []
        for index in 0..<Self.count {
            var body = script.event(on: script.door)
            body.actor = actor(index)
            if index % 5 == 0 { body.details = ["note": .personal("Note \(index)", person: script.user)] }
            records.append(PendingRecord(body))
        }
        _ = try await store.commit(StoreTransaction(records: records))
        return store
    }

    private var log: LogID { script.log(of: script.door) }

    private func disclosed(_ store: SQLiteStore, _ range: Range<UInt64>) async throws(StoreError) -> [DisclosedRecord] {
        try await store.sealedRecords([range], of: log, for: ListReader(), upTo: .max).map { $0.disclosed() }
    }

    @Test("Many records are in order and the same as one by one, with the values that were written")
    mutating func order() async throws {
        let store = try await filled()
        let size = try #require(try await store.frontier(of: log)?.size)
        let all = try await disclosed(store, 0..<size)
        #expect(all.map(\.seq) == Array(0..<size) && size >= UInt64(Self.count))
        var single: [DisclosedRecord] = []
        for seq in 0..<size { single += try await disclosed(store, seq..<seq + 1) }
        #expect(all == single)
        let first = Int(size) - Self.count
        for index in 0..<Self.count {
            let record = all[first + index]
            let expected = [actor(index).name] + (index % 5 == 0 ? ["Note \(index)"] : [])
            #expect(record.personal.map { $0?.value } == expected)
            let commitments = try RecordEncoding.decode(record.bytes).commitments
            for (commitment, value) in zip(commitments, record.personal) {
                let value = try #require(value)
                #expect(commitment.holds(for: value.value, salt: value.salt))
            }
            #expect(record.leafHash.bytes == MerkleTree.leafHash(record.bytes))
        }
        try await store.close()
    }

    @Test("After an erasure the values of the person are absent, and all others are there")
    mutating func erased() async throws {
        let store = try await filled()
        let size = try #require(try await store.frontier(of: log)?.size)
        let before = try await disclosed(store, 0..<size)
        _ = try await store.commit(StoreTransaction(forgets: [.user(script.user)]))
        let after = try await disclosed(store, 0..<size)
        #expect(after.map(\.bytes) == before.map(\.bytes))
        let first = Int(size) - Self.count
        for index in 0..<Self.count {
            let (old, new) = (before[first + index].personal, after[first + index].personal)
            #expect(!old.contains(nil))
            #expect(new[0] == (index % 4 == 0 ? nil : old[0]))
            if index % 5 == 0 { #expect(new[1] == nil) }
        }
        try await store.close()
    }

    @Test(
        "A damaged record in the middle of a range fails the read of this range only",
        arguments: ["bytes = substr(bytes, 1, 60)", "leaf_hash = substr(leaf_hash, 1, 31)"])
    mutating func damaged(change: String) async throws {
        let store = try await filled()
        let size = try #require(try await store.frontier(of: log)?.size)
        try await store.close()
        let seq = size - 70
        try database.edit(
            "UPDATE entries SET \(change) WHERE position = (SELECT max(position) FROM entries) - \(size - 1 - seq)"
        )
        let opened = try database.open()
        for range in [0..<size, seq..<seq + 1] {
            let error = await #expect(throws: StoreError.self) { try await disclosed(opened, range) }
            guard case .failed = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        #expect(try await disclosed(opened, 0..<seq).count == Int(seq))
        #expect(try await disclosed(opened, seq + 1..<size).count == 69)
        try await opened.close()
    }

    @Test("A cancelled reader gets no records, and frees its place")
    mutating func cancelled() async throws {
        let store = try await filled()
        let log = log
        let reader = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await store.sealedRecords([0..<100], of: log, for: ListReader(), upTo: .max)
        }
        reader.cancel()
        await #expect(throws: StoreError.unavailable) { try await reader.value }
        #expect(try await disclosed(store, 0..<100).count == 100)
        try await store.close()
    }
}
