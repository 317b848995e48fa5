import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardStore
import DoorwardTesting
import Testing

/// Lists that are read page by page during writes.
@Suite struct LivePagingTests {
    @Test(
        "A list read page by page during writes has every earlier record once and in order, and none of another portfolio",
        arguments: [RecordQuery.Order.newestFirst, .oldestFirst], 1...3 as ClosedRange<UInt64>)
    func walk(order: RecordQuery.Order, seed: UInt64) async throws {
        let database = try TemporaryDatabase()
        var limits = TemporaryDatabase.limits
        limits.pagesPerCheckpoint = 50
        let store = try database.open(limits: limits)
        let script = StoreScript(seed: seed)
        _ = try await store.commit(script.tenancy)
        let writer = Writer(script: script, seed: seed)
        try await writer.write(150, to: store)
        let before = await writer.written
        let scopes: [RecordScope] = [.gatewayLog, .portfolioLog(script.portfolio), .unit(script.unit, in: script.portfolio)]
        async let writing: Void = writer.write(200, to: store)
        var query = RecordQuery(scopes: scopes, order: order, limit: 7)
        var found: [AccessRecord] = []
        while true {
            let page = try await store.records(query)
            found += page
            guard let last = page.last else { break }
            query.after = place(last)
        }
        try await writing
        // One more page reads the records that were written after the last page.
        if order == .oldestFirst {
            query.limit = 1000
            found += try await store.records(query)
        }
        let visible = { (record: AccessRecord) in record.body.log != .portfolio(script.otherPortfolio) }
        let all = await writer.written.filter(visible).sorted(by: precedes)
        if order == .oldestFirst {
            #expect(found.map(\.body.id) == all.map(\.body.id))
        } else {
            let first = try #require(found.first)
            #expect(found.map(\.body.id) == all.prefix { !precedes(first, $0) }.reversed().map(\.body.id))
            #expect(Set(found).isSuperset(of: before.filter(visible)))
        }
        try await store.close()
    }

    @Test(
        "Pages of commands shift when commands begin meanwhile, and miss no earlier command",
        arguments: 1...2 as ClosedRange<UInt64>)
    func commands(seed: UInt64) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: seed)
        _ = try await store.commit(script.tenancy)
        var newest: [Command] = []
        func begin() async throws {
            script.now = script.now.advanced(by: .milliseconds(1))
            let command = script.command(on: script.door)
            _ = try await store.commit(script.begin(command))
            newest.insert(command, at: 0)
        }
        for _ in 0..<30 { try await begin() }
        var seen: Set<CommandID> = []
        var offset = 0
        while true {
            let page = try await store.commands(
                CommandQuery(
                    scopes: [.unit(script.unit, in: script.portfolio), .property(script.property, in: script.portfolio)],
                    actorUserID: script.user, offset: offset, limit: 6))
            #expect(page.total == newest.count)
            #expect(page.commands.map(\.command) == Array(newest.dropFirst(offset).prefix(6)))
            seen.formUnion(page.commands.map(\.command.id))
            offset += page.commands.count
            if page.commands.isEmpty { break }
            if newest.count < 40 { try await begin() }
        }
        #expect(seen.isSuperset(of: newest.suffix(30).map(\.id)))
        try await store.close()
    }

    @Test(
        "A cursor at the earliest or latest instant, or in a missing log, is a valid position", arguments: [1, 2, 1000, .max])
    func edges(limit: Int) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 4)
        _ = try await store.commit(script.tenancy)
        let bodies = [script.event(on: script.door), script.gatewayEvent(), script.event(on: script.otherDoor)]
        _ = try await store.commit(StoreTransaction(records: bodies.map { PendingRecord($0) }))
        let logs: [LogID] = [
            .gateway, .portfolio(script.portfolio), .portfolio(PortfolioID(high: 0, low: 0)),
            .portfolio(PortfolioID(high: .max, low: .max)),
        ]
        let scopes: [RecordScope] = [.gatewayLog, .portfolioLog(script.portfolio), .portfolioLog(script.otherPortfolio)]
        for log in logs {
            for seq in [0, 3, UInt64.max] {
                for (at, isBefore) in [(Int64.min, true), (.max, false)] {
                    for order in [RecordQuery.Order.oldestFirst, .newestFirst] {
                        // In a log of the list, the cursor's number decides and its instant is ignored.
                        let isOfLog = [.gateway, .portfolio(script.portfolio)].contains(log)
                        let after = RecordPosition(log: log, seq: seq, at: Timestamp(milliseconds: at))
                        let query = RecordQuery(scopes: scopes, order: order, after: after, limit: limit)
                        let expected = (isBefore == (order == .oldestFirst)) ? bodies.count : 0
                        let found = try await store.records(query).count
                        #expect(isOfLog ? (0...3).contains(found) : found == min(limit, expected), "\(after), \(order)")
                    }
                }
            }
        }
        for scope in scopes { #expect(try await store.records(RecordQuery(scopes: [scope], limit: limit)).count == 1) }
        try await store.close()
    }

    @Test("A query with nothing to return, or with contradictory conditions, returns no records")
    func empty() async throws {
        let sample = try await CheckedSample(seed: 5, isClosed: false)
        let (store, script) = (try #require(sample.holder), sample.script)
        let logs: [RecordScope] = [.gatewayLog, .portfolioLog(script.portfolio), .portfolioLog(script.otherPortfolio)]
        let now = script.now
        let queries = [
            RecordQuery(scopes: [], limit: 9), RecordQuery(scopes: logs, limit: 0), RecordQuery(scopes: logs, limit: -1),
            RecordQuery(scopes: logs, filter: RecordFilter(from: now, until: now), limit: 9),
            RecordQuery(scopes: logs, filter: RecordFilter(from: Timestamp(milliseconds: .max)), limit: 9),
            RecordQuery(scopes: logs, filter: RecordFilter(until: Timestamp(milliseconds: .min)), limit: 9),
            RecordQuery(scopes: [logs[1]], filter: RecordFilter(log: .gateway), limit: 9),
            RecordQuery(scopes: [logs[1]], filter: RecordFilter(propertyID: script.otherProperty), limit: 9),
            RecordQuery(
                scopes: [.unit(script.unit, in: script.portfolio)], filter: RecordFilter(deviceID: script.gate), limit: 9),
            RecordQuery(
                scopes: [.property(script.property.cast(), in: script.portfolio)],
                filter: RecordFilter(deviceID: script.otherDoor), limit: 9),
            RecordQuery(
                scopes: [
                    .unit(script.property.cast(), in: script.portfolio), .property(script.unit.cast(), in: script.portfolio),
                ], limit: 9),
            RecordQuery(scopes: [.portfolioLog(script.property.cast())], limit: 9),
        ]
        for query in queries { #expect(try await store.records(query).isEmpty, "\(query)") }
        #expect(try await store.records(RecordQuery(scopes: logs, limit: 9)).count == 9)
        try await store.close()
    }

    private func place(_ record: AccessRecord) -> RecordPosition {
        RecordPosition(log: record.body.log, seq: record.seq, at: record.body.at)
    }

    private func precedes(_ a: AccessRecord, _ b: AccessRecord) -> Bool {
        (a.body.at, a.body.log.description, a.seq) < (b.body.at, b.body.log.description, b.seq)
    }
}

/// Writes records into all logs, one after the other, each at a different instant.
private actor Writer {
    private var script: StoreScript
    private var random: SeededGenerator
    private(set) var written: [AccessRecord] = []

    init(script: StoreScript, seed: UInt64) { (self.script, random) = (script, SeededGenerator(seed: seed)) }

    func write(_ count: Int, to store: SQLiteStore) async throws {
        for _ in 0..<count {
            script.now = script.now.advanced(by: .milliseconds(1))
            let device = [script.door, script.gate, script.otherDoor].randomElement(using: &random) ?? script.door
            let body = Bool.random(using: &random) ? script.gatewayEvent() : script.event(on: device)
            for place in try await store.commit(StoreTransaction(records: [PendingRecord(body)])) {
                written.append(AccessRecord(seq: place.seq, body: body))
            }
        }
    }
}
