import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// Asked in any way, or by a command, the answer is the same.
@Suite struct AgreementTests {
    /// A clock that shows one instant.
    private struct FixedClock: GatewayClock {
        let instant: Timestamp

        func now() -> Timestamp { instant }
        func monotonicNow() -> MonotonicInstant { MonotonicInstant(nanoseconds: 0) }
        func sleep(until instant: MonotonicInstant) async throws {}
    }

    /// The questions about one world at one time.
    private struct Questions {
        let directory: TenancyDirectory
        let now: Timestamp
        private let authorization: Authorization

        init(_ current: CurrentDirectory, now: Timestamp) {
            (directory, self.now) = (current.current, now)
            authorization = Authorization(directory: current, clock: TrustedClock(FixedClock(instant: now)))
        }

        /// The decision that a command would get.
        func decide(_ principal: Principal, _ operation: LockOperation, _ device: DeviceID, at: Timestamp) -> Decision {
            SecurityService.decide(principal, operation, on: device, at: .trusted(at), override: false, in: directory)
        }

        /// The answer of `POST /authorize`; `nil` if the lock is out of the caller's reach.
        func authorize(
            _ caller: Principal, _ operation: LockOperation, _ device: DeviceID, about user: UserID? = nil, at: Timestamp
        ) throws -> ExplainedDecision? {
            let request = AuthorizationRequest(
                deviceID: device, operation: operation, userID: user, instant: at == now ? nil : at)
            return try ifReached(caller) { try authorization.decide(request, for: Caller(principal: caller)) }
        }

        func permissions(_ caller: Principal, _ device: DeviceID) throws -> [ExplainedDecision]? {
            try ifReached(caller) { try authorization.permissions(on: device, for: Caller(principal: caller)) }
        }

        /// The entries of all pages; `nil` if no principal of the world may ask.
        func whoCan(
            _ operation: LockOperation, _ device: DeviceID, at: Timestamp, among callers: [Principal]
        ) throws -> [PermittedEntry: Rule]? {
            guard let caller = callers.first(where: { decide($0, .viewAccessHistory, device, at: now).isAllowed }) else {
                return nil
            }
            let page = PageRequest<NameOrEnd>(limit: 200)
            let list = try authorization.whoCan(operation, on: device, at: at, for: Caller(principal: caller), page)
            #expect(list.totalItems == list.items.count)
            let isWhole = list.items.allSatisfy { $0.id != nil }
            return isWhole
                ? Dictionary(uniqueKeysWithValues: list.items.map { (PermittedEntry(kind: $0.kind, id: $0.id), $0.rule) }) : nil
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

    private struct PermittedEntry: Hashable {
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

    /// 8 blocks of 12,500 cases: a principal, an operation, a lock and an instant each.
    @Test("In 100,000 random cases authorize, permissions, who-can and the decision of a command agree", arguments: 0..<8)
    func agree(block: UInt64) throws {
        var (seed, cases, listed, othersAsked) = (block * 100_000, 0, 0, 0)
        while cases < 12_500 {
            var world = PlainWorld(seed: seed)
            world.addAPIKeys()
            let start = FixedClock(instant: PlainWorld.now)
            let current = CurrentDirectory(world.directory, feed: ChangeFeed(clock: start))
            let everyone = world.everyPrincipal()
            for _ in 0..<6 {
                let now = world.interestingInstant()
                let later = max(now, world.chance(50) ? now : world.interestingInstant())
                let questions = Questions(current, now: now)
                let (device, operation) = (
                    world.someDevice(), LockOperation.allCases.randomElement(using: &world.generator) ?? .unlock
                )
                let list = try questions.whoCan(operation, device, at: later, among: everyone)
                let granter = everyone.first { questions.decide($0, .grantAccess, device, at: now).isAllowed }
                for principal in everyone {
                    cases += 1
                    // A super admin reaches every id, but an unknown device has no answer.
                    let reaches =
                        questions.directory.resolve(device) != nil
                        && questions.decide(principal, operation, device, at: now).denial?.hasReach ?? true
                    let decision = questions.decide(principal, operation, device, at: later)
                    let asked = try questions.authorize(principal, operation, device, at: later)
                    try #require(
                        asked?.decision == (reaches ? decision : nil), "seed \(seed): \(principal) \(operation) \(device) \(now)")
                    #expect(asked.map { $0.isAboutFuture == (later > now) } != false)
                    if later == now {
                        let permissions = try questions.permissions(principal, device)
                        try #require((permissions != nil) == reaches, "seed \(seed)")
                        let same = permissions?.first { $0.operation == operation }?.decision
                        try #require(same == (reaches ? decision : nil), "seed \(seed): \(principal) \(operation)")
                    }
                    if case .user(let user) = principal, let granter, granter != principal {
                        let other = try questions.authorize(granter, operation, device, about: user, at: later)?.decision
                        let isKnown = decision.denial?.hasReach ?? true
                        let expected = isKnown ? decision : .denied(Denial(.noAssociation, hasReach: false))
                        try #require(other == expected, "seed \(seed): \(granter) about \(user) \(operation)")
                        othersAsked += 1
                    }
                    guard let list else { continue }
                    // The link of a guest with an account is listed as that person.
                    if case .guestLink(let id) = principal, questions.directory.guestAccess(id)?.guestUserID != nil { continue }
                    try #require(
                        list[PermittedEntry(principal)] == decision.rule, "seed \(seed): \(principal) \(operation) \(device)")
                    listed += decision.isAllowed ? 1 : 0
                }
            }
            seed += 1
        }
        #expect(listed > 500 && othersAsked > 1000, "\(listed), \(othersAsked)")
    }

    @Test(
        "A command is confirmed exactly if the questions before it said so, and is denied for the same reason", arguments: 0..<4)
    func commands(block: UInt64) async throws {
        var (confirmed, denied) = (0, 0)
        for seed in block * 12..<(block + 1) * 12 {
            var world = PlainWorld(seed: seed)
            world.addAPIKeys()
            let clock = VirtualClock(start: world.interestingInstant())
            let store = InMemoryStore()
            // The store refuses what refers to nothing; the rest of the world is enough.
            for change in world.changes { _ = try? await store.commit(StoreTransaction(changes: [change])) }
            var limits = GatewayControl.Limits()
            limits.deniedPerMinute = 1_000_000
            let control = GatewayControl(
                store: store, adapters: [ScriptedAdapter(kind: "simulator", clock: clock)], clock: clock,
                random: RandomSource(SeededGenerator(seed: seed)), limits: limits)
            try await control.start()
            for principal in world.everyPrincipal() {
                // A guest link makes its requests through its page.
                if case .guestLink = principal { continue }
                for device in world.devices {
                    for operation in LockOperation.movements {
                        let caller = Caller(principal: principal)
                        let asked = try? control.authorization.decide(
                            AuthorizationRequest(deviceID: device.id, operation: operation), for: caller)
                        let reason = await Self.execute(operation, on: device.id, by: caller, with: control.locks)
                        #expect(asked?.decision.isAllowed ?? false == (reason == nil), "seed \(seed): \(principal) \(operation)")
                        let isHidden = asked == nil || asked?.decision.denial?.hasReach == false
                        if let reason, !isHidden { #expect(reason == asked?.decision.denial?.reason, "seed \(seed)") }
                        if reason == nil { confirmed += 1 } else { denied += 1 }
                    }
                }
            }
            await control.locks.stop(patience: .zero)
        }
        #expect(confirmed > 20 && denied > 100, "\(confirmed), \(denied)")
    }

    /// Executes a command; returns the reason of its denial, `nil` if it was confirmed.
    private static func execute(
        _ operation: LockOperation, on device: DeviceID, by caller: Caller, with locks: LockDAL
    ) async -> DenialReason? {
        let request = CommandRequest(
            caller: caller, deviceID: device, attemptedID: device.description, operation: operation, timeout: .seconds(10))
        do {
            let finished = try await locks.execute(request).value
            #expect(finished.command.state == .confirmed)
            return nil
        } catch GatewayError.denied(let denial, _, _) {
            return denial.reason
        } catch {
            Issue.record("\(error)")
            return .userUnknown
        }
    }
}
