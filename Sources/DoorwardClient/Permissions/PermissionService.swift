package import Logging
public import Observation

/// The abilities of the caller, as the gateway sends them.
package struct CallerAbilities: LiveNoun {
    /// The type in the stream.
    package static let streamType = StreamType.permissions

    /// The rules; the last one that matches decides.
    package var rules: [Doorward.AbilityRule]
    /// When the clock next changes them.
    package var nextChangeAt: Doorward.Instant?
    /// There is one such object.
    package var id: String { "permissions" }
}

/// Reads what the permission services need.
package protocol AccessSource: Sendable {
    /// The caller's abilities. Throws `DoorwardError`.
    func abilities() async throws -> CallerAbilities
    /// The caller's own user. Throws `DoorwardError`.
    func me() async throws -> Doorward.User
    /// The subscription of a portfolio. Throws `DoorwardError`.
    func subscription(of portfolioID: String) async throws -> Doorward.Subscription
}

/// The permissions of the signed-in person: loaded from the gateway, replaced as soon as it sends new ones, evaluated locally.
@MainActor @Observable public final class PermissionService: PermissionProvider {
    /// How long rules are used without the stream.
    public static let maxAge = Duration.seconds(300)

    /// Where the answers come from.
    public private(set) var status: PermissionStatus = .loading
    /// The portfolio that the person works in.
    public private(set) var selectedPortfolioID: String?
    /// The person's own user, with roles and guest accesses; `nil` before it is loaded.
    public private(set) var me: Doorward.User?
    /// When the clock next changes the permissions, such as at the start of a guest access. With the stream, the gateway sends the
    /// change itself.
    public private(set) var nextChangeAt: Doorward.Instant?
    private var ability: Doorward.Ability = .none

    @ObservationIgnored private let source: any AccessSource
    @ObservationIgnored private let clock: any LiveClock
    @ObservationIgnored private let logger: Logger
    @ObservationIgnored private var fetchedAt: Duration?
    /// The number of reads that have begun.
    @ObservationIgnored private var reads = 0
    /// The number of the read that is shown. An earlier one that answers later is out of date: it is not shown.
    @ObservationIgnored private var shown = (abilities: 0, me: 0)
    /// The number of the last read that began before the rules were dropped, such as by a sign-out.
    @ObservationIgnored private var dropped = 0
    @ObservationIgnored private var rereadAt: Duration?

    package init(source: any AccessSource, clock: any LiveClock, logger: Logger = Logger(label: "doorward.permissions")) {
        (self.source, self.clock, self.logger) = (source, clock, logger)
    }

    // MARK: - Checks

    /// Whether the action is permitted on the subject. False for `nil`.
    public func can<Subject: PermissionSubject>(_ action: Doorward.Action, _ subject: Subject?, field: String?) -> Bool {
        let isAllowed = subject.map { ability.can(action, $0, field: field) } ?? false
        logger.debug("\(action) \(field ?? "") \(subject?.subjectType.rawValue ?? "nil"): \(isAllowed)")
        return isAllowed
    }

    /// Whether the action is permitted on some objects of the type.
    public func can(_ action: Doorward.Action, any type: Doorward.SubjectType) -> Bool {
        let isAllowed = ability.can(action, any: type)
        logger.debug("\(action) any \(type): \(isAllowed)")
        return isAllowed
    }

    /// Whether to show the action, and whether to enable it.
    public func availability<Subject: PermissionSubject>(of action: Doorward.Action, on subject: Subject?) -> Availability {
        guard let subject, status.hasRules else { return .hidden }
        if ability.can(action, subject) {
            let isOffline = subject.subjectValue("isOnline") == .bool(false) && subject.subjectType == .device
            return isOffline && Self.movements.contains(action) ? .unavailable(reason: .deviceOffline, opensAt: nil) : .available
        }
        if ability.hasRight(action, subject) {
            let reason = ability.decidingRule(action, subject)?.reason ?? .roleInsufficient
            return .unavailable(reason: reason, opensAt: nil)
        }
        return guestAvailability(of: action, on: subject)
    }

    private static let movements: Set<Doorward.Action> = [.lock, .unlock, .unlatch]

    /// A guest access that lists the lock and the operation counts as a right, even if it does not permit the operation now.
    private func guestAvailability(of action: Doorward.Action, on subject: some PermissionSubject) -> Availability {
        guard subject.subjectType == .device, case .string(let id)? = subject.subjectValue("id") else { return .hidden }
        let now = clock.now
        let accesses = (me?.guestAccesses ?? []).filter {
            $0.revokedAt == nil && $0.deviceIds?.contains(id) == true && $0.operations?.contains(action) == true
                && ($0.validUntil.map { now < $0 } ?? false)
        }
        let next = accesses.min { ($0.validFrom?.milliseconds ?? .max) < ($1.validFrom?.milliseconds ?? .max) }
        guard let next, let opensAt = next.validFrom else { return .hidden }
        if now < opensAt { return .unavailable(reason: .guestWindowNotStarted, opensAt: opensAt) }
        if next.usesLeft == 0 { return .unavailable(reason: .guestUsesExhausted, opensAt: nil) }
        return next.schedule == nil
            ? .hidden : .unavailable(reason: .outsideSchedule, opensAt: nextChangeAt)
    }

    /// Whether the person holds the role.
    public func hasRole(_ role: Doorward.Role, on entityID: String?) -> Bool {
        guard status.hasRules, let me else { return false }
        if role == .superAdmin { return me.isSuperAdmin == true && entityID == nil }
        if role == .guest { return entityID == nil && me.guestAccesses?.contains { $0.revokedAt == nil } == true }
        return me.roleAssociations?.contains {
            $0.roleWithinEntity == role && (entityID == nil || $0.associatedEntityId == entityID)
        } ?? false
    }

    // MARK: - Loading

    /// Reads the permissions and the person's roles from the gateway.
    ///
    /// - Throws: the error of the request. After a 403 the rules are dropped.
    public func refresh() async throws {
        let read = beginRead()
        do {
            async let abilities = source.abilities()
            async let user = source.me()
            let (newAbilities, newUser) = try await (abilities, user)
            show(newUser, of: read)
            guard read > shown.abilities else { return }
            shown.abilities = read
            apply(newAbilities, isLive: false)
        } catch DoorwardError.refused(let refusal) where read > shown.abilities && refusal.status == 403 {
            drop(.refused(code: refusal.code))
            throw DoorwardError.refused(refusal)
        } catch DoorwardError.sessionEnded where read > dropped {
            drop(.refused(code: "unauthenticated"))
            throw DoorwardError.sessionEnded
        }
    }

    /// Reads the permissions again after the gateway denied a request that a check had permitted: at most every five seconds, so
    /// that denials never cause a loop.
    public func rereadAfterDenial() async {
        if let rereadAt, clock.uptime - rereadAt < .seconds(5) { return }
        rereadAt = clock.uptime
        try? await refresh()
    }

    /// Reads the permissions again if they were read more than five minutes ago, or if the clock has changed them. Does nothing
    /// while the stream is live. If the read fails, rules that are too old are dropped.
    public func refreshIfNeeded() async {
        if case .live = status { return }
        guard status != .signedOut else { return }
        let isOld = fetchedAt.map { clock.uptime - $0 >= Self.maxAge } ?? true
        let isChanged = nextChangeAt.map { $0 <= clock.now } ?? false
        guard isOld || isChanged else { return }
        let before = fetchedAt
        do {
            try await refresh()
        } catch {
            // The stream may have sent newer rules in the meantime.
            if let before, before == fetchedAt { drop(.expired(at: clock.now)) }
        }
    }

    /// When the rules are to be read again without the stream, by the uptime of the clock.
    package var nextRefresh: Duration {
        let now = clock.uptime
        let byAge = (fetchedAt ?? now) + Self.maxAge
        guard let change = nextChangeAt else { return byAge }
        return min(byAge, now + .milliseconds(max(0, change.milliseconds - clock.now.milliseconds)))
    }

    /// Reads the person's roles and guest accesses again.
    package func refreshMe() async throws {
        let read = beginRead()
        show(try await source.me(), of: read)
    }

    private func beginRead() -> Int {
        reads += 1
        return reads
    }

    private func show(_ user: Doorward.User, of read: Int) {
        guard read > shown.me else { return }
        shown.me = read
        if me != user { me = user }
    }

    /// Selects the portfolio that the person works in.
    public func select(portfolio id: String?) { if selectedPortfolioID != id { selectedPortfolioID = id } }

    /// Replaces the rules. Observers are not notified of equal rules.
    ///
    /// - Returns: whether they differ from the present ones.
    @discardableResult package func apply(_ abilities: CallerAbilities, isLive: Bool) -> Bool {
        let isChanged = ability.rules != abilities.rules
        // Rules that the stream sends are newer than the result of any read in progress.
        if isLive { shown.abilities = reads }
        fetchedAt = clock.uptime
        if isChanged {
            ability = Doorward.Ability(abilities.rules)
            logger.info("permissions changed: \(abilities.rules.count) rules")
        }
        if nextChangeAt != abilities.nextChangeAt { nextChangeAt = abilities.nextChangeAt }
        if case .live = status { return isChanged }
        status = isLive ? .live(since: clock.now) : .loaded(at: clock.now)
        return isChanged
    }

    /// The stream no longer sends changes: from now on the age of the rules counts.
    package func streamEnded() {
        guard case .live = status else { return }
        fetchedAt = clock.uptime
        status = .loaded(at: clock.now)
    }

    /// Forgets everything about the person.
    package func clear() {
        drop(.signedOut)
        (me, selectedPortfolioID) = (nil, nil)
    }

    /// Begins with nothing loaded, for the next person.
    package func reset() {
        clear()
        status = .loading
    }

    private func drop(_ newStatus: PermissionStatus) {
        (dropped, shown) = (reads, (reads, reads))
        ability = .none
        (nextChangeAt, fetchedAt) = (nil, nil)
        if status != newStatus { status = newStatus }
    }
}
