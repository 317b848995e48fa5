import DoorwardControl
import DoorwardDomain
import DoorwardStore
import DoorwardTesting
import Testing

@Suite struct PagingTests {
    @Test(
        "The pages of thousands of records in several logs together equal the sorted list of all records",
        arguments: 1...3 as ClosedRange<UInt64>)
    func records(seed: UInt64) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var (script, random) = (StoreScript(seed: seed), SeededGenerator(seed: seed))
        _ = try await store.commit(script.tenancy)
        var written: [(place: RecordPosition, id: RecordID)] = []
        for _ in 0..<30 {
            let bodies = (0..<100).map { _ in
                script.now = script.now.advanced(by: .milliseconds(Int.random(in: -2...3, using: &random)))
                let device = [script.door, script.gate, script.otherDoor].randomElement(using: &random) ?? script.door
                return Bool.random(using: &random) ? script.gatewayEvent() : script.event(on: device)
            }
            let places = try await store.commit(StoreTransaction(records: bodies.map { PendingRecord($0) }))
            written += zip(places, bodies.map(\.id)).map { (place: $0, id: $1) }
        }
        let sorted = written.sorted {
            ($0.place.at, $0.place.log.description, $0.place.seq) < ($1.place.at, $1.place.log.description, $1.place.seq)
        }.map(\.id)
        let scopes: [RecordScope] = [.gatewayLog, .portfolioLog(script.portfolio), .portfolioLog(script.otherPortfolio)]
        for order in [RecordQuery.Order.oldestFirst, .newestFirst] {
            let query = RecordQuery(scopes: scopes, order: order, limit: Int.random(in: 150...400, using: &random))
            let found = try await allPages(query, of: store)
            #expect(found == (order == .oldestFirst ? sorted : sorted.reversed()))
        }
        try await store.close()
    }

    @Test(
        "The pages between two instants together equal that part of the sorted list, however unevenly the records are spaced",
        arguments: 1...3 as ClosedRange<UInt64>)
    func between(seed: UInt64) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var (script, random) = (StoreScript(seed: seed), SeededGenerator(seed: seed))
        let unit = script.fixture.unit("Unit", in: script.property)
        let devices = [script.fixture.device("Door", in: .unit(unit)), script.door, script.otherDoor]
        _ = try await store.commit(script.tenancy)
        var written: [AccessRecord] = []
        for _ in 0..<60 {
            // Many records at one instant, a steady flow, or hours between records.
            let longest = [0, 1, 1_000, 10_000_000].randomElement(using: &random) ?? 0
            let bodies = (0..<100).map { _ in
                script.now = script.now.advanced(by: .milliseconds(Int.random(in: 0...longest, using: &random)))
                return script.event(on: devices.randomElement(using: &random) ?? script.door)
            }
            let places = try await store.commit(StoreTransaction(records: bodies.map { PendingRecord($0) }))
            written += zip(places, bodies).map { AccessRecord(seq: $0.seq, body: $1) }
        }
        let sorted = written.sorted {
            ($0.body.at, $0.body.log.description, $0.seq) < ($1.body.at, $1.body.log.description, $1.seq)
        }
        let scopes: [RecordScope] = [.portfolioLog(script.portfolio), .portfolioLog(script.otherPortfolio)]
        for turn in 0..<48 {
            let instants = (0..<3).compactMap { _ in sorted.randomElement(using: &random)?.body.at }
                .map { $0.advanced(by: .milliseconds(Int.random(in: -1...1, using: &random))) }
            var query = RecordQuery(
                scopes: turn.isMultiple(of: 4) ? [.unit(unit, in: script.portfolio, from: instants[2])] : scopes,
                order: Bool.random(using: &random) ? .oldestFirst : .newestFirst, limit: Int.random(in: 60...900, using: &random))
            (query.filter.from, query.filter.until) =
                [
                    (instants[0], nil), (nil, instants[0]), (instants[..<2].min(), instants[..<2].max()),
                    (instants[0], instants[0]),
                ].randomElement(using: &random) ?? (nil, nil)
            let expected = sorted.filter { record in
                query.filter.passes(record.body)
                    && query.scopes.contains { $0.covers(record.body) }
            }.map(\.body.id)
            let found = try await allPages(query, of: store)
            let isSame = found == (query.order == .oldestFirst ? expected : expected.reversed())
            #expect(isSame, "turn \(turn): \(found.count) instead of \(expected.count)")
        }
        try await store.close()
    }

    /// Returns the records of a list, read page by page.
    private func allPages(_ query: RecordQuery, of store: SQLiteStore) async throws -> [RecordID] {
        var (query, found) = (query, [RecordID]())
        while true {
            let page = try await store.records(query)
            found += page.map(\.body.id)
            guard let last = page.last else { return found }
            query.after = RecordPosition(log: last.body.log, seq: last.seq, at: last.body.at)
        }
    }

    @Test(
        "Filtered pages over many units, one of which has most of the records, contain every match once and in order",
        arguments: 1...2 as ClosedRange<UInt64>, [6, 80])
    func filtered(seed: UInt64, units: Int) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var (script, random) = (StoreScript(seed: seed), SeededGenerator(seed: seed))
        var scopes: [RecordScope] = []
        var devices = [script.door]
        for index in 0..<units {
            let unit = script.fixture.unit("Unit \(index)", in: script.property)
            scopes.append(.unit(unit, in: script.portfolio))
            devices.append(script.fixture.device("Door \(index)", in: .unit(unit)))
        }
        _ = try await store.commit(script.tenancy)
        var written: [RecordID] = []
        for _ in 0..<400 {
            script.now = script.now.advanced(by: .milliseconds(Int.random(in: 0...1, using: &random)))
            let isOther = Int.random(in: 0..<10, using: &random) == 0
            let device = isOther ? devices.randomElement(using: &random) ?? script.door : devices[1]
            if Bool.random(using: &random) {
                _ = try await store.commit(script.begin(script.command(on: device)))
            } else {
                let body = script.event(on: device)
                _ = try await store.commit(StoreTransaction(records: [PendingRecord(body)]))
                if device != script.door { written.append(body.id) }
            }
        }
        for (order, limit) in [(RecordQuery.Order.oldestFirst, 40), (.newestFirst, 40), (.oldestFirst, 90), (.newestFirst, 90)] {
            var query = RecordQuery(scopes: scopes, order: order, limit: limit)
            query.filter.kind = .deviceEvent
            let found = try await allPages(query, of: store)
            #expect(found == (order == .oldestFirst ? written : written.reversed()))
        }
        try await store.close()
    }

    @Test(
        "Any page of commands in many overlapping scopes equals that part of the sorted list",
        arguments: 1...2 as ClosedRange<UInt64>)
    func commands(seed: UInt64) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var (script, random) = (StoreScript(seed: seed), SeededGenerator(seed: seed))
        var devices = [script.door]
        var scopes: [RecordScope] = [.property(script.property, in: script.portfolio)]
        for index in 0..<24 {
            let unit = script.fixture.unit("Unit \(index)", in: script.property)
            scopes.append(.unit(unit, in: script.portfolio))
            devices.append(script.fixture.device("Door \(index)", in: .unit(unit)))
        }
        _ = try await store.commit(script.tenancy)
        var written: [Command] = []
        for _ in 0..<20 {
            var transaction = StoreTransaction()
            for _ in 0..<50 {
                script.now = script.now.advanced(by: .milliseconds(Int.random(in: 0...1, using: &random)))
                // The first device has more commands than are read at once; the last has none.
                let device = Bool.random(using: &random) ? devices[0] : devices.dropLast().randomElement(using: &random)
                let command = script.command(on: device ?? script.door)
                let begin = script.begin(command)
                transaction.append(begin)
                written.append(command)
            }
            _ = try await store.commit(transaction)
        }
        let sorted = written.reversed()
        let pages = [(0, 1), (0, 40), (999, 5), (1000, 5), (990, 50), (0, .max), (.max, .max), (-3, 2), (5, 0), (2, -1)]
        let others = (0..<20).map { _ in (Int.random(in: 0..<1000, using: &random), Int.random(in: 1...60, using: &random)) }
        for (offset, limit) in pages + others {
            let page = try await store.commands(CommandQuery(scopes: scopes, offset: offset, limit: limit))
            let expected = sorted.dropFirst(max(0, offset)).prefix(max(0, limit))
            #expect(page.commands.map(\.command) == Array(expected), "offset \(offset), limit \(limit)")
            #expect(page.total == 1000)
        }
        try await store.close()
    }
}
