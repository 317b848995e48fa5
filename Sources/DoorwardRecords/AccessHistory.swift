package import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy

/// The use cases of the access log: reading the records that a caller may read.
package struct AccessHistory: Sendable {
    private let kernel: Kernel
    private var log: any AccessLogStore { kernel.storeGuard.log }

    package init(_ kernel: Kernel) { self.kernel = kernel }

    /// A page of the records that the caller may read.
    ///
    /// - Parameter filter: `nil` if no record can match; the page is then empty.
    package func records(
        for caller: Caller, filter: RecordFilter?, order: RecordQuery.Order, after: RecordPosition?, limit: Int
    ) async throws(GatewayError) -> RecordPage {
        let (tenancy, subject) = kernel.directory.resolve(caller)
        guard let filter else { return RecordPage(records: [], next: nil) }
        let scopes = tenancy.recordScopes(of: subject, filteredBy: filter)
        guard !scopes.isEmpty else { return RecordPage(records: [], next: nil) }
        let query = RecordQuery(
            scopes: scopes, filter: filter, order: order, after: after, limit: limit, reader: tenancy.listReader(of: subject))
        return try await mappingStoreErrors(await log.page(query))
    }

    /// A record that the caller may read.
    ///
    /// - Throws: `.outOfReach` for a record that the caller may not read, as for one that does not exist; for a super admin
    ///   `.notFound` if there is no such record, and otherwise `.denied`.
    package func record(_ id: RecordID, for caller: Caller) async throws(GatewayError) -> AccessRecord {
        let (tenancy, subject) = kernel.directory.resolve(caller)
        let scopes = tenancy.recordScopes(of: subject)
        let found = try await mappingStoreErrors(await log.record(id, within: scopes))
        if let found { return found }
        guard subject.isSuperAdmin else { throw .outOfReach }
        let existing = try await mappingStoreErrors(await log.record(id))
        guard existing != nil else { throw .notFound }
        throw .denied(Denial(.roleInsufficient, hasReach: true, rule: .superAdmin), operation: nil, deviceID: nil)
    }

    /// The maximum number of values in all buckets of a summary.
    static let maxSummaryValues = 100_000

    /// Counts the records that the caller may read.
    ///
    /// - Parameters:
    ///   - filter: `nil` if no record can match.
    ///   - limits: the limits of the buckets, ascending.
    ///   - grouping: the field whose values are counted; `nil` for outcomes and reasons.
    /// - Returns: for each bucket the number of records by value.
    /// - Throws: `.invalid` if the buckets have too many different values; the errors of lists.
    package func summary(
        for caller: Caller, filter: RecordFilter?, limits: [Timestamp], by grouping: RecordCountQuery.Grouping?
    ) async throws(GatewayError) -> [[String: Int]] {
        let (tenancy, subject) = kernel.directory.resolve(caller)
        var counts = RecordCounts(limits: limits)
        guard let filter else { return counts.buckets }
        for grouping in grouping.map({ [$0] }) ?? [.outcome, .reason] {
            var query = RecordCountQuery(
                scopes: tenancy.recordScopes(of: subject, filteredBy: filter, showsReasons: grouping == .reason), filter: filter,
                limits: limits, by: grouping, reader: tenancy.listReader(of: subject))
            repeat {
                let part = try await mappingStoreErrors(await log.counts(query))
                counts.add(part)
                query.after = part.next
                guard counts.valueCount <= Self.maxSummaryValues else { throw .invalid("until", "window_too_long") }
            } while query.after != nil
        }
        return counts.buckets
    }
}
