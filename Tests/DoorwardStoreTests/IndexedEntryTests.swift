import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import GRDB
import Testing

@testable import DoorwardStore

/// The posting lists of an entry, derived from its columns and from its record.
@Suite struct IndexedEntryTests {
    @Test(
        "The columns of an entry and its record give the same posting lists, and these agree with the filters of queries",
        arguments: 51...54 as ClosedRange<UInt64>)
    func columns(seed: UInt64) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var draw = RandomTransactions(seed: seed, now: database.clock.now())
        for step in 0..<180 {
            let transaction = step == 0 ? draw.tenancy : draw.next()
            _ = await Result { () async throws(StoreError) in try await store.commit(transaction) }
        }
        try await store.close()
        let queue = try DatabaseQueue(path: database.path)
        let pairs = try await queue.read { db in
            var pairs: [(columns: IndexedEntry, body: RecordBody)] = []
            try db.step("SELECT \(IndexedEntry.columns), bytes FROM entries", []) { row in
                let body = try RecordEncoding.decode(row.bytes(10)).record.body
                pairs.append((IndexedEntry(row), body))
            }
            return pairs
        }
        try queue.close()
        #expect(pairs.count > 30)
        var kinds: Set<Int64> = []
        for (entry, body) in pairs {
            #expect(entry.lists == IndexedEntry(body, at: entry.position).lists)
            #expect(entry.at == body.at)
            kinds.formUnion(entry.lists.map(\.facet))
            for match in Self.possible(of: body) where match.isIndexed {
                #expect(entry.matches.contains(match) == Self.filter(match).passes(body), "\(match)")
            }
        }
        #expect(kinds.isSuperset(of: [1, 2, 3, 4, 6]), "\(kinds)")
    }

    /// Returns matches for the values of the record and for other values.
    private static func possible(of body: RecordBody) -> [EntrySelection.Match] {
        let other: EntityID<LockDevice> = EntityID(high: 77, low: 77)
        return [
            .device(body.device?.deviceID ?? other.cast()), .device(other.cast()), .unit(body.unitID ?? other.cast()),
            .property(body.propertyID ?? other.cast()), .actor(body.actor.userID ?? other.cast()), .denied(true),
            .kind(body.kind), .kind(.denial), .reason(body.reason ?? .noAssociation), .outcome(body.outcome ?? .failed),
        ]
    }

    private static func filter(_ match: EntrySelection.Match) -> RecordFilter {
        switch match {
        case .device(let id): RecordFilter(deviceID: id)
        case .unit(let id): RecordFilter(unitID: id)
        case .property(let id): RecordFilter(propertyID: id)
        case .actor(let id): RecordFilter(actorUserID: id)
        case .denied(let isDenied): RecordFilter(decision: isDenied ? .denied : .allowed)
        case .kind(let kind): RecordFilter(kind: kind)
        case .operation(let operation): RecordFilter(operation: operation)
        case .reason(let reason): RecordFilter(reason: reason)
        case .outcome(let outcome): RecordFilter(outcome: outcome)
        }
    }

    @Test("Every posting list has its own facet, and no facet ever changes, because files contain them")
    func facets() {
        let id = DeviceID(high: 1, low: 2)
        let matches: [EntrySelection.Match] = [
            .device(id), .unit(id.cast()), .property(id.cast()), .actor(id.cast()), .denied(true), .kind(.denial),
            .reason(.noAssociation), .outcome(.failed),
        ]
        #expect(matches.map { PostingList.entries($0).facet } == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(matches.prefix(4).map { PostingList.commands($0).facet } == [17, 18, 19, 20])
        #expect(
            PostingList.commands(.unit(id.cast())).value == Array(repeating: 0, count: 7) + [1] + Array(repeating: 0, count: 7)
                + [2])
        #expect(PostingList.entries(.kind(.denial)).value == Array("DENIAL".utf8))
    }

    @Test("Opening a file with many unprojected entries projects all of them")
    func catchUp() async throws {
        let database = try TemporaryDatabase()
        var limits = StoreLimits()
        limits.entriesPerProjection = 100_000
        var store = try database.open(limits: limits)
        var script = StoreScript(seed: 7)
        _ = try await store.commit(script.tenancy)
        for _ in 0..<20 {
            let bodies = (0..<250).map { number in number % 5 == 0 ? script.gatewayEvent() : script.event(on: script.door) }
            _ = try await store.commit(StoreTransaction(records: bodies.map { PendingRecord($0) }))
        }
        // Copy the files in the state in which a killed process would leave them.
        let path = try database.copyFiles(to: "killed.db")
        try await store.close()
        store = try database.open(path: path)
        let door = RecordQuery(scopes: [.portfolioLog(script.portfolio)], deviceID: script.door, limit: 10_000)
        #expect(try await store.records(door).count == 4000)
        try await store.close()
        #expect(try StoreCheck.run(path: path).isWhole)
    }
}
