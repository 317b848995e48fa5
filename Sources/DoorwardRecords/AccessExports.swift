internal import DoorwardAudit
internal import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy
import Synchronization

/// The use case of exporting access records. Each export is recorded in the logs that it reads, before it begins.
package struct AccessExports: Sendable {
    private let kernel: Kernel
    /// `nil` for a gateway that signs no checkpoints.
    private let checkpoints: Checkpoints?
    private let running = RunningExports()

    /// - Parameter checkpoints: `nil` for a gateway that signs none.
    package init(_ kernel: Kernel, checkpoints: Checkpoints?) { (self.kernel, self.checkpoints) = (kernel, checkpoints) }

    /// Starts an export. Its records are read while it is sent.
    ///
    /// - Throws: `.denied` if the caller may not export the log, or no log at all; `.invalid` for a range outside the log, and if
    ///   no log is named although the export can contain only one; `.featureUnavailable`; `.rateLimited` while the caller has
    ///   several exports in progress.
    package func begin(_ request: ExportRequest, for caller: Caller) async throws(GatewayError) -> AccessExport {
        let (tenancy, subject) = kernel.directory.resolve(caller)
        let scopes = try await admit(request, of: subject, in: tenancy)
        let logs = Set(scopes.map(\.log))
        guard let slot = running.begin(caller.principal) else { throw .rateLimited(retryAfterSeconds: 5) }
        let isComplete = request.isOfWholeLog && scopes.contains { $0.isWholeLog }
        if request.format == .ndjson, checkpoints == nil { throw .unavailable }
        let now = kernel.clock.now()
        let sorted = logs.sorted { $0.description < $1.description }
        let records = sorted.map { record(of: request, $0, scopes, isComplete: isComplete, by: caller, in: tenancy, at: now) }
        let positions = try await kernel.storeGuard.write(StoreTransaction(records: records))
        try await checkpoints?.signForRequest(sorted)
        let source = ExportSource(kernel.storeGuard, for: tenancy.listReader(of: subject), slot: slot) { [kernel] in
            let (tenancy, subject) = kernel.directory.resolve(caller)
            guard tenancy.allowsExport(of: scopes, to: subject) else { throw GatewayError.unauthenticated }
        }
        var filter = request.filter
        guard request.format == .ndjson, let log = sorted.first else {
            if let log = sorted.first, sorted.count == 1 { filter.log = log }
            return .csv(
                source, scopes, filter, request, zones: { [kernel] in kernel.directory.current.property($0)?.defaultTimeZone })
        }
        guard let checkpoints else { throw .unavailable }
        let entry = try checkpoints.newest(of: log, covering: positions)
        let (checkpoint, from) = (entry.checkpoint, request.fromSeq ?? 0)
        let header = ExportHeader(
            log: log, range: isComplete ? from..<(request.untilSeq ?? checkpoint.size) : nil, checkpoint: entry.note.rendered,
            publicKey: checkpoints.publicKey.description)
        return try await .bundle(source, header, size: checkpoint.size, scopes, filter, request)
    }

    /// Checks whether `begin` would start the export, and starts and records none.
    ///
    /// - Throws: as `begin`.
    /// - Returns: the name of the file without its extension.
    package func check(_ request: ExportRequest, for caller: Caller) async throws(GatewayError) -> String {
        let (tenancy, subject) = kernel.directory.resolve(caller)
        let logs = Set(try await admit(request, of: subject, in: tenancy).map(\.log))
        if request.format == .ndjson, checkpoints == nil { throw .unavailable }
        return AccessExport.name(logs.count == 1 ? logs.first : nil)
    }

    // MARK: - Rights

    /// The part of the request that the caller may export. The request selects records that one file can contain.
    private func admit(
        _ request: ExportRequest, of subject: Subject, in tenancy: TenancyDirectory
    ) async throws(GatewayError) -> [RecordScope] {
        let scopes = try await scopes(request, of: subject, in: tenancy)
        let logs = Set(scopes.map(\.log))
        guard logs.count == 1 || request.format == .csv && !request.hasRange else { throw .invalid("logId", "required") }
        guard let log = logs.first, request.hasRange else { return scopes }
        let size = try await mappingStoreErrors(await kernel.storeGuard.log.frontier(of: log)?.size ?? 0)
        if let until = request.untilSeq, until > size { throw .invalid("untilSeq", "out_of_range") }
        guard request.fromSeq ?? 0 < request.untilSeq ?? size else { throw .invalid("fromSeq", "out_of_range") }
        return scopes
    }

    /// The part of the requested log, or of all logs, that the caller may export.
    private func scopes(
        _ request: ExportRequest, of subject: Subject, in tenancy: TenancyDirectory
    ) async throws(GatewayError) -> [RecordScope] {
        var scopes = tenancy.exportScopes(of: subject)
        if let log = request.filter.log {
            scopes = scopes.filter { $0.log == log }
            if scopes.isEmpty { scopes = [try await scope(of: log, for: subject, in: tenancy)] }
        }
        guard !scopes.isEmpty else {
            try tenancy.require(.accessLogExport, of: subject, on: .gateway)
            return []
        }
        let available = scopes.filter { tenancy.includesExport(of: $0.log) }
        guard !available.isEmpty else { throw .featureUnavailable(.accessLogExport) }
        return available
    }

    /// The log of a deleted portfolio, which super admins export.
    ///
    /// - Throws: for every other log.
    private func scope(
        of log: LogID, for subject: Subject, in tenancy: TenancyDirectory
    ) async throws(GatewayError) -> RecordScope {
        guard let id = log.portfolioID else {
            try tenancy.require(.accessLogExport, of: subject, on: .gateway)
            return .gatewayLog
        }
        if tenancy.portfolio(id) != nil {
            try tenancy.require(.accessLogExport, of: subject, on: .portfolio(id))
            return .portfolioLog(id)
        }
        guard subject.isSuperAdmin else { throw .outOfReach }
        let frontier = try await mappingStoreErrors(await kernel.storeGuard.log.frontier(of: log))
        // A super admin sees every log, so for a super admin an unknown log does not exist.
        guard frontier != nil else { throw .outOfReach(of: subject) }
        return .portfolioLog(id)
    }

    // MARK: - Before the first byte

    private func record(
        of request: ExportRequest, _ log: LogID, _ scopes: [RecordScope], isComplete: Bool, by caller: Caller,
        in tenancy: TenancyDirectory, at now: Timestamp
    ) -> PendingRecord {
        var details = request.details
        details["what"] = .string("accessLog")
        details["format"] = .string(request.format.rawValue)
        details["complete"] = .bool(isComplete)
        // A caller who may export only one property can read the record of the export, too.
        let properties = Set(scopes.filter { $0.log == log }.map(\.propertyID))
        let property = properties.count == 1 ? properties.first ?? nil : nil
        return PendingRecord(
            .export, in: log, id: kernel.random.id(at: now), at: now, actor: RecordActor(of: caller, in: tenancy),
            origin: caller.origin, path: log.portfolioID.map { EntityPathIDs(propertyID: property, portfolioID: $0) },
            details: details)
    }
}

/// What an export is to contain.
package struct ExportRequest: Sendable {
    /// The formats of exports. Raw values are those of the API.
    package enum Format: String, CaseIterable, Sendable {
        /// A table for spreadsheets.
        case csv
        /// Lines with proofs, which are verified without the gateway.
        case ndjson
    }

    /// What separates the cells of a table. Raw values are those of the API.
    package enum Separator: String, CaseIterable, Sendable {
        /// As in RFC 4180.
        case comma
        /// For spreadsheets of countries where the comma separates decimals.
        case semicolon
    }

    /// The format.
    package var format: Format
    /// What separates the cells of a table.
    package var separator = Separator.comma
    /// Selects the records among those that the caller may export.
    package var filter: RecordFilter
    /// The number of the first record; `nil` for the first one of the log.
    package var fromSeq: UInt64?
    /// The number of the first record that is not exported; `nil` for all records up to the beginning of the export.
    package var untilSeq: UInt64?

    package init(format: Format, filter: RecordFilter = RecordFilter(), fromSeq: UInt64? = nil, untilSeq: UInt64? = nil) {
        (self.format, self.filter, self.fromSeq, self.untilSeq) = (format, filter, fromSeq, untilSeq)
    }

    var hasRange: Bool { fromSeq != nil || untilSeq != nil }

    /// Whether nothing but a log and a range of it is selected.
    var isOfWholeLog: Bool {
        var other = filter
        other.log = nil
        return other == RecordFilter()
    }

    /// The selection, for the record of the export.
    fileprivate var details: [String: RecordValue] {
        let texts = [
            "deviceId": filter.deviceID?.description, "unitId": filter.unitID?.description,
            "propertyId": filter.propertyID?.description, "userId": filter.actorUserID?.description,
            "kind": filter.kind?.rawValue, "operation": filter.operation?.rawValue, "decision": filter.decision?.rawValue,
            "reason": filter.reason?.rawValue, "outcome": filter.outcome?.rawValue, "from": filter.from?.description,
            "until": filter.until?.description,
        ]
        var details = texts.compactMapValues { $0.map { RecordValue.string($0) } }
        if let fromSeq { details["fromSeq"] = .integer(Int64(clamping: fromSeq)) }
        if let untilSeq { details["untilSeq"] = .integer(Int64(clamping: untilSeq)) }
        return details
    }
}

/// Counts the exports in progress: each one occupies a connection and reads from the disk for a long time.
final class RunningExports: Sendable {
    /// The maximum number of exports in progress of one principal.
    static let maxOfOne = 4

    private let counts = Mutex<[Principal: Int]>([:])

    /// - Returns: `nil` if the principal has too many. The export ends when the slot is freed.
    func begin(_ principal: Principal) -> Slot? {
        counts.withLock { counts -> Slot? in
            guard counts[principal, default: 0] < Self.maxOfOne else { return nil }
            counts[principal, default: 0] += 1
            return Slot(exports: self, principal: principal)
        }
    }

    private func end(_ principal: Principal) {
        counts.withLock { counts in
            let rest = counts[principal, default: 1] - 1
            counts[principal] = rest > 0 ? rest : nil
        }
    }

    /// The place of one export.
    final class Slot: Sendable {
        private let exports: RunningExports
        private let principal: Principal

        fileprivate init(exports: RunningExports, principal: Principal) {
            (self.exports, self.principal) = (exports, principal)
        }

        deinit { exports.end(principal) }
    }
}

extension RecordScope {
    /// Whether the scope is a log without a restriction.
    var isWholeLog: Bool {
        switch self {
        case .gatewayLog, .portfolioLog: true
        case .property, .unit: false
        }
    }

    fileprivate var propertyID: PropertyID? {
        if case .property(let id, _) = self { id } else { nil }
    }
}

extension TenancyDirectory {
    /// What a subject may export: the gateway's log for a super admin, and the portfolios and properties of the subject's roles.
    fileprivate func exportScopes(of subject: Subject) -> [RecordScope] {
        func allows(_ object: ManagedObject) -> Bool {
            SecurityService.allows(subject, .accessLogExport, on: object, in: self).isAllowed
        }
        return recordScopes(of: subject).filter { scope in
            switch scope {
            case .gatewayLog: allows(.gateway)
            case .portfolioLog(let id): allows(.portfolio(id))
            case .property(let id, _): allows(.property(id))
            case .unit: false
            }
        }
    }

    /// Whether an export that has begun may go on. Only super admins export the log of a deleted portfolio.
    fileprivate func allowsExport(of scopes: [RecordScope], to subject: Subject) -> Bool {
        let allowed = Set(exportScopes(of: subject))
        return subject.isEnabled && scopes.allSatisfy { allowed.contains($0) || subject.isSuperAdmin && !isPresent($0) }
    }

    /// Whether the subscription of a log's portfolio includes exports. It is not asked for other logs.
    fileprivate func includesExport(of log: LogID) -> Bool {
        guard let portfolio = log.portfolioID.flatMap(portfolio) else { return true }
        return portfolio.subscription.modules.contains(.accessLogExport)
    }

    /// Whether the log of a scope belongs to a portfolio that exists.
    fileprivate func isPresent(_ scope: RecordScope) -> Bool { scope.log.portfolioID.map { portfolio($0) != nil } ?? true }
}
