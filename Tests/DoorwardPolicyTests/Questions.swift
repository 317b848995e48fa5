import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import Testing

/// The ways to ask who may do what, about one tenancy at one time.
struct Questions {
    let directory: TenancyDirectory
    /// The time that a command would be decided at.
    let now: DecisionTime
    private let authorization: Authorization

    init(_ directory: TenancyDirectory, _ authorization: Authorization, now: DecisionTime) {
        (self.directory, self.authorization, self.now) = (directory, authorization, now)
    }

    /// The decision that a command would get.
    func decide(
        _ principal: Principal, _ operation: LockOperation, _ device: DeviceID, at: Timestamp, uses: CommandUses = CommandUses()
    ) -> Decision {
        let time = at == now.instant ? now : .trusted(at)
        return SecurityService.decide(principal, operation, on: device, at: time, override: false, uses: uses, in: directory)
    }

    /// Whether a principal may know of a device. A super admin reaches every id, but an unknown device has no answer.
    func reaches(_ principal: Principal, _ device: DeviceID) -> Bool {
        directory.resolve(device) != nil && decide(principal, .viewStatus, device, at: now.instant).denial?.hasReach ?? true
    }

    /// The answer of `POST /authorize`; `nil` if the lock is out of the caller's reach.
    func authorize(
        _ caller: Principal, _ operation: LockOperation, _ device: DeviceID, about user: UserID? = nil, at: Timestamp
    ) throws -> ExplainedDecision? {
        let instant = at == now.instant ? nil : at
        return try ifReached(caller) {
            try authorization.decide(operation, on: device, by: user, at: instant, for: Caller(principal: caller))
        }
    }

    func permissions(_ caller: Principal, _ device: DeviceID) throws -> [ExplainedDecision]? {
        try ifReached(caller) { try authorization.permissions(on: device, for: Caller(principal: caller)) }
    }

    /// The entries of all pages; `nil` if no principal may ask, or the one who asks may not know all ids.
    func whoCan(
        _ operation: LockOperation, _ device: DeviceID, at: Timestamp, among callers: [Principal]
    ) throws -> [PermittedEntry: Rule]? {
        guard let caller = callers.first(where: { decide($0, .viewAccessHistory, device, at: now.instant).isAllowed }) else {
            return nil
        }
        let page = PageRequest<NameOrEnd>(limit: 200)
        let list = try authorization.whoCan(
            operation, on: device, at: at == now.instant ? nil : at, for: Caller(principal: caller), page)
        #expect(list.totalItems == list.items.count)
        let isWhole = list.items.allSatisfy { $0.id != nil }
        return isWhole
            ? Dictionary(uniqueKeysWithValues: list.items.map { (PermittedEntry(kind: $0.kind, id: $0.id), $0.rule) }) : nil
    }

    /// Whether `whoCan` names a principal by itself: the link of a guest with an account is listed as that person.
    func isListed(_ principal: Principal) -> Bool {
        guard case .guestLink(let id) = principal else { return true }
        return directory.guestAccess(id)?.guestUserID == nil
    }

    private func ifReached<Value>(_ caller: Principal, _ body: () throws -> Value) throws -> Value? {
        do {
            return try body()
        } catch GatewayError.denied(let denial, _, _) where !denial.hasReach {
            return nil
        } catch GatewayError.notFound {
            #expect(directory.subject(of: caller).isSuperAdmin)
            return nil
        }
    }
}

/// A principal as `whoCan` lists it.
struct PermittedEntry: Hashable {
    let kind: ActorKind
    let id: String?

    init(kind: ActorKind, id: String?) { (self.kind, self.id) = (kind, id) }

    init(_ principal: Principal) {
        switch principal {
        case .user(let id): self.init(kind: .user, id: id.description)
        case .guestLink(let id): self.init(kind: .guestLink, id: id.description)
        case .apiKey(let id): self.init(kind: .apiKey, id: id.description)
        }
    }
}
