import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import GRDB
import GRDBSQLite
import Testing

@testable import DoorwardStore

/// The cost of a page of a list, in steps of SQLite's virtual machine.
@Suite struct ListCostTests {
    @Test(
        "With a filter that matches nothing, a page costs the same in a large log as in a small one, in every scope",
        arguments: [RecordQuery.Order.newestFirst, .oldestFirst])
    func boundedRows(order: RecordQuery.Order) async throws {
        let logs = [try await EventLog(records: 1000), try await EventLog(records: 4000)]
        let nothing = [
            RecordFilter(deviceID: logs[0].script.door, operation: .lock), RecordFilter(operation: .lock),
            RecordFilter(actorUserID: UserID(high: 5, low: 5)),
        ]
        for filter in nothing {
            for scope in logs[0].scopes {
                var steps: [Int] = []
                for log in logs {
                    let query = RecordQuery(scopes: [scope], filter: filter, order: order, limit: 50)
                    steps.append(
                        try log.steps { db in
                            let found = try page(query, rows: 300, in: db)
                            #expect(found.records.isEmpty)
                        })
                }
                #expect(steps[1] <= steps[0] * 6 / 5, "\(steps), \(scope), \(filter)")
            }
        }
    }

    @Test("The pages of a filter that matches one of 3,000 records contain that record, and only the last has no next page")
    func rareMatch() async throws {
        let log = try await EventLog(records: 3000, marked: [1700])
        for scope in log.scopes {
            for order in [RecordQuery.Order.newestFirst, .oldestFirst] {
                let filter = RecordFilter(operation: .lock)
                var query = RecordQuery(scopes: [scope], filter: filter, order: order, limit: 50)
                var (seqs, pages): ([UInt64], Int) = ([], 0)
                repeat {
                    let page = try log.read { try DoorwardStoreTests.page(query, rows: 300, in: $0) }
                    seqs += page.records.map(\.seq)
                    (query.after, pages) = (page.next, pages + 1)
                } while query.after != nil
                #expect(seqs == [1700])
                #expect((4...12).contains(pages), "\(pages)")
            }
        }
    }

    @Test("A page costs the same for a device, property or user of another portfolio as for one that does not exist")
    func foreignIDs() async throws {
        let log = try await EventLog(records: 1000, elsewhere: 3000)
        let script = log.script
        for scope in log.scopes {
            let (none, other): (PortfolioID, StoreScript) = (EntityID(high: 3, low: 3), script)
            let pairs = [
                (RecordFilter(deviceID: other.otherDoor), RecordFilter(deviceID: none.cast())),
                (RecordFilter(propertyID: other.otherProperty), RecordFilter(propertyID: none.cast())),
                (RecordFilter(actorUserID: log.stranger), RecordFilter(actorUserID: none.cast())),
            ]
            for (foreign, absent) in pairs {
                let steps = try [foreign, absent].map { filter in
                    try log.steps { db in
                        let page = try page(RecordQuery(scopes: [scope], filter: filter, limit: 50), rows: 300, in: db)
                        #expect(page.records.isEmpty)
                    }
                }
                // Small differences depend on where in the index a search ends.
                #expect(abs(steps[0] - steps[1]) <= 10, "\(steps), \(scope), \(foreign)")
            }
        }
    }

    @Test("A list over hundreds of units returns a full page and its next position")
    func manyScopes() async throws {
        let log = try await EventLog(records: 1000)
        let others = (0..<600).map { RecordScope.unit(UnitID(high: 7, low: UInt64($0)), in: log.script.portfolio) }
        let query = RecordQuery(scopes: [.unit(log.script.unit, in: log.script.portfolio)] + others, limit: 50)
        let page = try log.read { try DoorwardStoreTests.page(query, in: $0) }
        #expect(page.records.count == 50)
        #expect(page.next == page.records.last?.position)
    }

    @Test("A user with 1,500 units finds commands by device and a command by id")
    func manyUnits() async throws {
        let sample = try await CommandLog(commands: 5)
        let script = sample.script
        let others = (0..<1500).map { RecordScope.unit(UnitID(high: 7, low: UInt64($0)), in: script.portfolio) }
        let scopes = others + [RecordScope.unit(script.unit, in: script.portfolio)]
        let query = CommandQuery(scopes: scopes, deviceID: script.door, limit: 5)
        let found = try sample.read { db in
            let reading = CommandReading(db)
            return try reading.commands(query).commands
        }
        #expect(found.count == 5)
        let id = try #require(found.first?.command.id)
        let one = try sample.read { db in
            let reading = CommandReading(db)
            return try reading.command(id, within: query)
        }
        #expect(one?.command.id == id)
    }

    @Test("The total of a list of commands costs the same for many commands as for few, but for a unit grows with its commands")
    func totals() async throws {
        let samples = [try await CommandLog(commands: 50), try await CommandLog(commands: 1000)]
        let script = samples[0].script
        for device in [nil, script.door] {
            for scope in [
                RecordScope.portfolioLog(script.portfolio), .property(script.property, in: script.portfolio),
                .unit(script.unit, in: script.portfolio),
            ] {
                var query = CommandQuery(scopes: [scope], actorUserID: script.user, deviceID: device, limit: 0)
                let steps = try samples.map { sample in
                    try sample.steps { db in
                        let reading = CommandReading(db)
                        let total = try reading.commands(query).total
                        #expect(total == sample.count)
                    }
                }
                // The commands of a unit, which a tenant reads from the beginning of their tenancy on, are counted one by one.
                let bound = scope.from == nil ? steps[0] + 10 : 20 * samples[1].count
                #expect(steps[1] <= bound, "\(steps), \(scope)")
                query.scopes = []
                query.actorUserID = UserID(high: 6, low: 6)
                let none = try samples[1].read { db in
                    let reading = CommandReading(db)
                    return try reading.commands(query).total
                }
                #expect(none == 0)
            }
        }
    }

    @Test("Listing a user's commands at one door costs the same if the user sent many commands to another door")
    func commandsOfOneDevice() async throws {
        let samples = [try await CommandLog(commands: 5), try await CommandLog(commands: 5, atGate: 1000)]
        let script = samples[0].script
        let query = CommandQuery(
            scopes: [.portfolioLog(script.portfolio)], actorUserID: script.user, deviceID: script.door, limit: 5)
        let steps = try samples.map { sample in
            try sample.steps { db in
                let reading = CommandReading(db)
                let found = try reading.commands(query).commands
                #expect(found.count == 5)
            }
        }
        #expect(steps[1] <= steps[0] + 100, "\(steps)")
    }

    @Test("A page of commands beyond the maximum offset is rejected; a page past the end is empty")
    func deepPage() async throws {
        let database = try TemporaryDatabase()
        var limits = StoreLimits()
        limits.commandsPassedOver = 10
        let store = try database.open(limits: limits)
        var script = StoreScript(seed: 6)
        _ = try await store.commit(script.tenancy)
        for _ in 0..<20 { _ = try await store.commit(script.begin(script.command(on: script.door))) }
        func page(_ offset: Int) async throws -> Int {
            try await store.commands(CommandQuery(scopes: [.unit(script.unit, in: script.portfolio)], offset: offset, limit: 5))
                .commands.count
        }
        #expect(try await page(10) == 5)
        await #expect(throws: StoreError.pageTooDeep) { try await page(11) }
        #expect(try await page(20) == 0)
        try await store.close()
    }
}

/// A database that is read without the store, to count the steps of queries.
private protocol Measured {
    var database: TemporaryDatabase { get }
}

extension Measured {
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let queue = try DatabaseQueue(path: database.path)
        defer { try? queue.close() }
        return try queue.read(body)
    }

    /// Returns the number of steps that SQLite's virtual machine takes for `body`.
    func steps(_ body: (Database) throws -> Void) throws -> Int {
        try read { db in
            let count = Count()
            try withExtendedLifetime(count) {
                sqlite3_progress_handler(
                    db.sqliteConnection, 1,
                    { context in
                        if let context { Unmanaged<Count>.fromOpaque(context).takeUnretainedValue().steps += 1 }
                        return 0
                    }, Unmanaged.passUnretained(count).toOpaque())
                defer { sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil) }
                try body(db)
            }
            return count.steps
        }
    }
}

private final class Count { var steps = 0 }

/// A database with a portfolio's log of events at one door.
private struct EventLog: Measured {
    let database: TemporaryDatabase
    let script: StoreScript
    /// A user who acts only in the other portfolio.
    let stranger = UserID(high: 8, low: 8)

    /// - Parameters:
    ///   - marked: the numbers of the records whose operation is `lock`.
    ///   - elsewhere: the number of records in the other portfolio, with `stranger` as the actor.
    init(records: Int, marked: Set<Int> = [], elsewhere: Int = 0) async throws {
        database = try TemporaryDatabase()
        var script = StoreScript(seed: 12)
        let store = try database.open()
        _ = try await store.commit(script.tenancy)
        var bodies: [RecordBody] = []
        for number in 0..<records {
            script.now = script.now.advanced(by: .milliseconds(1))
            var body = script.event(on: script.door)
            if marked.contains(number) { body.operation = .lock }
            bodies.append(body)
        }
        for _ in 0..<elsewhere {
            var body = script.event(on: script.otherDoor)
            body.actor = RecordActor(kind: .user, id: "\(stranger)", userID: stranger)
            bodies.append(body)
        }
        for start in stride(from: 0, to: bodies.count, by: 500) {
            let part = bodies[start..<min(start + 500, bodies.count)]
            _ = try await store.commit(StoreTransaction(records: part.map { PendingRecord($0) }))
        }
        try await store.close()
        self.script = script
    }

    var scopes: [RecordScope] {
        [
            .portfolioLog(script.portfolio), .property(script.property, in: script.portfolio),
            .unit(script.unit, in: script.portfolio),
        ]
    }
}

/// A database with a portfolio whose commands are all by one user at one door.
private struct CommandLog: Measured {
    let database: TemporaryDatabase
    let script: StoreScript
    let count: Int

    /// - Parameter atGate: the number of later commands by the user at another door, not included in `count`.
    init(commands count: Int, atGate: Int = 0) async throws {
        database = try TemporaryDatabase()
        var script = StoreScript(seed: 13)
        let store = try database.open()
        _ = try await store.commit(script.tenancy)
        for start in stride(from: 0, to: count + atGate, by: 50) {
            var transaction = StoreTransaction()
            for number in start..<min(start + 50, count + atGate) {
                script.now = script.now.advanced(by: .milliseconds(1))
                let begin = script.begin(script.command(on: number < count ? script.door : script.gate))
                transaction.append(begin)
            }
            _ = try await store.commit(transaction)
        }
        try await store.close()
        (self.script, self.count) = (script, count)
    }
}
