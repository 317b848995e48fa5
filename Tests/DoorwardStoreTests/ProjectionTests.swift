import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import GRDB
import Testing

@testable import DoorwardStore

/// Tests of lists while none, some or all of the log's entries are missing from the projections.
@Suite struct ProjectionTests {
    private static func limits(_ entries: Int) -> StoreLimits {
        var limits = StoreLimits()
        limits.entriesPerProjection = entries
        return limits
    }

    @Test(
        "However far the projections trail, all queries agree with a model, both before closing and after a crash",
        arguments: [1, 2, 3, 13, 80, 1024], 21...22 as ClosedRange<UInt64>)
    func anyDistance(entries: Int, seed: UInt64) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open(limits: Self.limits(entries))
        let model = InMemoryStore(suspensions: 0)
        var draw = RandomTransactions(seed: seed, now: database.clock.now())
        for step in 0..<90 {
            let transaction = step == 0 ? draw.tenancy : draw.next()
            let expected = await Result { () async throws(StoreError) in try await model.commit(transaction) }
            let found = await Result { () async throws(StoreError) in try await store.commit(transaction) }
            #expect(found == expected)
            guard step % 30 == 29 else { continue }
            try await ModelComparison(draw).expectSame(store, model)
            // Open the files in the state in which a process killed at this moment would leave them, with another limit.
            let path = try database.copyFiles(to: "killed-\(step).db")
            #expect(try StoreCheck.run(path: path).isWhole)
            let next = try database.open(limits: Self.limits(entries == 13 ? 1024 : 13), path: path)
            try await ModelComparison(draw).expectSame(next, model)
            try await next.close()
            #expect(try StoreCheck.run(path: path).isWhole)
        }
        let behind = try database.count("SELECT coalesce(sum(size - projected), 0) FROM logs")
        #expect(behind < entries, "no more entries trail than allowed")
        #expect(entries == 1 || entries < 80 || behind > 0, "no entry trails, so the test has checked nothing")
        try await store.close()
        #expect(try database.count("SELECT coalesce(sum(size - projected), 0) FROM logs") == 0)
    }

    @Test(
        "A time range selects exactly the records within it, however far the time marks trail",
        arguments: [1, 100, 10_000], 31...33 as ClosedRange<UInt64>)
    func spans(entries: Int, seed: UInt64) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open(limits: Self.limits(entries))
        var (script, random) = (StoreScript(seed: seed), SeededGenerator(seed: seed))
        _ = try await store.commit(script.tenancy)
        var times: [Timestamp] = []
        for _ in 0..<30 {
            let bodies = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                // Many records have the same instant; sometimes there is a longer pause.
                let pause = [0, 0, 0, 1, 2, 500].randomElement(using: &random) ?? 0
                script.now = script.now.advanced(by: .milliseconds(pause))
                times.append(script.now)
                return script.event(on: script.door)
            }
            _ = try await store.commit(StoreTransaction(records: bodies.map { PendingRecord($0) }))
        }
        let (first, last) = (try #require(times.first), try #require(times.last))
        let outside = [first.advanced(by: .seconds(-1)), last.advanced(by: .seconds(1))]
        for _ in 0..<20 {
            let bounds = (0..<2).map { _ -> Timestamp? in
                let time = (times + outside).randomElement(using: &random)
                return time?.advanced(by: .milliseconds(Int.random(in: -1...1, using: &random)))
            }
            let from = Bool.random(using: &random) ? bounds[0] : nil
            let until = Bool.random(using: &random) ? bounds[1] : nil
            let expected = times.indices.filter { index in
                (from.map { $0 <= times[index] } ?? true) && (until.map { times[index] < $0 } ?? true)
            }
            for filter in [RecordFilter(from: from, until: until), RecordFilter(deviceID: script.door, from: from, until: until)]
            {
                let query = RecordQuery(
                    scopes: [.portfolioLog(script.portfolio)], filter: filter, order: .oldestFirst, limit: 5000)
                let found = try await store.records(query)
                #expect(found.map { Int($0.seq) } == expected, "\(String(describing: from)) to \(String(describing: until))")
            }
        }
        try await store.close()
    }

    @Test("A further intent does not list its command twice, whether or not it is projected", arguments: [1, 1000])
    func furtherIntent(entries: Int) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open(limits: Self.limits(entries))
        var script = StoreScript(seed: 41)
        _ = try await store.commit(script.tenancy)
        var command = script.command(on: script.door)
        _ = try await store.commit(script.begin(command))
        command.rule = .superAdmin
        let further = StoreTransaction(commands: [.update(command)], records: [PendingRecord(script.intent(of: command))])
        _ = try await store.commit(further)
        let other = script.command(on: script.otherDoor)
        _ = try await store.commit(script.begin(other))
        let scopes: [[RecordScope]] = [
            [.portfolioLog(script.portfolio)], [.unit(script.unit, in: script.portfolio)],
            [.property(script.property, in: script.portfolio), .unit(script.unit, in: script.portfolio)],
        ]
        for scopes in scopes {
            for device in [nil, script.door] {
                let found = try await store.commands(CommandQuery(scopes: scopes, deviceID: device, limit: 9))
                #expect(found.commands.map(\.command.id) == [command.id] && found.total == 1)
            }
        }
        let own = try await store.commands(CommandQuery(scopes: [], actorUserID: script.user, limit: 9))
        #expect(Set(own.commands.map(\.command.id)) == [command.id, other.id] && own.total == 2)
        try await store.close()
        #expect(try StoreCheck.run(path: database.path).isWhole)
    }
}
