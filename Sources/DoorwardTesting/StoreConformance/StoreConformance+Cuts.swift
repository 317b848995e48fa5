internal import DoorwardAudit
internal import DoorwardControl
internal import DoorwardDomain

extension StoreConformance {
    /// Requirements of removals of the oldest records of a log.
    static let cutChecks: [StoreConformanceCheck] = [
        StoreConformanceCheck("A cut removes the oldest records of one log, which keeps its size and its tree") { store in
            var script = StoreScript(seed: 91)
            _ = try await store.commit(script.tenancy)
            let log = LogID.portfolio(script.portfolio)
            var bodies = (0..<20).map { _ in script.event(on: script.door) }
            let other = script.event(on: script.otherDoor)
            _ = try await store.commit(StoreTransaction(records: (bodies + [other]).map { PendingRecord($0) }))
            let (frontier, leaf) = (try await store.frontier(of: log), try await store.node(level: 0, index: 3, of: log))
            let last = script.event(on: script.door)
            bodies.append(last)
            // The record of a cut is in the same transaction.
            let places = try await store.commit(
                StoreTransaction(records: [PendingRecord(last)], cuts: [LogCut(log: log, firstSeq: 7)]))
            try require(places.map(\.seq), is: [20], "the number of the next record")
            try await requireCut(store, log, script, at: 7, of: bodies)
            try require(try await store.node(level: 0, index: 3, of: log), is: leaf, "the leaf of a removed record")
            try require(try await store.node(level: 4, index: 0, of: log) != nil, is: true, "a node over removed records")
            try require(try await store.frontier(of: log)?.size, is: (frontier?.size ?? 0) + 1, "the size of the tree")
            try require(try await store.record(other.id)?.body.id, is: other.id, "a record of another log")
            // A cut before the first record that is left changes nothing.
            _ = try await store.commit(StoreTransaction(cuts: [LogCut(log: log, firstSeq: 2)]))
            try await requireCut(store, log, script, at: 7, of: bodies)
            _ = try await store.commit(StoreTransaction(cuts: [LogCut(log: log, firstSeq: 21)]))
            try await requireCut(store, log, script, at: 21, of: bodies)
            let next = script.event(on: script.door)
            let place = try await store.commit(StoreTransaction(records: [PendingRecord(next)])).first
            try require(place?.seq, is: 21, "the number after all records were removed")
            try await requireCut(store, log, script, at: 21, of: bodies + [next])
        },
        StoreConformanceCheck("A command ends with the record of its intent, and the intent of an open command is not removed") {
            store in
            var script = StoreScript(seed: 92)
            _ = try await store.commit(script.tenancy)
            let log = LogID.portfolio(script.portfolio)
            let (ended, open) = (script.command(on: script.door), script.command(on: script.gate))
            _ = try await store.commit(script.begin(ended))
            _ = try await store.commit(script.end(script.confirmed(ended)))
            _ = try await store.commit(script.begin(open))
            try await requireRefusal(
                .inconsistent("a cut of the intent of an open command"),
                of: StoreTransaction(cuts: [LogCut(log: log, firstSeq: 3)]), by: store)
            try await requireRefusal(
                .inconsistent("a cut beyond the end of a log"), of: StoreTransaction(cuts: [LogCut(log: log, firstSeq: 4)]),
                by: store)
            try require(try await store.command(ended.id) != nil, is: true, "the command before the cut")
            _ = try await store.commit(StoreTransaction(cuts: [LogCut(log: log, firstSeq: 2)]))
            try require(try await store.command(ended.id), is: nil, "the command of a removed intent")
            let query = CommandQuery(scopes: [.portfolioLog(script.portfolio)], limit: 10)
            let found = try await store.commands(query)
            try require(found.commands.map(\.command.id), is: [open.id], "the listed commands")
            try require(found.total, is: 1, "their number")
            try require(try await store.openCommands().map(\.command.id), is: [open.id], "the open commands")
        },
        StoreConformanceCheck("A refused transaction removes nothing, and an erasure reaches the records that are left") {
            store in
            var script = StoreScript(seed: 93)
            _ = try await store.commit(script.tenancy)
            let log = LogID.portfolio(script.portfolio)
            let bodies = (0..<4).map { _ in
                var body = script.event(on: script.door)
                body.actor = script.actor
                return body
            }
            _ = try await store.commit(StoreTransaction(records: bodies.map { PendingRecord($0) }))
            let refused = StoreTransaction(
                requires: [.usesLeft(of: GuestAccessID(high: 0, low: 1), max: 0)], cuts: [LogCut(log: log, firstSeq: 2)])
            try await requireRefusal(.usesExhausted(GuestAccessID(high: 0, low: 1)), of: refused, by: store)
            try await requireCut(store, log, script, at: 0, of: bodies)
            _ = try await store.commit(
                StoreTransaction(forgets: [.user(script.user)], cuts: [LogCut(log: log, firstSeq: 2)]))
            try await requireCut(store, log, script, at: 2, of: bodies)
            try require(try await store.record(bodies[3].id)?.body.actor.name, is: nil, "the name in a record that is left")
            try require(try await store.logs(withValuesOf: script.user), is: [], "the logs with values of the person")
            try require(try await store.finishErasures(), is: true, "the end of the erasure")
        },
    ]

    /// Requires that exactly the records from `first` on are found, in every way.
    private static func requireCut(
        _ store: any GatewayStore, _ log: LogID, _ script: StoreScript, at first: Int, of bodies: [RecordBody]
    ) async throws {
        let kept = bodies.dropFirst(first)
        let range = try await store.range(of: log, from: 0, limit: 100)
        try require(range?.firstSeq, is: UInt64(first), "the first record")
        try require(range?.size, is: UInt64(bodies.count), "the size of the log")
        try require(range?.entries.map(\.seq) ?? [], is: kept.indices.map { UInt64($0) }, "the records of the range")
        for order in [RecordQuery.Order.oldestFirst, .newestFirst] {
            let query = RecordQuery(scopes: [.portfolioLog(script.portfolio)], order: order, limit: 100)
            let found = try await store.page(query).records.map(\.body.id)
            try require(found, is: order == .oldestFirst ? kept.map(\.id) : kept.reversed().map(\.id), "the page")
        }
        let whole = RecordFilter(deviceID: script.door)
        let filtered = RecordQuery(scopes: [.portfolioLog(script.portfolio)], filter: whole, order: .oldestFirst, limit: 100)
        try require(try await store.page(filtered).records.map(\.body.id), is: kept.map(\.id), "the page of a lock")
        let records = try await store.sealedRecords([0..<UInt64(bodies.count)], of: log, for: ListReader(), upTo: .max)
        try require(records.map(\.seq), is: kept.indices.map { UInt64($0) }, "the records of an export")
        for (index, body) in bodies.enumerated() {
            try require(try await store.record(body.id) != nil, is: index >= first, "record \(index)")
        }
    }
}
