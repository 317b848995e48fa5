package import DoorwardDomain
package import DoorwardKernel
package import DoorwardPolicy

/// Answers who may do what to a lock, without doing it. Each answer is a decision of `SecurityService`, the same that a command
/// would get. Nothing is recorded.
package struct Authorization: Sendable {
    private let directory: CurrentDirectory
    private let clock: TrustedClock

    package init(directory: CurrentDirectory, clock: TrustedClock) { (self.directory, self.clock) = (directory, clock) }

    /// Decides an operation of the caller, or of another user.
    ///
    /// A user who is unknown to the gateway gets the same decision as one who has nothing to do with the device: `no_association`.
    ///
    /// - Parameters:
    ///   - user: the user who would do it; `nil` for the caller.
    ///   - instant: the time of the operation; `nil` for now.
    /// - Throws: `.invalid` for an instant more than a minute ago; `outOfReach(of:)` for a device that the caller does not reach; `.denied` for
    ///   another user without GRANT_ACCESS on the device.
    package func decide(
        _ operation: LockOperation, on id: DeviceID, by user: UserID? = nil, at instant: Timestamp? = nil, for caller: Caller
    ) throws(GatewayError) -> ExplainedDecision {
        let (current, now) = (CallerSnapshot(directory, caller), clock.decisionTime())
        let time = try Self.time(instant, now: now)
        let device = try reached(id, in: current, at: now)
        guard let user, !current.subject.isUser(user) else {
            return decision(of: caller.principal, operation, on: device, at: time, now: now, in: current)
        }
        try require(.grantAccess, on: device, in: current, at: now)
        var asked = decision(of: .user(user), operation, on: device, at: time, now: now, in: current)
        if asked.decision.denial?.hasReach == false { asked.decision = .denied(Denial(.noAssociation, hasReach: false)) }
        return asked
    }

    /// The decisions on all operations of the caller on a device at the current time.
    ///
    /// - Throws: `outOfReach(of:)`.
    package func permissions(on id: DeviceID, for caller: Caller) throws(GatewayError) -> [ExplainedDecision] {
        let (current, now) = (CallerSnapshot(directory, caller), clock.decisionTime())
        let device = try reached(id, in: current, at: now)
        return LockOperation.allCases.map {
            decision(of: caller.principal, $0, on: device, at: now, now: now, in: current)
        }
    }

    /// Everyone who may do an operation on a device, without an override.
    ///
    /// - Parameter instant: the time of the operation; `nil` for now.
    /// - Throws: `.invalid` for an instant more than a minute ago; `outOfReach(of:)`; `.denied` without VIEW_ACCESS_HISTORY on the device.
    package func whoCan(
        _ operation: LockOperation, on id: DeviceID, at instant: Timestamp?, for caller: Caller,
        _ request: PageRequest<NameOrEnd>
    ) throws(GatewayError) -> Page<NamedPrincipal> {
        let (current, now) = (CallerSnapshot(directory, caller), clock.decisionTime())
        let time = try Self.time(instant, now: now)
        let device = try reached(id, in: current, at: now)
        try require(.viewAccessHistory, on: device, in: current, at: now)
        let tenancy = current.tenancy
        let entries = SecurityService.principals(permitted: operation, on: id, at: time, in: tenancy)
            .map { SecurityService.named($0, on: device, for: current.subject, at: now, in: tenancy) }
            .sorted { ($0.id ?? "~", $0.rule.role.rank, $0.rule.id ?? "") < ($1.id ?? "~", $1.rule.role.rank, $1.rule.id ?? "") }
        return request.sorted(byDefault: .name).page(of: entries, in: current.snapshot, named: \.name) { key, entry in
            switch key {
            case .name: .name(entry.name ?? "")
            case .until: .number(entry.until?.milliseconds ?? .max)
            }
        }
    }

    /// The abilities of the caller at this instant.
    ///
    /// - Throws: `.outOfReach` for a caller that is not a user: an API key has no access to the data of the user who created it.
    package func abilities(of caller: Caller) throws(GatewayError) -> Abilities {
        let (tenancy, subject) = directory.resolve(caller)
        guard subject.userID != nil else { throw .outOfReach }
        let now = clock.decisionTime()
        return Abilities(
            rules: SecurityService.abilityRules(of: subject, at: now, in: tenancy),
            nextChangeAt: SecurityService.nextAbilityChange(of: subject, after: now, in: tenancy))
    }

    // MARK: - Private

    /// The time that a question is about. A future instant is decided as if the clock were trusted then. The present time is decided as for
    /// a command; an instant in the past counts as the present time if the difference can come from the caller's clock.
    private static func time(_ asked: Timestamp?, now: DecisionTime) throws(GatewayError) -> DecisionTime {
        guard let asked, asked <= now.instant else { return asked.map { .trusted($0) } ?? now }
        guard now.instant.duration(since: asked) <= clockDifference else { throw .invalid("at", "in_the_past") }
        return now
    }

    /// The maximum time by which an instant may be in the past to count as the present time, because clocks differ.
    private static let clockDifference = Duration.seconds(60)

    private func reached(_ id: DeviceID, in current: CallerSnapshot, at now: DecisionTime) throws(GatewayError) -> DeviceNode {
        guard let device = current.tenancy.resolve(id),
            SecurityService.reaches(current.subject, device: id, at: now, in: current.tenancy)
        else { throw .outOfReach(of: current.subject) }
        return device
    }

    private func require(
        _ operation: LockOperation, on device: DeviceNode, in current: CallerSnapshot, at now: DecisionTime
    ) throws(GatewayError) {
        let decision = SecurityService.decide(
            current.subject, operation, on: device, at: now, override: false, in: current.tenancy)
        if let denial = decision.denial { throw .denied(denial, operation: operation, deviceID: device.id) }
    }

    private func decision(
        of principal: Principal, _ operation: LockOperation, on device: DeviceNode, at time: DecisionTime, now: DecisionTime,
        in current: CallerSnapshot
    ) -> ExplainedDecision {
        ExplainedDecision(
            operation: operation, deviceID: device.id, at: time.instant, isAboutFuture: time.instant > now.instant,
            decision: SecurityService.decide(
                principal, operation, on: device.id, at: time, override: false, in: current.tenancy))
    }
}

/// A decision with the request that it answers.
package struct ExplainedDecision: Hashable, Sendable {
    /// The operation that was decided.
    package let operation: LockOperation
    /// The lock of the operation.
    package let deviceID: DeviceID
    /// The time of the operation.
    package let at: Timestamp
    /// Whether `at` was in the future when the decision was made, so that a change of the rights can still change it.
    package let isAboutFuture: Bool
    /// The decision, with everything that the caller may know about a denial.
    package internal(set) var decision: Decision

    package init(operation: LockOperation, deviceID: DeviceID, at: Timestamp, isAboutFuture: Bool, decision: Decision) {
        (self.operation, self.deviceID, self.at) = (operation, deviceID, at)
        (self.isAboutFuture, self.decision) = (isAboutFuture, decision)
    }
}

/// `sortBy` of lists of permitted principals.
package enum NameOrEnd: String, CaseIterable, Sendable {
    /// By name, ignoring case.
    case name
    /// By the end of the right; rights without an end come last.
    case until
}

extension PageRequest {
    /// The same request, sorted by `key` if it names no sort key.
    fileprivate func sorted(byDefault key: Key) -> PageRequest {
        PageRequest(page: page, limit: limit, key: self.key ?? key, isDescending: isDescending, search: search)
    }
}
