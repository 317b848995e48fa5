import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting

/// Random transactions, some of which violate a constraint. Keeps every id and key that was used in them, for later queries.
struct RandomTransactions {
    private(set) var script: StoreScript
    private var random: SeededGenerator
    private(set) var commands: [Command] = []
    private(set) var records: [RecordID] = []
    private(set) var sessions: [Session] = []
    private(set) var digests: [[UInt8]] = []
    private(set) var idempotencyKeys: [IdempotencyKey] = []
    private(set) var users: [UserID]
    private(set) var devices: [DeviceID]
    private var entries: [IdempotencyEntry] = []
    private var hasCut = false
    private(set) var guestAccesses: [GuestAccessID] = []

    init(seed: UInt64, now: Timestamp) {
        script = StoreScript(seed: seed)
        script.now = now
        random = SeededGenerator(seed: seed &* 31)
        users = [script.user]
        let association = script.fixture.assign(script.user, .tenant, .unit(script.unit))
        for label in ["Guest", "Cleaner"] {
            let access = script.fixture.guestAccess(for: nil, label: label, to: [script.door], under: association)
            guestAccesses += [access].compactMap(\.self)
        }
        devices = [script.door, script.gate, script.otherDoor]
    }

    var tenancy: StoreTransaction { script.tenancy }

    /// Returns a transaction of one to four parts of any kind.
    mutating func next() -> StoreTransaction {
        script.now = script.now.advanced(by: .milliseconds(Int.random(in: -2...6, using: &random)))
        var transaction = StoreTransaction()
        for _ in 0..<Int.random(in: 1...4, using: &random) { addPart(to: &transaction) }
        return transaction
    }

    private mutating func addPart(to transaction: inout StoreTransaction) {
        switch Int.random(in: 0..<14, using: &random) {
        case 12: transaction.forgets.append(owner())
        case 13:
            hasCut = true
            transaction.truncations.append(truncation())
        case 10: transaction.counters.append(counterChange())
        case 11: transaction.requires.append(precondition())
        case 0, 1: transaction.changes += tenancyChanges()
        case 2, 3: transaction.credentials.append(credentialChange())
        case 4, 5: transaction.records.append(record(after: transaction.records.count))
        case 6: transaction.idempotency.append(idempotencyEntry())
        default: addCommand(to: &transaction)
        }
    }

    private mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    private mutating func one<Element>(of elements: [Element]) -> Element? { elements.randomElement(using: &random) }

    // MARK: Tenancy

    private mutating func tenancyChanges() -> [TenancyChange] {
        let before = script.fixture.changes.count
        switch Int.random(in: 0..<6, using: &random) {
        case 0: _ = script.fixture.portfolio("Portfolio \(before)")
        case 1: _ = script.fixture.property("Property \(before)", in: oneIn(5) ? script.fixture.id() : script.portfolio)
        case 2: _ = script.fixture.unit("Unit \(before)", in: oneIn(5) ? script.fixture.id() : script.property)
        case 3:
            devices.append(
                script.fixture.device("Door \(before)", in: .property(oneIn(5) ? script.fixture.id() : script.property)))
        case 4:
            // One in five has the first user's address, in upper case.
            let email = oneIn(5) ? "ADA@example.com" : "user\(before)@example.com"
            users.append(script.fixture.user("User", email: email))
        default:
            let entities: [AssociatedEntity] = [
                .portfolio(script.portfolio), .property(script.property), .unit(script.unit), .unit(script.fixture.id()),
            ]
            let entity = one(of: entities) ?? .portfolio(script.portfolio)
            _ = script.fixture.assign(oneIn(5) ? script.fixture.id() : script.user, .auditor, entity)
        }
        return Array(script.fixture.changes[before...])
    }

    // MARK: Erasing and removing

    /// Returns the owner of a key. The in-memory store keeps the names of commands, so that the commands' user is never erased.
    private mutating func owner() -> PersonKeyOwner {
        guard !oneIn(2), let user = one(of: users), user != script.user else { return .day(of: script.now) }
        return .user(user)
    }

    /// Returns a removal of some of the oldest records of a log, sometimes of more than it has.
    private mutating func truncation() -> LogTruncation {
        let logs: [LogID] = [.gateway, .gateway, .portfolio(script.portfolio), .portfolio(script.otherPortfolio)]
        let log = one(of: logs) ?? .gateway
        return LogTruncation(log: log, firstSeq: UInt64(Int.random(in: 0...max(1, records.count / 4), using: &random)))
    }

    // MARK: Counters

    private mutating func guestAccess() -> GuestAccessID {
        oneIn(8) ? script.fixture.id() : one(of: guestAccesses) ?? script.fixture.id()
    }

    private mutating func counterChange() -> CounterChange {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: .takeUse(of: guestAccess())
        case 1: .returnUse(of: guestAccess())
        default:
            .setLastCheckpoint(
                LastCheckpoint(
                    log: oneIn(2) ? .gateway : .portfolio(script.portfolio), generation: .random(in: 1...2, using: &random),
                    size: .random(in: 0...9, using: &random), signedAt: oneIn(3) ? nil : script.now))
        }
    }

    /// Returns a precondition. About a third of them are met.
    private mutating func precondition() -> StorePrecondition {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: .usesLeft(of: guestAccess(), max: Int.random(in: 0...3, using: &random))
        case 1: .unchanged(since: .removeDevice(oneIn(2) ? script.fixture.id() : script.door))
        default: .unchanged(since: one(of: script.fixture.changes) ?? .removeDevice(script.door))
        }
    }

    // MARK: Sign-in

    private mutating func credentialChange() -> CredentialChange {
        switch Int.random(in: 0..<12, using: &random) {
        case 10:
            return .setRecoveryCodes(
                of: oneIn(5) ? script.fixture.id() : script.user, digests: oneIn(4) ? [] : [digest(), digest()])
        case 11: return .useRecoveryCode(of: script.user, digest: one(of: digests) ?? [])
        case 8:
            return oneIn(2) ? .endReset(of: one(of: users) ?? script.user) : .endResets(createdBy: one(of: users) ?? script.user)
        case 9: return oneIn(3) ? .endSessions(of: one(of: users) ?? script.user) : .noteKey(.accessTokens, publicHalf: [2])
        case 6: return .offerReset(reset(), digest: digest())
        case 7: return .useReset(digest: one(of: digests) ?? [], at: script.now.advanced(by: .milliseconds(oneIn(3) ? 20 : 0)))
        case 0 where oneIn(3):
            return .renewPassword(script.user, from: "$scrypt$\(Int.random(in: 0..<2, using: &random))", to: "$scrypt$1")
        case 0: return .setPassword(oneIn(5) ? script.fixture.id() : script.user, hash: "$scrypt$\(random.next())")
        case 1, 2:
            let session = oneIn(5) ? one(of: sessions) ?? script.session() : script.session()
            sessions.append(session)
            return .beginSession(session, refreshDigest: digest())
        case 3, 4:
            guard let session = one(of: sessions), let old = one(of: digests) else {
                return .noteKey(.accessTokens, publicHalf: [1])
            }
            // Most of these tokens belong to another session or are used already; only a few are valid.
            return .rotateRefresh(session.id, oldDigest: old, newDigest: digest(), expiresAt: session.expiresAt)
        default:
            if oneIn(3) { return .noteKey(.accessTokens, publicHalf: digest()) }
            return .endSession(one(of: sessions)?.id ?? script.fixture.id())
        }
    }

    /// Returns a password reset, usually of an existing user, that expires after some steps.
    private mutating func reset() -> PasswordReset {
        PasswordReset(
            id: script.fixture.id(), userID: oneIn(8) ? script.fixture.id() : one(of: users) ?? script.user,
            createdBy: oneIn(3) ? nil : one(of: users), createdAt: script.now,
            expiresAt: script.now.advanced(by: .milliseconds(20)))
    }

    /// Returns a new digest, or sometimes an existing one.
    private mutating func digest() -> [UInt8] {
        if oneIn(8), let known = one(of: digests) { return known }
        let digest = (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) }
        digests.append(digest)
        return digest
    }

    // MARK: Records

    private mutating func record(after earlier: Int) -> PendingRecord {
        let device = one(of: [script.door, script.gate, script.otherDoor]) ?? script.door
        var body = oneIn(3) ? script.gatewayEvent() : script.event(on: device)
        if oneIn(10), let known = one(of: records) { body.id = known }
        if oneIn(3) { body.actor = script.actor }
        if oneIn(3) {
            (body.kind, body.operation, body.event, body.method) = (.denial, .unlock, nil, nil)
            (body.decision, body.reason) = oneIn(2) ? (.allowed, nil) : (.denied, .noAssociation)
        }
        if oneIn(3) { body.details = ["name": .personal("Somebody \(earlier)", person: nil), "count": .integer(Int64(earlier))] }
        records.append(body.id)
        // One in ten counterparts is a record that is not in the transaction.
        let counterpart = oneIn(4) ? (oneIn(10) ? earlier + 1 : earlier - 1) : nil
        return PendingRecord(body, counterpart: counterpart.flatMap { $0 < 0 ? nil : $0 })
    }

    // MARK: Commands

    private mutating func addCommand(to transaction: inout StoreTransaction) {
        let part = commandPart()
        transaction.append(part)
        records += part.records.map(\.body.id)
    }

    private mutating func commandPart() -> StoreTransaction {
        guard !oneIn(2), let known = one(of: commands) else { return beginning() }
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            var updated = known
            (updated.state, updated.rule) = (.dispatched, .guestAccess(script.fixture.id()))
            return StoreTransaction(commands: [.update(updated)])
        case 1: return StoreTransaction(commands: [.update(script.confirmed(known))])
        case 2: return StoreTransaction(commands: [.end(known)])
        // A command of which a cut has removed everything would begin anew, as no gateway does: ids are never used again.
        case 3 where !hasCut: return script.begin(known)
        default: return script.end(script.confirmed(known))
        }
    }

    private mutating func beginning() -> StoreTransaction {
        let command = script.command(
            on: one(of: [script.door, script.gate, script.otherDoor]) ?? script.door, reason: oneIn(2) ? "reason" : nil)
        commands.append(command)
        var begin = script.begin(command)
        if oneIn(8) { begin.records = [] }
        return begin
    }

    // MARK: Idempotency

    private mutating func idempotencyEntry() -> IdempotencyEntry {
        if let known = one(of: entries), !oneIn(3) {
            // The same request again, or another request with the same key.
            return IdempotencyEntry(
                key: known.key, fingerprint: oneIn(3) ? [9] : known.fingerprint, result: known.result, createdAt: script.now)
        }
        let key = IdempotencyKey(principal: "USER \(Int.random(in: 0..<3, using: &random))", key: "key \(entries.count)")
        let entry = IdempotencyEntry(
            key: key, fingerprint: [UInt8.random(in: 0...8, using: &random)],
            result: oneIn(2) ? .command(script.fixture.id()) : .entity(script.fixture.id()), createdAt: script.now)
        entries.append(entry)
        idempotencyKeys.append(key)
        return entry
    }

    // MARK: Queries

    /// Returns a query for a page of records from anywhere in the written data.
    mutating func query(after place: RecordPosition?) -> RecordQuery {
        let all: [RecordScope] = [
            .gatewayLog, .portfolioLog(script.portfolio), .portfolioLog(script.otherPortfolio),
            .property(script.property, in: script.portfolio),
            .property(script.otherProperty, in: script.otherPortfolio), .unit(script.unit, in: script.portfolio),
            .portfolioLog(script.fixture.id()),
        ]
        return RecordQuery(
            scopes: all.filter { _ in oneIn(2) }, filter: filter(),
            order: oneIn(2) ? .newestFirst : .oldestFirst, after: oneIn(2) ? place : nil,
            limit: oneIn(8) ? .max : Int.random(in: 0...40, using: &random))
    }

    /// Returns a filter with any number of conditions, including none.
    private mutating func filter() -> RecordFilter {
        var filter = RecordFilter()
        if oneIn(3) { filter.deviceID = one(of: devices) }
        if oneIn(5) { filter.unitID = oneIn(4) ? script.fixture.id() : script.unit }
        if oneIn(5) { filter.propertyID = oneIn(2) ? script.property : script.otherProperty }
        if oneIn(5) { filter.log = oneIn(2) ? .gateway : .portfolio(script.otherPortfolio) }
        if oneIn(4) { filter.actorUserID = one(of: users) }
        if oneIn(4) { filter.decision = oneIn(2) ? .allowed : .denied }
        if oneIn(4) { filter.from = script.now.advanced(by: .milliseconds(Int.random(in: -200...0, using: &random))) }
        if oneIn(4) { filter.until = script.now.advanced(by: .milliseconds(Int.random(in: -200...2, using: &random))) }
        return filter
    }
}

extension StoreTransaction {
    /// Appends the preconditions, counters, commands and records of another transaction.
    mutating func append(_ other: StoreTransaction) {
        let count = records.count
        requires += other.requires
        counters += other.counters
        commands += other.commands.map { change in
            if case .begin(let command, let intent) = change {
                .begin(command, intent: intent + count)
            } else {
                change
            }
        }
        records += other.records
    }
}
