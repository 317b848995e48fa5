package import DoorwardControl
internal import DoorwardPolicy

/// One promise of `GatewayStore`, and how to find out whether a store keeps it.
package struct StorePromise: Sendable, CustomStringConvertible {
    /// The promise as a sentence.
    package let description: String
    /// Tries it on a new, empty store.
    ///
    /// - Throws: `BrokenPromise`, or whatever the store threw where it should not have.
    package let check: @Sendable (any GatewayStore) async throws -> Void

    init(_ description: String, check: @escaping @Sendable (any GatewayStore) async throws -> Void) {
        (self.description, self.check) = (description, check)
    }
}

/// What a store did instead of what it promises.
package struct BrokenPromise: Error, CustomStringConvertible {
    /// What was expected and what was found, as one line of a test's report.
    package let description: String

    init(_ description: String) { self.description = description }
}

/// Every promise that a store of any kind must keep: a test runs each against a store of its own.
package enum StoreConformance {
    /// In groups by what they are about; each needs a new, empty store and leaves it as it likes.
    package static let promises: [StorePromise] =
        tenancyPromises + credentialPromises + resetPromises + commandPromises + idempotencyPromises + recordPromises
        + queryPromises + backupPromises + preconditionPromises
        + treePromises
}

/// - Throws: `BrokenPromise` with both values if they differ.
func require<Value: Equatable>(_ found: Value, is expected: Value, _ what: String) throws {
    guard found == expected else { throw BrokenPromise("\(what): found \(found), expected \(expected)") }
}

func require(_ condition: Bool, _ what: String) throws {
    guard condition else { throw BrokenPromise(what) }
}

/// - Throws: `BrokenPromise` unless the store refuses the transaction for just this rule.
func requireRefusal(_ rule: StoreRefusal, of transaction: StoreTransaction, by store: any GatewayStore) async throws {
    do {
        _ = try await store.commit(transaction)
    } catch {
        return try require(error, is: .refused(rule), "the refusal")
    }
    throw BrokenPromise("a transaction was taken that should be refused: \(rule)")
}

/// What `loadTenancy` gives.
func tenancy(of store: any GatewayStore) async throws -> Set<TenancyChange> {
    var changes: Set<TenancyChange> = []
    try await store.loadTenancy { changes.insert($0) }
    return changes
}
