internal import DoorwardControl
internal import DoorwardDomain

extension StoreConformance {
    static let queryPromises: [StorePromise] = [
        StorePromise("Records are listed by scope and device, by pages in both orders, as one sort in memory lists them") {
            store in
            var script = StoreScript(seed: 51)
            _ = try await store.commit(script.tenancy)
            let records = try await writeRecords(90, &script, to: store)
            for query in queries(script) {
                let expected = sorted(records, by: query)
                try require(try await pages(query, of: store), is: expected, "the pages of \(query)")
            }
        },
        StorePromise("A cursor stays where it is while records are appended") { store in
            var script = StoreScript(seed: 52)
            _ = try await store.commit(script.tenancy)
            let before = try await writeRecords(40, &script, to: store)
            let scopes: [RecordScope] = [.portfolioLog(script.portfolio), .portfolioLog(script.otherPortfolio), .gatewayLog]
            var query = RecordQuery(scopes: scopes, order: .newestFirst, limit: 15)
            let expected = sorted(before, by: query)
            let first = try await store.records(query)
            _ = try await writeRecords(20, &script, to: store)
            query.after = first.last.map(place)
            try require(
                first + (try await store.records(query)), is: Array(expected.prefix(30)), "two pages with writing between")
            var ascending = RecordQuery(scopes: scopes, order: .oldestFirst, limit: 1000)
            ascending.after = sorted(before, by: ascending).last.map(place)
            try require(try await store.records(ascending).count, is: 20, "the records after the last that was there")
        },
        StorePromise("The gateway's log is in no property's scope, whatever its records speak of") { store in
            var script = StoreScript(seed: 53)
            _ = try await store.commit(script.tenancy)
            _ = try await store.commit(StoreTransaction(records: [PendingRecord(script.event(on: script.door, log: .gateway))]))
            let scopes: [RecordScope] = [.property(script.property), .unit(script.unit), .portfolioLog(script.portfolio)]
            for device in [nil, script.door] {
                let query = RecordQuery(scopes: scopes, deviceID: device, limit: 10)
                try require(try await store.records(query), is: [], "the tenants' records")
            }
            let own = RecordQuery(scopes: [.gatewayLog], deviceID: script.door, limit: 10)
            try require(try await store.records(own).count, is: 1, "the gateway's records")
        },
    ]

    /// Records of all kinds of place, several at one instant and some with a clock that goes back.
    private static func writeRecords(
        _ count: Int, _ script: inout StoreScript, to store: any GatewayStore
    ) async throws -> [AccessRecord] {
        var random = SeededGenerator(seed: 50)
        var records: [AccessRecord] = []
        for _ in 0..<count {
            script.now = script.now.advanced(by: .milliseconds(Int.random(in: -1...2, using: &random)))
            let device = [script.door, script.gate, script.otherDoor].randomElement(using: &random) ?? script.door
            let log: LogID? = Int.random(in: 0..<4, using: &random) == 0 ? .gateway : nil
            let body = script.event(on: device, log: log)
            _ = try await store.commit(StoreTransaction(records: [PendingRecord(body)]))
            guard let record = try await store.record(body.id) else {
                throw BrokenPromise("a record that was written is missing")
            }
            records.append(record)
            // The door moves now and then: its records lie where it hung when they were written.
            if records.count.isMultiple(of: 30) { script.world.change(script.door) { $0.unitID = nil } }
        }
        return records
    }

    private static func queries(_ script: StoreScript) -> [RecordQuery] {
        let scopes: [[RecordScope]] = [
            [], [.gatewayLog], [.portfolioLog(script.portfolio)], [.property(script.property)], [.unit(script.unit)],
            [.unit(script.unit), .property(script.property), .portfolioLog(script.portfolio)],
            [.gatewayLog, .property(script.otherProperty), .unit(script.unit)],
        ]
        var queries: [RecordQuery] = []
        for scope in scopes {
            for device in [nil, script.door, script.otherDoor] {
                for order in [RecordQuery.Order.newestFirst, .oldestFirst] {
                    queries.append(RecordQuery(scopes: scope, deviceID: device, order: order, limit: 7))
                }
            }
        }
        return queries
    }

    private static func pages(_ query: RecordQuery, of store: any GatewayStore) async throws -> [AccessRecord] {
        var query = query
        var records: [AccessRecord] = []
        while true {
            let page = try await store.records(query)
            records += page
            guard let last = page.last, page.count == query.limit else { return records }
            query.after = place(last)
        }
    }

    private static func place(_ record: AccessRecord) -> RecordPlace {
        RecordPlace(log: record.body.log, seq: record.seq, at: record.body.at)
    }

    private static func sorted(_ records: [AccessRecord], by query: RecordQuery) -> [AccessRecord] {
        let visible = records.filter { record in
            (query.deviceID == nil || record.body.device?.deviceID == query.deviceID)
                && query.scopes.contains { covers($0, record.body) }
        }
        let ascending = visible.sorted {
            ($0.body.at, $0.body.log.description, $0.seq) < ($1.body.at, $1.body.log.description, $1.seq)
        }
        return query.order == .oldestFirst ? ascending : ascending.reversed()
    }

    private static func covers(_ scope: RecordScope, _ body: RecordBody) -> Bool {
        switch scope {
        case .gatewayLog: body.log == .gateway
        case .portfolioLog(let id): body.log == .portfolio(id)
        case .property(let id): body.log != .gateway && body.propertyID == id
        case .unit(let id): body.log != .gateway && body.unitID == id
        }
    }
}
