internal import DoorwardAudit
package import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy

/// The use case of compliance reports. A report is recorded in the log that it reads, before it begins, like an export.
package struct ComplianceReports: Sendable {
    private let kernel: Kernel
    private let devices: any DeviceStatuses
    /// `nil` for a gateway that signs no checkpoints.
    private let checkpoints: Checkpoints?
    private let running = RunningExports()

    /// - Parameter checkpoints: `nil` for a gateway that signs none.
    package init(_ kernel: Kernel, devices: any DeviceStatuses, checkpoints: Checkpoints?) {
        (self.kernel, self.devices, self.checkpoints) = (kernel, devices, checkpoints)
    }

    /// Checks whether the caller may read the report, and reads and records nothing.
    ///
    /// - Throws: `.denied`; `.notFound`; `.featureUnavailable` without the portfolio's module and the caller's pack.
    package func check(_ request: ComplianceRequest, for caller: Caller) throws(GatewayError) {
        let (tenancy, subject) = kernel.directory.resolve(caller)
        _ = try tenancy.portfolio(of: request.place, for: subject, caller)
    }

    /// Starts a report. The log is read while it is sent.
    ///
    /// - Throws: the errors of `check`; `.rateLimited` while the caller has several reports in progress; `.unavailable`.
    package func begin(_ request: ComplianceRequest, for caller: Caller) async throws(GatewayError) -> RunningComplianceReport {
        let (tenancy, subject) = kernel.directory.resolve(caller)
        let portfolio = try tenancy.portfolio(of: request.place, for: subject, caller)
        guard let checkpoints else { throw .unavailable }
        guard let slot = running.begin(caller.principal) else { throw .rateLimited(retryAfterSeconds: 5) }
        let log = LogID.portfolio(portfolio.id)
        let now = kernel.clock.now()
        let positions = try await kernel.storeGuard.write(
            StoreTransaction(records: [record(of: request, log, by: caller, in: tenancy, at: now)]))
        guard let position = positions.first else { throw .unavailable }
        try await checkpoints.signForRequest([log])
        let entry = try checkpoints.newest(of: log, covering: positions)
        let readable = tenancy.recordScopes(of: subject)
        let source = ExportSource(kernel.storeGuard, for: tenancy.listReader(of: subject), slot: slot) { [kernel] in
            let (tenancy, subject) = kernel.directory.resolve(caller)
            guard (try? tenancy.portfolio(of: request.place, for: subject, caller))?.id == portfolio.id else {
                throw GatewayError.unauthenticated
            }
        }
        let header = ComplianceHeader(
            request: request, portfolioID: portfolio.id, createdAt: now,
            createdBy: RecordActor(of: caller, in: tenancy), readsPortfolio: readable.contains(.portfolioLog(portfolio.id)),
            log: log,
            origin: checkpoints.origin(of: log).description, size: entry.checkpoint.size, seq: position.seq,
            checkpoint: entry.note.rendered, publicKey: checkpoints.publicKey.description)
        return RunningComplianceReport(header, source, directory: kernel.directory, devices: devices)
    }

    private func record(
        of request: ComplianceRequest, _ log: LogID, by caller: Caller, in tenancy: TenancyDirectory, at now: Timestamp
    ) -> PendingRecord {
        var path = EntityPathIDs(portfolioID: log.portfolioID)
        if case .property(let id) = request.place { path.propertyID = id }
        return PendingRecord(
            .export, in: log, id: kernel.random.id(at: now), at: now, actor: RecordActor(of: caller, in: tenancy),
            origin: caller.origin, path: path,
            details: [
                "what": .string("complianceReport"), "from": .string(request.period.lowerBound.description),
                "until": .string(request.period.upperBound.description),
            ])
    }
}

/// What a compliance report is about.
package struct ComplianceRequest: Sendable {
    /// A portfolio, or one of its properties.
    package enum Place: Hashable, Sendable {
        /// All properties of the portfolio.
        case portfolio(PortfolioID)
        /// One property.
        case property(PropertyID)
    }

    /// The portfolio or property.
    package let place: Place
    /// The period: `[from, until)`.
    package let period: Range<Timestamp>

    package init(place: Place, period: Range<Timestamp>) { (self.place, self.period) = (place, period) }
}

/// What is known before the log is read, and what proves the log that the report is computed from.
package struct ComplianceHeader: Sendable {
    /// What the report is about.
    package let request: ComplianceRequest
    /// The portfolio, or that of the property.
    package let portfolioID: PortfolioID
    /// When the report was requested.
    package let createdAt: Timestamp
    /// Who requested it.
    package let createdBy: RecordActor
    /// Whether the reader may read the whole portfolio's log: only then the history of the roles on the portfolio is known.
    package let readsPortfolio: Bool
    /// The log.
    package let log: LogID
    /// The name of the log in its checkpoints.
    package let origin: String
    /// The number of records under the checkpoint.
    package let size: UInt64
    /// The number of the record of the report itself, which the checkpoint covers.
    package let seq: UInt64
    /// The signed note.
    package let checkpoint: String
    /// The verifier key.
    package let publicKey: String
}

/// A report in progress: reads the log page by page, and keeps only the figures and a bounded number of rows.
package struct RunningComplianceReport: Sendable {
    /// What is known before the log is read.
    package let header: ComplianceHeader
    private let directory: CurrentDirectory
    private let devices: any DeviceStatuses
    private let source: ExportSource
    /// The changes from the beginning of the log, and the records of the period.
    private var (changes, records): (RecordPages, RecordPages)
    private var timeline: AccessTimeline
    private var figures: ComplianceFigures
    private var names: [UserID: String] = [:]
    private static let maxNames = 50_000

    fileprivate init(_ header: ComplianceHeader, _ source: ExportSource, directory: CurrentDirectory, devices: any DeviceStatuses)
    {
        (self.header, self.source, self.directory, self.devices) = (header, source, directory, devices)
        let (request, portfolio) = (header.request, header.portfolioID)
        let scope: RecordScope =
            switch request.place {
            case .portfolio(let id): .portfolioLog(id)
            case .property(let id): .property(id, in: portfolio)
            }
        let end = header.seq + 1
        var filter = RecordFilter(log: header.log, kind: .adminChange)
        changes = RecordPages(source.records, [header.readsPortfolio ? .portfolioLog(portfolio) : scope], filter, nil, end)
        filter = RecordFilter(log: header.log, from: request.period.lowerBound, until: request.period.upperBound)
        records = RecordPages(source.records, [scope], filter, nil, end)
        timeline = AccessTimeline(period: request.period)
        figures = ComplianceFigures(period: request.period, limits: Self.limits(of: request, in: directory.current))
    }

    /// Checks whether what was read may be sent: the right may have ended, and personal values may have been erased. Throws why not.
    package func check() throws { try source.check() }

    /// Reads a page.
    ///
    /// - Returns: false if all records have been read before.
    package mutating func readPage() async throws -> Bool {
        guard !changes.isAtEnd || !records.isAtEnd else { return false }
        try check()
        if !changes.isAtEnd {
            for record in try await changes.next() where concerns(record.body) {
                note(record.body.actor)
                timeline.add(record)
            }
            return true
        }
        for record in try await records.next() {
            note(record.body.actor)
            figures.add(record)
        }
        return true
    }

    /// Whether a change concerns the property of the report, or the whole portfolio.
    private func concerns(_ body: RecordBody) -> Bool {
        guard case .property(let id) = header.request.place else { return true }
        return body.propertyID == nil || body.propertyID == id
    }

    private mutating func note(_ actor: RecordActor) {
        guard actor.kind == .user, let id = actor.userID, let name = actor.name else { return }
        if names[id] != nil || names.count < Self.maxNames { names[id] = name }
    }

    /// The report, after the last page.
    package func finish() -> ComplianceReport {
        let tenancy = directory.current
        var figures = figures
        let now = header.createdAt
        for id in properties(in: tenancy) {
            for device in tenancy.deviceIDs(of: id).compactMap({ tenancy.device($0) }) {
                let status = devices.status(of: device.id)
                guard status.isOnline == false, let seen = status.lastSeen, seen < figures.period.lowerBound else { continue }
                figures.noteSilence(of: device, until: now)
            }
        }
        figures.finish(at: now)
        let (spans, omitted) = timeline.spans(with: present(in: tenancy))
        return ComplianceReport(
            header: header, figures: figures, spans: spans, omittedSpans: omitted, unfollowedRecords: timeline.unfollowed,
            names: ComplianceNames(tenancy: tenancy, portfolioID: header.portfolioID, users: names))
    }

    private func properties(in tenancy: TenancyDirectory) -> [PropertyID] {
        switch header.request.place {
        case .portfolio(let id): tenancy.propertyIDs(of: id)
        case .property(let id): [id]
        }
    }

    /// The rights in the tenancy now. Of the roles on the portfolio, a reader of one property sees only who holds them.
    private func present(in tenancy: TenancyDirectory) -> [(id: String, span: AccessSpan)] {
        var spans = tenancy.accessSpans(on: .portfolio(header.portfolioID)).map { id, span in
            var span = span
            span.isBeginHidden = !header.readsPortfolio
            return (id: id, span: span)
        }
        for property in properties(in: tenancy) {
            spans += tenancy.accessSpans(on: .property(property))
            for unit in tenancy.unitIDs(of: property) { spans += tenancy.accessSpans(on: .unit(unit)) }
            spans += tenancy.guestAccessSpans(in: property)
        }
        return spans
    }

    /// The beginnings of the parts of the period in its charts: hours, days, or several days, at most `maxParts`.
    static func limits(of request: ComplianceRequest, in tenancy: TenancyDirectory) -> [Timestamp] {
        let (from, until) = (request.period.lowerBound, request.period.upperBound)
        let zones = TimeZoneDatabase.system
        let zone = tenancy.reportZone(of: request.place).flatMap { zones.rules(of: $0) } ?? zones.utc
        let isShort = until.duration(since: from) <= .seconds(3 * 86_400)
        guard let days = zone.limits(from: from, until: until, by: isShort ? .hour : .day, maxParts: 4000) else {
            let step = (until.milliseconds - from.milliseconds) / Int64(maxParts)
            return (0..<Int64(maxParts)).map { Timestamp(milliseconds: from.milliseconds + $0 * step) } + [until]
        }
        let size = (days.count - 2) / maxParts + 1
        return days.dropLast().enumerated().filter { $0.offset.isMultiple(of: size) }.map(\.element) + [until]
    }

    private static let maxParts = 93
}

/// A compliance report: figures, bounded lists, and who had access.
package struct ComplianceReport: Sendable {
    /// What was known before the log was read.
    package let header: ComplianceHeader
    /// The figures and lists.
    package let figures: ComplianceFigures
    /// Who had which right.
    package let spans: [AccessSpan]
    /// The number of rights that are not in `spans`.
    package let omittedSpans: Int
    /// The number of records of further rights, which are neither in `spans` nor counted in `omittedSpans`.
    package let unfollowedRecords: Int
    /// The names for the ids of the report.
    package let names: ComplianceNames
}

/// Names for ids, as far as the reader of a report may see them.
package struct ComplianceNames: Sendable {
    private let tenancy: TenancyDirectory
    private let portfolioID: PortfolioID
    /// The newest names in the records.
    private let users: [UserID: String]

    init(tenancy: TenancyDirectory, portfolioID: PortfolioID, users: [UserID: String]) {
        (self.tenancy, self.portfolioID, self.users) = (tenancy, portfolioID, users)
    }

    /// The present name of a user who holds something in the portfolio; of others the newest name in the records; `nil` if there is
    /// none, or if it was erased.
    package func user(_ id: UserID) -> String? {
        if let user = tenancy.user(id), tenancy.portfolios(where: id).contains(portfolioID) { return user.fullName }
        return users[id]
    }

    /// The name of a property of the portfolio.
    package func property(_ id: PropertyID) -> String? { own(id)?.name }

    /// The name of a unit of the portfolio.
    package func unit(_ id: UnitID) -> String? { own(id)?.name }

    /// The property of a unit of the portfolio.
    package func property(ofUnit id: UnitID) -> PropertyID? { own(id)?.propertyID }

    /// The name of a lock of the portfolio.
    package func device(_ id: DeviceID) -> String? {
        tenancy.device(id).flatMap { $0.portfolioID == portfolioID ? $0.name : nil }
    }

    private func own(_ id: PropertyID) -> Property? { tenancy.property(id).flatMap { $0.portfolioID == portfolioID ? $0 : nil } }

    private func own(_ id: UnitID) -> Unit? { tenancy.unit(id).flatMap { $0.portfolioID == portfolioID ? $0 : nil } }

    /// The name of the portfolio.
    package var portfolio: String? { tenancy.portfolio(portfolioID)?.name }

    /// The time zone of a property of the portfolio.
    package func zone(of id: PropertyID) -> String? { own(id)?.defaultTimeZone }

    /// The time zone of a report: that of its property, or of all properties if they have the same one; `nil` for UTC.
    package func zone(of place: ComplianceRequest.Place) -> String? { tenancy.reportZone(of: place) }
}

extension TenancyDirectory {
    /// The portfolio of a report that the caller may read.
    fileprivate func portfolio(
        of place: ComplianceRequest.Place, for subject: Subject, _ caller: Caller
    ) throws(GatewayError) -> Portfolio {
        let found: Portfolio?
        switch place {
        case .portfolio(let id):
            try require(.complianceReport, of: subject, on: .portfolio(id))
            found = portfolio(id)
        case .property(let id):
            try require(.complianceReport, of: subject, on: .property(id))
            found = property(id).flatMap { portfolio($0.portfolioID) }
        }
        guard let found else { throw .outOfReach(of: subject) }
        guard found.subscription.modules.contains(.complianceReport) || user(caller.userID)?.hasCompliancePack == true else {
            throw .featureUnavailable(.complianceReport)
        }
        return found
    }

    fileprivate func reportZone(of place: ComplianceRequest.Place) -> String? {
        switch place {
        case .property(let id): return property(id)?.defaultTimeZone
        case .portfolio(let id):
            let zones = Set(propertyIDs(of: id).compactMap { property($0)?.defaultTimeZone })
            return zones.count == 1 ? zones.first : nil
        }
    }
}
