internal import DoorwardDomain
internal import DoorwardKernel
internal import DoorwardPolicy
import Synchronization

/// Records denied commands before they are answered, and limits how many records one principal can cause.
final class DenialRecorder: Sendable {
    private struct Minute {
        let start: MonotonicInstant
        var denied = 0
        /// Whether the summary record has been written, or is being written.
        var isSummarized = false

        var end: MonotonicInstant { start.advanced(by: .seconds(60)) }
    }

    private let storeGuard: StoreGuard
    private let clock: any GatewayClock
    private let random: RandomSource
    private let perMinute: Int
    private let minutes = Mutex<[Principal: Minute]>([:])

    init(storeGuard: StoreGuard, clock: any GatewayClock, random: RandomSource, perMinute: Int) {
        (self.storeGuard, self.clock, self.random, self.perMinute) = (storeGuard, clock, random, perMinute)
    }

    /// Admits a command to its decision unless its principal was denied too often within a minute.
    ///
    /// - Parameter denying: whether to count a denial, if it is admitted.
    /// - Throws: `.rateLimited`; the first rejection of a minute while commands are accepted also writes the summary record.
    func admit(_ caller: Caller, denying: Bool = false) async throws(GatewayError) {
        let now = clock.monotonicNow()
        let (wait, isFirst) = minutes.withLock { minutes -> (Duration?, Bool) in
            if denying, minutes.count > 10_000 { minutes = minutes.filter { now < $0.value.end } }
            var minute = minutes[caller.principal].flatMap { now < $0.end ? $0 : nil } ?? Minute(start: now)
            guard minute.denied >= perMinute else {
                if denying {
                    minute.denied += 1
                    minutes[caller.principal] = minute
                }
                return (nil, false)
            }
            let isFirst = !minute.isSummarized && storeGuard.isAcceptingCommands && !storeGuard.hasStoppedCommands
            if isFirst { minutes[caller.principal]?.isSummarized = true }
            return (minute.end.duration(since: now), isFirst)
        }
        guard let wait else { return }
        if isFirst { try await writeSummary(for: caller) }
        throw .rateLimited(retryAfterSeconds: Int((wait.wholeMilliseconds + 999) / 1000))
    }

    /// Writes the summary record of the minute; after a failure the next rejection writes it.
    private func writeSummary(for caller: Caller) async throws(GatewayError) {
        do {
            try await storeGuard.write(StoreTransaction(records: [summary(for: caller)]))
        } catch {
            minutes.withLock { $0[caller.principal]?.isSummarized = false }
            throw error
        }
    }

    /// Makes a denial durable, and returns the error for the response.
    ///
    /// The denial is written to the log of the device's portfolio. If the device is not visible to the principal, that record
    /// contains only that an outsider was denied. The full record is then in the gateway's log, and refers to the record in the
    /// portfolio's log. For a device that does not exist the same number of records is written, so that the response time does
    /// not reveal whether a device exists (decision 0032).
    ///
    /// - Throws: `.rateLimited` if the principal was denied too often meanwhile; then this denial is not recorded.
    func record(
        _ denial: Denial, of request: CommandRequest, in tenancy: TenancyDirectory
    ) async throws(GatewayError) -> GatewayError {
        if !request.isLockdown { try await admit(request.caller, denying: true) }
        let device = tenancy.device(request.deviceID)
        try await storeGuard.write(StoreTransaction(records: records(denial, of: request, device: device, in: tenancy)))
        if device == nil, tenancy.subject(of: request.caller.principal).isSuperAdmin { return .notFound }
        return .denied(denial, operation: request.operation, deviceID: device?.id)
    }

    private func records(
        _ denial: Denial, of request: CommandRequest, device: LockDevice?, in tenancy: TenancyDirectory
    ) -> [PendingRecord] {
        var whole = body(denial, of: request, device: device, in: tenancy)
        guard !denial.hasReach else {
            whole.log = whole.device?.log ?? .gateway
            return [PendingRecord(whole)]
        }
        let portfolio = device?.portfolioID
        let snapshot = portfolio == nil ? Self.noDevice : whole.device
        let outside = RecordBody(
            log: .portfolio(portfolio ?? Self.noPortfolio), id: random.id(at: whole.at), at: whole.at, kind: .denial,
            actor: .outside, source: .api, operation: request.operation, decision: .denied, reason: denial.reason,
            device: snapshot)
        return [PendingRecord(outside), PendingRecord(whole, counterpart: portfolio == nil ? nil : 0)]
    }

    /// The id of a portfolio that does not exist. No user can read its log. If a principal attempts an operation on a device that
    /// does not exist, or on an invisible device that belongs to no portfolio, the denial is written to this log.
    static let noPortfolio = PortfolioID(high: 0, low: 0)
    private static let noDevice = DeviceSnapshot(
        deviceID: DeviceID(high: 0, low: 0), deviceName: "no such device", unitID: UnitID(high: 0, low: 0),
        propertyID: PropertyID(high: 0, low: 0), portfolioID: noPortfolio)

    private func body(
        _ denial: Denial, of request: CommandRequest, device: LockDevice?, in tenancy: TenancyDirectory
    ) -> RecordBody {
        let now = clock.now()
        let (caller, origin) = (request.caller, request.caller.origin)
        var body = RecordBody(
            log: .gateway, id: random.id(at: now), at: now, kind: .denial, actor: RecordActor(of: caller, in: tenancy),
            source: origin.source, operation: request.operation, decision: .denied, reason: denial.reason, rule: denial.rule,
            clientAddress: origin.clientAddress, requestID: origin.requestID, device: device.map { DeviceSnapshot($0) },
            statedReason: request.statedReason, override: request.override)
        // Text entered in place of an id may contain personal data of any person. It is erased with the data of the user who
        // entered it.
        if device == nil {
            body.details["attemptedId"] = .personal(String(request.attemptedID.prefix(64)), person: caller.userID)
        }
        return body
    }

    private func summary(for caller: Caller) -> PendingRecord {
        let now = clock.now()
        return PendingRecord(
            .denialsSuppressed, id: random.id(at: now), at: now, actor: RecordActor(of: caller.principal), origin: caller.origin,
            details: ["deniedPerMinute": .integer(Int64(perMinute))])
    }
}
