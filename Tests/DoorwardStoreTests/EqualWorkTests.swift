import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import GRDB
import GRDBSQLite
import Testing

@testable import DoorwardStore

/// Compares the steps of SQLite's virtual machine for a command of another portfolio and for one that does not exist. The steps
/// increase with every row that is examined. `ListCostTests` compares them for records.
@Suite struct EqualWorkTests {
    private static let commands = 60

    /// A query by a user who can read the other portfolio's log and one of its properties.
    private struct Question: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// - Parameter isForeign: whether to query an id of the portfolio that the user cannot read.
        let ask: @Sendable (_ isForeign: Bool, StoreScript, CommandID, Database) throws -> Int
    }

    private static func scopes(_ script: StoreScript) -> [RecordScope] {
        [.portfolioLog(script.otherPortfolio), .property(script.otherProperty, in: script.otherPortfolio)]
    }

    private static let questions = [
        Question(testDescription: "a command") { isForeign, script, id, db in
            let reading = CommandReading(db)
            let query = CommandQuery(scopes: scopes(script), actorUserID: UserID(high: 2, low: 2), limit: 1)
            return try reading.command(isForeign ? id : CommandID(high: 1, low: 1), within: query) == nil ? 0 : 1
        },
        Question(testDescription: "commands by device") { isForeign, script, _, db in
            let reading = CommandReading(db)
            let query = CommandQuery(
                scopes: scopes(script), actorUserID: UserID(high: 2, low: 2),
                deviceID: isForeign ? script.door : DeviceID(high: 1, low: 1), limit: 20)
            return try reading.commands(query).commands.count
        },
    ]

    @Test("Looking up an id of another portfolio takes as many steps as one that does not exist", arguments: questions)
    private func steps(_ question: Question) async throws {
        let database = try TemporaryDatabase()
        var script = StoreScript(seed: 91)
        let store = try database.open()
        _ = try await store.commit(script.tenancy)
        var last = script.command(on: script.door)
        for number in 0..<Self.commands {
            let command = script.command(on: number.isMultiple(of: 3) ? script.otherDoor : script.door)
            _ = try await store.commit(script.begin(command))
            _ = try await store.commit(script.end(script.confirmed(command)))
            if command.deviceID == script.door { last = command }
        }
        try await store.close()
        let queue = try DatabaseQueue(path: database.path)
        func steps(isForeign: Bool) throws -> Int {
            try queue.read { [script, last] db in
                var found = -1
                let steps = try Self.steps(in: db) { found = try question.ask(isForeign, script, last.id, db) }
                #expect(found == 0)
                return steps
            }
        }
        // The first query also reads the schema.
        _ = try steps(isForeign: false)
        let (nobodys, foreign) = (try steps(isForeign: false), try steps(isForeign: true))
        #expect(nobodys > 0)
        // Small differences depend on where in an index a search ends.
        #expect(abs(foreign - nobodys) <= 10, "\(foreign) steps for a foreign id, \(nobodys) for a missing one")
        try queue.close()
    }

    /// Returns the number of steps of SQLite's virtual machine for the statements of `body`.
    private static func steps(in db: Database, _ body: () throws -> Void) rethrows -> Int {
        let counter = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        defer { counter.deallocate() }
        counter.initialize(to: 0)
        sqlite3_progress_handler(
            db.sqliteConnection, 1,
            { counter in
                counter?.assumingMemoryBound(to: Int.self).pointee += 1
                return 0
            }, counter)
        defer { sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil) }
        try body()
        return counter.pointee
    }
}
