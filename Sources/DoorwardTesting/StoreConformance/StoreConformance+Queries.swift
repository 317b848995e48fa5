internal import DoorwardAdapterTesting
internal import DoorwardControl
internal import DoorwardDomain

extension StoreConformance {
    /// The requirements for record lists.
    package static let queryChecks: [StoreConformanceCheck] = [
        .init("Record pages by scope and device, in both orders, equal a sort in memory", seed: 51) { store, script in
            let records = try await writeRecords(90, &script, to: store)
            for query in deviceQueries(script, records) {
                let expected = sorted(records, by: query)
                try require(try await pages(query, of: store), is: expected, "the pages of \(query)")
            }
        },
        .init("Record pages by one or several filters, in both orders, equal a filter in memory", seed: 54) { store, script in
            let records = try await writeRecords(120, &script, to: store)
            var found = 0
            for query in filterQueries(script, records) {
                let expected = sorted(records, by: query)
                try require(try await pages(query, of: store), is: expected, "the pages of \(query)")
                found += expected.count
            }
            try require(found > 1000, "the filters match enough records")
        },
        .init("Counts by bucket, by each field and filter equal counts in memory", seed: 57) { store, script in
            let records = try await writeRecords(120, &script, to: store)
            var found = 0
            for query in filterQueries(script, records) where query.order == .oldestFirst {
                for grouping in RecordCountQuery.Grouping.allCases {
                    for limits in countLimits(records) {
                        let counted = RecordCountQuery(scopes: query.scopes, filter: query.filter, limits: limits, by: grouping)
                        let expected = counts(sorted(records, by: query), counted)
                        try require(try await allCounts(counted, of: store), is: expected, "the counts of \(counted)")
                        found += expected.reduce(0) { $0 + $1.values.reduce(0, +) }
                    }
                }
            }
            try require(found > 1000, "the queries count enough records")
        },
        .init("A record is found by its id within the scopes that cover it, and within no other", seed: 58) { store, script in
            let records = try await writeRecords(40, &script, to: store)
            for scopes in script.scopes(from: middle(of: records)) {
                for record in records {
                    let isCovered = scopes.contains { $0.covers(record.body) }
                    try require(
                        try await store.record(record.body.id, within: scopes), is: isCovered ? record : nil,
                        "record \(record.seq) within \(scopes)")
                }
                for id in [RecordID(high: 0, low: 0), RecordID(high: .max, low: .max)] {
                    try require(try await store.record(id, within: scopes), is: nil, "a record that does not exist")
                }
            }
        },
        .init("A position in a single log is determined by its number, whatever its time", seed: 59) { store, script in
            _ = try await writeRecords(40, &script, to: store)
            let all = try await store.records(
                RecordQuery(scopes: [.portfolioLog(script.portfolio)], order: .oldestFirst, limit: 100))
            for (seq, time) in [(0, .min), (3, .max), (UInt64(all.count) - 1, .min)] as [(UInt64, Int64)] {
                for order in [RecordQuery.Order.oldestFirst, .newestFirst] {
                    var query = RecordQuery(scopes: [.portfolioLog(script.portfolio)], order: order, limit: 100)
                    query.after = RecordPosition(log: script.log, seq: seq, at: Timestamp(milliseconds: time))
                    let expected =
                        order == .oldestFirst ? all.filter { $0.seq > seq } : all.reversed().filter { $0.seq < seq }
                    try require(try await store.records(query), is: expected, "the records after \(seq), \(order)")
                }
            }
        },
        .init("A page continues after its cursor even if records were appended meanwhile", seed: 52) { store, script in
            let before = try await writeRecords(40, &script, to: store)
            let scopes: [RecordScope] = [.portfolioLog(script.portfolio), .portfolioLog(script.otherPortfolio), .gatewayLog]
            var query = RecordQuery(scopes: scopes, order: .newestFirst, limit: 15)
            let expected = sorted(before, by: query)
            let first = try await store.records(query)
            _ = try await writeRecords(20, &script, to: store)
            query.after = first.last?.position
            try require(
                first + (try await store.records(query)), is: Array(expected.prefix(30)), "two pages, with records in between")
            var ascending = RecordQuery(scopes: scopes, order: .oldestFirst, limit: 1000)
            ascending.after = sorted(before, by: ascending).last?.position
            try require(try await store.records(ascending).count, is: 20, "the records appended since")
        },
        .init("Records in the gateway's log are in no scope of a portfolio, property or unit", seed: 53) { store, script in
            try await store.write([script.event(on: script.door, log: .gateway)])
            for device in [nil, script.door] {
                let query = RecordQuery(scopes: script.places + [.portfolioLog(script.portfolio)], deviceID: device, limit: 10)
                try require(try await store.records(query), is: [], "the records of these scopes")
            }
            let own = RecordQuery(scopes: [.gatewayLog], deviceID: script.door, limit: 10)
            try require(try await store.records(own).count, is: 1, "the gateway's records")
        },
        .init("A property's scope excludes records in another portfolio's log that name the property", seed: 54) {
            store, script in
            let foreign = script.event(on: script.door, log: .portfolio(script.otherPortfolio))
            try await store.write([foreign])
            let filters = [
                RecordFilter(), RecordFilter(deviceID: script.door), RecordFilter(unitID: script.unit),
                RecordFilter(propertyID: script.property), RecordFilter(kind: .deviceEvent), RecordFilter(log: foreign.log),
            ]
            for filter in filters {
                let query = RecordQuery(scopes: script.places, filter: filter, limit: 10)
                try require(try await store.records(query), is: [], "the property's records by \(filter)")
            }
            let own = RecordQuery(scopes: [.portfolioLog(script.otherPortfolio)], limit: 10)
            try require(try await store.records(own).count, is: 1, "the records of the log")
        },
    ]

    /// Writes records in all scopes. Several records have the same time, and some are written after the clock was set back.
    private static func writeRecords(
        _ count: Int, _ script: inout StoreScript, to store: any GatewayStore
    ) async throws -> [AccessRecord] {
        var random = SeededGenerator(seed: 50)
        var records: [AccessRecord] = []
        for _ in 0..<count {
            script.now = script.now.advanced(by: .milliseconds(Int.random(in: -1...2, using: &random)))
            let device = [script.door, script.gate, script.otherDoor].randomElement(using: &random) ?? script.door
            let log: LogID? = Int.random(in: 0..<4, using: &random) == 0 ? .gateway : nil
            var body = script.event(on: device, log: log)
            decide(&body, Int.random(in: 0..<4, using: &random), script)
            try await store.write([body])
            guard let record = try await store.record(body.id) else { throw ConformanceFailure("a written record is missing") }
            records.append(record)
            // After 30 records, remove the door from its unit. Earlier records keep the unit.
            if records.count.isMultiple(of: 30) { script.fixture.change(script.door) { $0.unitID = nil } }
        }
        return records
    }

    /// Changes the report of a lock depending on `choice`: into an allowed decision (1), a denial
    /// or a command outcome (2), or a denial of an unknown caller (3). Leaves it unchanged for 0.
    private static func decide(_ body: inout RecordBody, _ choice: Int, _ script: StoreScript) {
        guard choice > 0 else { return }
        body.kind = .denial
        (body.operation, body.event, body.method) = (.unlock, nil, nil)
        (body.decision, body.reason) = choice == 1 ? (.allowed, nil) : (.denied, .noAssociation)
        body.actor = choice == 3 ? .outside : script.actor
        // A command outcome has no decision.
        guard choice == 2, body.log != .gateway else { return }
        (body.kind, body.operation, body.decision, body.reason) = (.commandOutcome, .lock, nil, nil)
        body.outcome = body.at.milliseconds.isMultiple(of: 3) ? .failed : .confirmed
    }

    private static func filterQueries(_ script: StoreScript, _ records: [AccessRecord]) -> [RecordQuery] {
        let instants = records.map(\.body.at).sorted()
        let (early, late) = (instants[instants.count / 4], instants[instants.count * 3 / 4])
        let filters = [
            RecordFilter(actorUserID: script.user), RecordFilter(decision: .denied), RecordFilter(decision: .allowed),
            RecordFilter(from: early), RecordFilter(until: late), RecordFilter(from: early, until: late),
            RecordFilter(from: late, until: early), RecordFilter(unitID: script.unit),
            RecordFilter(propertyID: script.otherProperty), RecordFilter(log: .gateway),
            RecordFilter(log: script.log),
            RecordFilter(deviceID: script.door, actorUserID: script.user, decision: .denied, from: early),
            RecordFilter(propertyID: script.property, decision: .allowed, until: late),
            RecordFilter(unitID: script.unit, log: script.log, decision: .denied, from: early, until: late),
            RecordFilter(kind: .denial), RecordFilter(kind: .deviceEvent), RecordFilter(kind: .adminChange),
            RecordFilter(operation: .lock), RecordFilter(operation: .unlock, decision: .denied),
            RecordFilter(reason: .noAssociation), RecordFilter(reason: .userDisabled), RecordFilter(outcome: .failed),
            RecordFilter(outcome: .confirmed), RecordFilter(propertyID: script.property, outcome: .failed, from: early),
            RecordFilter(unitID: script.unit, kind: .denial, operation: .unlock, reason: .noAssociation),
            RecordFilter(actorUserID: script.user, kind: .commandOutcome, outcome: .confirmed, until: late),
            RecordFilter(deviceID: script.door, kind: .denial, decision: .allowed),
            RecordFilter(actorUserID: UserID(high: 1, low: 2)), RecordFilter(deviceID: script.gate, unitID: script.unit),
        ]
        return queries(script.scopes(from: middle(of: records)).suffix(5), filters)
    }

    /// The instant of the record in the middle.
    private static func middle(of records: [AccessRecord]) -> Timestamp { records.map(\.body.at).sorted()[records.count / 2] }

    private static func deviceQueries(_ script: StoreScript, _ records: [AccessRecord]) -> [RecordQuery] {
        let filters = [nil, script.door, script.otherDoor].map { RecordFilter(deviceID: $0) }
        return queries(script.scopes(from: middle(of: records)), filters)
    }

    private static func queries(_ scopes: some Sequence<[RecordScope]>, _ filters: [RecordFilter]) -> [RecordQuery] {
        scopes.flatMap { scope in
            filters.flatMap { filter in
                [RecordQuery.Order.newestFirst, .oldestFirst].map {
                    RecordQuery(scopes: scope, filter: filter, order: $0, limit: 7)
                }
            }
        }
    }

    private static func pages(_ query: RecordQuery, of store: any GatewayStore) async throws -> [AccessRecord] {
        var query = query
        var records: [AccessRecord] = []
        while true {
            let page = try await store.page(query)
            try require(page.records.count <= query.limit, "a page has at most as many records as requested")
            records += page.records
            guard let next = page.next else { return records }
            try require(next != query.after, "the cursor advances")
            query.after = next
        }
    }

    /// Limits of one bucket, of several of different lengths, and of some that contain no record.
    private static func countLimits(_ records: [AccessRecord]) -> [[Timestamp]] {
        let instants = Set(records.map(\.body.at)).sorted()
        let (first, last) = (instants[0], instants[instants.count - 1])
        return [
            [first, last.advanced(by: .milliseconds(1))], [first, last],
            [first.advanced(by: .seconds(-5)), first, instants[3], instants[4], last, last.advanced(by: .seconds(9))],
            [last.advanced(by: .seconds(1)), last.advanced(by: .seconds(2))], [first],
        ]
    }

    /// Counts by the definition.
    private static func counts(_ records: [AccessRecord], _ query: RecordCountQuery) -> [[String: Int]] {
        zip(query.limits, query.limits.dropFirst()).map { from, until in
            let bodies = records.map(\.body).filter { from <= $0.at && $0.at < until }
            return bodies.compactMap { $0.value(of: query.grouping) }.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }

    private static func allCounts(_ query: RecordCountQuery, of store: any GatewayStore) async throws -> [[String: Int]] {
        var (query, counts) = (query, RecordCounts(limits: query.limits))
        repeat {
            let part = try await store.counts(query)
            counts.add(part)
            try require(part.next == nil || part.next != query.after, "counting advances")
            query.after = part.next
        } while query.after != nil
        return counts.buckets
    }

    private static func sorted(_ records: [AccessRecord], by query: RecordQuery) -> [AccessRecord] {
        let visible = records.filter { record in
            query.filter.passes(record.body) && query.scopes.contains { $0.covers(record.body) }
        }
        let ascending = visible.sorted {
            ($0.body.at, $0.body.log.description, $0.seq) < ($1.body.at, $1.body.log.description, $1.seq)
        }
        return query.order == .oldestFirst ? ascending : ascending.reversed()
    }
}
