import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import GRDB
import Logging
import Synchronization
import Testing

@testable import DoorwardStore

/// SQLite's plan for each query: the cost of a request must not grow with the data of other users.
@Suite struct QueryPlanTests {
    @Test("No query of a request scans a whole table or sorts its results", arguments: Question.all)
    func reading(_ question: Question) async throws {
        let sample = try await FullSample(seed: 81)
        let queue = try DatabaseQueue(path: sample.database.path)
        let statements = try await queue.read { db in
            let statements = Statements()
            db.trace(options: .statement) { statements.note($0) }
            let isFound = try question.ask(db, sample.script)
            db.trace(nil)
            return isFound ? statements.all : []
        }
        #expect(!statements.isEmpty)
        for sql in statements {
            let plan = try await queue.read { try Self.plan(of: sql, in: $0) }
            #expect(!plan.isEmpty, "\(sql)")
            // A statement may scan only the positions that it is given, and the index of the logs
            // with unprojected entries, which are few.
            let scans = plan.filter { step in
                let isBounded = step.hasPrefix("SCAN json_each VIRTUAL TABLE") || step.hasSuffix("INDEX logs_unprojected")
                return step.hasPrefix("SCAN") && !isBounded
            }
            #expect(scans.isEmpty && plan.allSatisfy { !$0.hasPrefix("USE TEMP B-TREE") }, "\(plan): \(sql)")
        }
        try queue.close()
    }

    @Test(
        "Records with a rare value are found by the value's posting list",
        arguments: [
            RecordFilter(decision: .denied), RecordFilter(kind: .denial), RecordFilter(reason: .noAssociation),
            RecordFilter(outcome: .failed),
        ])
    func rare(filter: RecordFilter) async throws {
        let sample = try await FullSample(seed: 83)
        let queue = try DatabaseQueue(path: sample.database.path)
        let query = RecordQuery(scopes: [.portfolioLog(sample.script.portfolio)], filter: filter, order: .newestFirst, limit: 2)
        let statements = try await queue.read { db in
            let statements = Statements()
            db.trace(options: .statement) { statements.note($0) }
            _ = try page(query, in: db)
            db.trace(nil)
            return statements.all
        }
        let plans = try await queue.read { db in try statements.flatMap { try Self.plan(of: $0, in: db) } }
        #expect(
            plans.contains("SEARCH postings USING PRIMARY KEY (facet=? AND value=? AND log=? AND first<?)"), "\(plans)")
        try queue.close()
    }

    @Test("No write scans a whole table, and neither does pruning")
    func writing() async throws {
        let database = try TemporaryDatabase()
        let connection = try WriterConnection.open(path: database.path, limits: StoreLimits())
        let statements = Statements()
        try await connection.queue.writeWithoutTransaction { $0.trace(options: .statement) { statements.note($0) } }
        let reader = try StoreReader(path: database.path, clock: database.clock)
        let writer = StoreWriter(
            connection: connection,
            context: StoreContext(
                path: database.path, clock: database.clock, random: SeededGenerator(seed: 1),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        for transaction in transactions() { _ = try await writer.commit(transaction).get() }
        try await writer.drain()
        let verbs = ["INSERT", "UPDATE", "DELETE", "SELECT"]
        let changes = statements.all.filter { sql in verbs.contains { sql.hasPrefix($0) } }
        #expect(changes.count > 25, "every kind of change was made")
        for sql in changes {
            let plan = try await reader.read { try Self.plan(of: sql, in: $0) }
            let scans = plan.filter { $0.hasPrefix("SCAN") && !$0.hasSuffix("INDEX logs_unprojected") }
            #expect(scans.isEmpty, "\(plan): \(sql)")
        }
        await reader.close()
        try await writer.close()
    }

    @Test("Writing a command builds no temporary table or index, not even for a partial index")
    func writingACommand() async throws {
        let database = try TemporaryDatabase()
        let connection = try WriterConnection.open(path: database.path, limits: StoreLimits())
        let statements = Statements()
        try await connection.queue.writeWithoutTransaction { $0.trace(options: .statement) { statements.note($0) } }
        let writer = StoreWriter(
            connection: connection,
            context: StoreContext(
                path: database.path, clock: database.clock, random: SeededGenerator(seed: 1),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        var script = StoreScript(seed: 84)
        _ = try await writer.commit(script.tenancy).get()
        let command = script.command(on: script.door)
        _ = try await writer.commit(script.begin(command)).get()
        _ = try await writer.commit(script.end(script.confirmed(command))).get()
        try await writer.drain()
        try await writer.close()
        let changes = statements.all.filter { $0.hasPrefix("INSERT") || $0.hasPrefix("UPDATE") }
        #expect(changes.contains { $0.hasPrefix("INSERT INTO entries") } && changes.contains { $0.hasPrefix("UPDATE commands") })
        let queue = try DatabaseQueue(path: database.path)
        for sql in changes {
            let steps = try await queue.read { db in
                let nothing = StatementArguments(Array(repeating: DatabaseValue.null, count: sql.count { $0 == "?" }))
                return try Row.fetchAll(db, sql: "EXPLAIN " + sql, arguments: nothing).map { $0["opcode"] as String }
            }
            #expect(!steps.contains("OpenEphemeral") && !steps.contains("OpenAutoindex"), "\(sql)")
        }
        try queue.close()
    }

    /// Returns every kind of change. A change is repeated if its second execution runs other statements.
    private func transactions() -> [StoreTransaction] {
        var script = StoreScript(seed: 82)
        let tenancy = FullTenancy(seed: 82)
        let (session, command) = (script.session(), script.command(on: script.door))
        var dispatched = command
        dispatched.state = .dispatched
        let reset = PasswordReset(
            id: EntityID(high: 1, low: 1), userID: script.user, createdBy: script.user, createdAt: script.now,
            expiresAt: script.now.advanced(by: .seconds(60)))
        let entry = IdempotencyEntry(
            key: IdempotencyKey(principal: "USER", key: "k"), fingerprint: [1], result: .command(CommandID(high: 0, low: 1)),
            createdAt: script.now)
        return [
            script.tenancy, StoreTransaction(changes: tenancy.changes), StoreTransaction(changes: tenancy.changes),
            StoreTransaction(changes: [.removeAPIKey(tenancy.apiKey.id), .removeInvitation(tenancy.invitation.id)]),
            StoreTransaction(changes: [.removeInvitation(tenancy.accountInvitation.id)]),
            StoreTransaction(changes: [.removeGuestLink(of: tenancy.guestAccess.id)]),
            StoreTransaction(changes: [
                .removeAssociation(tenancy.association.id), .removeGuestAccess(tenancy.guestAccess.id),
                .removeDevice(tenancy.device.id), .removeUnit(tenancy.unit.id), .removeProperty(tenancy.property.id),
                .removePortfolio(tenancy.portfolio.id), .removeUser(tenancy.user.id),
            ]),
            StoreTransaction(credentials: [
                .setPassword(script.user, hash: "$scrypt$1"), .beginSession(session, refreshDigest: [1]),
                .rotateRefresh(session.id, oldDigest: [1], newDigest: [2], expiresAt: session.expiresAt),
                .endSession(session.id), .offerReset(reset, digest: [3]), .useReset(digest: [3], at: script.now),
                .endSessions(of: script.user), .endSessions(of: script.user, except: session.id), .endReset(of: script.user),
                .endResets(createdBy: script.user),
                .noteKey(.accessTokens, publicHalf: [4]), .setRecoveryCodes(of: script.user, digests: [[5], [6]]),
                .useRecoveryCode(of: script.user, digest: [5]),
            ]),
            script.begin(command), StoreTransaction(commands: [.update(dispatched)]), script.end(script.confirmed(command)),
            StoreTransaction(idempotency: [entry]), StoreTransaction(records: [PendingRecord(script.gatewayEvent())]),
        ]
    }

    /// Returns the steps of the plan, as SQLite describes them ("EXPLAIN QUERY PLAN", section 1).
    private static func plan(of sql: String, in db: Database) throws -> [String] {
        let nothing = StatementArguments(Array(repeating: DatabaseValue.null, count: sql.count { $0 == "?" }))
        return try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)", arguments: nothing).map { $0["detail"] }
    }
}

/// Reads a page with the store's own code.
func page(_ query: RecordQuery, rows: Int = StoreLimits().rowsPerPage, in db: Database) throws -> RecordPage {
    let clock = VirtualClock()
    var budget = ReadBudget(rows: rows, endsAt: clock.monotonicNow().advanced(by: .seconds(1)), clock: clock)
    let reading = RecordQueryReading(query, in: db)
    return try reading.page(&budget)
}

/// The statements that a connection ran, without duplicates.
private final class Statements: Sendable {
    private let noted = Mutex<[String]>([])

    var all: [String] { noted.withLock { $0 } }

    func note(_ event: Database.TraceEvent) {
        guard case .statement(let statement) = event else { return }
        let sql = statement.sql
        noted.withLock { if !$0.contains(sql) { $0.append(sql) } }
    }
}

/// A query that a request makes to the store.
struct Question: Sendable, CustomStringConvertible {
    let description: String
    /// Runs the query, and returns whether it found the data of a `FullSample`.
    let ask: @Sendable (Database, StoreScript) throws -> Bool

    init(_ description: String, _ ask: @escaping @Sendable (Database, StoreScript) throws -> Bool) {
        (self.description, self.ask) = (description, ask)
    }

    static let all: [Question] = one + many

    private static let one = [
        Question("a command") { db, script in
            let reading = CommandReading(db)
            let scopes: [[RecordScope]] = [
                [.unit(script.unit, in: script.portfolio)], [.portfolioLog(script.portfolio)],
                [
                    .gatewayLog, .portfolioLog(script.portfolio), .property(script.property, in: script.portfolio),
                    .unit(script.unit, in: script.portfolio),
                ],
            ]
            var isFound = true
            for scopes in scopes {
                for device in [nil, script.door] {
                    let query = CommandQuery(scopes: scopes, actorUserID: script.user, deviceID: device, limit: 1)
                    let first = try reading.commands(query).commands.first
                    isFound = try first.map { try reading.command($0.command.id) != nil } ?? false && isFound
                }
            }
            return isFound
        },
        Question("a record by its id") { db, _ in
            let reading = RecordReading(db)
            return try reading.record(RecordID(high: 1, low: 2)) == nil
        },
        Question("a record by its id, in some scopes") { db, script in
            let reading = RecordReading(db)
            return try reading.record(
                RecordID(high: 1, low: 2), within: [.gatewayLog, .unit(script.unit, in: script.portfolio)]) == nil
        },
        Question("counts of records") { db, script in
            let limits = [script.fixture.createdAt, script.now.advanced(by: .seconds(1))]
            let scopes: [[RecordScope]] = [
                [.portfolioLog(script.portfolio)], [.unit(script.unit, in: script.portfolio)],
                [.gatewayLog, .property(script.otherProperty, in: script.otherPortfolio)],
            ]
            for grouping in RecordCountQuery.Grouping.allCases {
                for scopes in scopes {
                    for filter in [RecordFilter(), RecordFilter(deviceID: script.door), RecordFilter(kind: .denial)] {
                        let query = RecordCountQuery(scopes: scopes, filter: filter, limits: limits, by: grouping)
                        let clock = VirtualClock()
                        var budget = ReadBudget(
                            rows: 1000, endsAt: clock.monotonicNow().advanced(by: .seconds(1)), clock: clock)
                        let reading = RecordQueryReading(query.examined, in: db)
                        _ = try reading.counts(query, &budget)
                    }
                }
            }
            return true
        },
        Question("a password") { db, _ in
            try CredentialReading.passwordHash(of: FullTenancy(seed: 81).user.id, in: db) != nil
        },
        Question("a refresh token") { db, _ in try CredentialReading.refreshToken(digest: [7], in: db) != nil },
        Question("a password reset") { db, _ in try CredentialReading.passwordReset(digest: [8], in: db) != nil },
        Question("the public key") { db, _ in try CredentialReading.publicKey(for: .accessTokens, in: db) != nil },
        Question("the public keys") { db, _ in try !CredentialReading.publicKeys(for: .accessTokens, in: db).isEmpty },
        Question("a log's frontier") { db, _ in try LogHeadReading.frontier(of: .gateway, in: db) != nil },
        Question("an idempotency entry") { db, _ in
            try IdempotencyReading.entry(IdempotencyKey(principal: "USER", key: "key"), in: db) != nil
        },
    ]

    /// Pages of records for each filter and order in several scopes, also after a cursor.
    private static let many = [RecordQuery.Order.newestFirst, .oldestFirst].flatMap { order in
        filters.map { name, filter in
            Question("records by \(name), \(order.rawValue)") { db, script in
                let scopes: [RecordScope] = [
                    .gatewayLog, .portfolioLog(script.portfolio), .property(script.otherProperty, in: script.otherPortfolio),
                    .unit(script.unit, in: script.portfolio),
                ]
                for scopes in [scopes, [scopes[0]], [scopes[2]]] {
                    var query = RecordQuery(scopes: scopes, filter: filter(script), order: order, limit: 2)
                    query.after = try page(query, in: db).records.last?.position
                    _ = try page(query, in: db)
                }
                return true
            }
        }
    }

    private static let filters: [(String, @Sendable (StoreScript) -> RecordFilter)] = [
        ("nothing", { _ in RecordFilter() }), ("device", { RecordFilter(deviceID: $0.door) }),
        ("unit", { RecordFilter(unitID: $0.unit) }), ("property", { RecordFilter(propertyID: $0.property) }),
        ("actor", { RecordFilter(actorUserID: $0.user) }), ("denial", { _ in RecordFilter(decision: .denied) }),
        ("kind", { _ in RecordFilter(kind: .denial) }), ("events", { _ in RecordFilter(kind: .deviceEvent) }),
        ("operation", { _ in RecordFilter(operation: .unlock) }), ("reason", { _ in RecordFilter(reason: .noAssociation) }),
        ("outcome", { _ in RecordFilter(outcome: .failed) }), ("success", { _ in RecordFilter(outcome: .confirmed) }),
        ("permission", { _ in RecordFilter(decision: .allowed) }), ("log", { RecordFilter(log: .portfolio($0.portfolio)) }),
        ("time", { RecordFilter(from: $0.fixture.createdAt, until: $0.now) }),
        (
            "everything",
            {
                RecordFilter(
                    deviceID: $0.door, unitID: $0.unit, propertyID: $0.property, actorUserID: $0.user, decision: .allowed,
                    from: $0.fixture.createdAt)
            }
        ),
    ]
}
