internal import DoorwardAdapterTesting
package import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// One requirement of `GatewayStore`, with a check that tests whether a store meets it.
package struct StoreConformanceCheck: Sendable, CustomStringConvertible {
    /// The requirement as a sentence.
    package let description: String
    /// Checks a new, empty store.
    ///
    /// - Throws: `ConformanceFailure`, or any unexpected error of the store.
    package let check: @Sendable (any GatewayStore) async throws -> Void

    init(_ description: String, check: @escaping @Sendable (any GatewayStore) async throws -> Void) {
        (self.description, self.check) = (description, check)
    }

    /// - Parameter check: gets the script with this seed, whose tenancy the store has.
    init(
        _ description: String, seed: UInt64, check: @escaping @Sendable (any GatewayStore, inout StoreScript) async throws -> Void
    ) {
        self.init(description) { store in
            var script = StoreScript(seed: seed)
            _ = try await store.commit(script.tenancy)
            try await check(store, &script)
        }
    }
}

/// The requirements that every store must meet. A test runs each check with a new store.
package enum StoreConformance {
    /// All checks, grouped by topic. Each check requires a new, empty store, and may leave any content in it.
    package static let checks: [StoreConformanceCheck] =
        tenancyChecks + removalChecks + credentialChecks + resetChecks + accountChecks + commandChecks + idempotencyChecks
        + recordChecks + queryChecks + backupChecks + preconditionChecks + treeChecks + truncationChecks
        + clockChecks
}

extension GatewayStore {
    /// Commits changes of the tenancy.
    func write(_ changes: TenancyChange...) async throws { _ = try await commit(StoreTransaction(changes: changes)) }
    /// Commits changes of credentials.
    func write(_ changes: CredentialChange...) async throws { _ = try await commit(StoreTransaction(credentials: changes)) }
    /// Commits changes of counters.
    func write(_ changes: CounterChange...) async throws { _ = try await commit(StoreTransaction(counters: changes)) }
    /// Commits records.
    @discardableResult func write(_ records: [RecordBody]) async throws -> [RecordPosition] {
        try await commit(StoreTransaction(records: records.map { PendingRecord($0) }))
    }
}

func requireRefusal(_ rule: StoreRefusal, of changes: TenancyChange..., by store: any GatewayStore) async throws {
    try await requireRefusal(rule, of: StoreTransaction(changes: changes), by: store)
}

func requireRefusal(_ rule: StoreRefusal, of changes: CredentialChange..., by store: any GatewayStore) async throws {
    try await requireRefusal(rule, of: StoreTransaction(credentials: changes), by: store)
}

func requireRefusal(_ rule: StoreRefusal, of changes: CounterChange..., by store: any GatewayStore) async throws {
    try await requireRefusal(rule, of: StoreTransaction(counters: changes), by: store)
}

/// Requires that the store refuses the transaction.
///
/// - Throws: `ConformanceFailure` unless the store refuses it because of exactly this rule.
func requireRefusal(_ rule: StoreRefusal, of transaction: StoreTransaction, by store: any GatewayStore) async throws {
    guard let error = await failure(of: transaction, in: store) else {
        throw ConformanceFailure("a transaction was accepted that should be refused: \(rule)")
    }
    try require(error, is: .refused(rule), "the refusal")
}

/// Commits the transaction, and returns why this failed; `nil` if it did not.
func failure(of transaction: StoreTransaction, in store: any GatewayStore) async -> StoreError? {
    do throws(StoreError) {
        _ = try await store.commit(transaction)
        return nil
    } catch {
        return error
    }
}

extension StorePrecondition {
    /// A precondition that no store meets, with the refusal `StoreRefusal.unmet`.
    static var unmet: StorePrecondition { .usesLeft(of: GuestAccessID(high: 0, low: 1), max: 0) }
}

extension StoreRefusal {
    /// The refusal of `StorePrecondition.unmet`.
    static var unmet: StoreRefusal { .usesExhausted(GuestAccessID(high: 0, low: 1)) }
}

extension StoreScript {
    /// Returns new records of the door's reports.
    mutating func events(_ count: Int) -> [RecordBody] { (0..<count).map { _ in event(on: door) } }

    /// The records of `property`, and those of `unit`.
    var places: [RecordScope] { [.property(property, in: portfolio), .unit(unit, in: portfolio)] }

    /// Scopes of every kind, alone and together. The last five are enough for the many queries by filters.
    ///
    /// - Parameter from: the beginning of the scopes of a unit that have one.
    func scopes(from: Timestamp) -> [[RecordScope]] {
        let (whole, other) = (RecordScope.portfolioLog(portfolio), RecordScope.property(otherProperty, in: otherPortfolio))
        let later = RecordScope.unit(unit, in: portfolio, from: from)
        return [
            [], [places[0]], [places[1]], [later, places[1], other], [later, whole], places + [whole],
            [.gatewayLog, other, places[1]], [.gatewayLog], [whole], places, [later], [.gatewayLog, whole, other],
        ]
    }

    /// Returns a password reset that expires a minute after `now`.
    mutating func reset(of user: UserID, by creator: UserID? = nil) -> PasswordReset {
        PasswordReset(
            id: fixture.id(), userID: user, createdBy: creator, createdAt: now, expiresAt: now.advanced(by: .seconds(60)))
    }

    /// Adds a guest access to the door, with a new tenant association.
    mutating func grant() throws -> GuestAccess {
        let association = fixture.assign(user, .tenant, .unit(unit))
        let id = fixture.guestAccess(for: nil, label: "Guest", to: [door], under: association)
        guard let access = id.flatMap({ fixture.guestAccess($0) }) else {
            throw ConformanceFailure("the script has no guest access")
        }
        return access
    }
}

/// Returns the changes that the store's `loadTenancy` passes to its receiver.
func tenancy(of store: any GatewayStore) async throws -> Set<TenancyChange> {
    var changes: Set<TenancyChange> = []
    try await store.loadTenancy { changes.insert($0) }
    return changes
}
