import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// Commands that are really executed, beside the questions about them.
@Suite struct CommandAgreementTests {
    /// What the commands have covered.
    private struct Coverage {
        var (confirmed, counted, inFlight, links) = (0, 0, 0, 0)
        var reasons: [DenialReason: Int] = [:]
    }

    /// A running gateway with the part of a random tenancy that the store accepts.
    private struct Gateway {
        let control: GatewayControl
        let adapter: ScriptedAdapter
        let clock: VirtualClock
        let everyone: [Principal]

        init(_ world: inout PlainWorld, seed: UInt64) async throws {
            clock = VirtualClock(start: world.openDevice()?.instant ?? world.interestingInstant())
            let store = InMemoryStore()
            // The store refuses what refers to nothing; the rest of the world is enough.
            for change in world.changes { _ = try? await store.commit(StoreTransaction(changes: [change])) }
            for (access, count) in world.usesTaken {
                for _ in 0..<count { _ = try? await store.commit(StoreTransaction(counters: [.takeUse(of: access)])) }
            }
            var limits = GatewayControl.Limits()
            limits.deniedPerMinute = 1_000_000
            adapter = ScriptedAdapter(kind: "simulator", clock: clock)
            control = GatewayControl(
                store: store, adapters: [adapter], clock: clock, random: RandomSource(SeededGenerator(seed: seed)), limits: limits
            )
            try await control.start()
            clock.stepWall(by: world.step())
            everyone = world.everyPrincipal()
        }

        /// The questions as of now.
        var questions: Questions {
            Questions(control.directory.current, control.authorization, now: control.clock.decisionTime())
        }

        private func request(_ principal: Principal, _ operation: LockOperation, _ device: DeviceID) -> CommandRequest {
            CommandRequest(
                caller: Caller(principal: principal), deviceID: device, attemptedID: device.description, operation: operation,
                timeout: .seconds(10))
        }

        /// Begins a command; returns the reason of its denial if it is not accepted.
        func begin(
            _ principal: Principal, _ operation: LockOperation, _ device: DeviceID
        ) async throws -> (running: RunningCommand?, denied: DenialReason?) {
            do {
                return (try await control.locks.begin(request(principal, operation, device)).value, nil)
            } catch GatewayError.denied(let denial, _, _) {
                return (nil, denial.reason)
            }
        }

        /// Executes a command; returns the reason of its denial, `nil` if it was confirmed.
        func execute(_ principal: Principal, _ operation: LockOperation, _ device: DeviceID) async throws -> DenialReason? {
            let begun = try await begin(principal, operation, device)
            guard let running = begun.running else { return begun.denied }
            let finished = await running.finished
            #expect(finished.command.state == .confirmed, "\(finished.command)")
            return finished.denial?.reason
        }

        /// Asks about a command in every way; returns the decision.
        func ask(_ principal: Principal, _ operation: LockOperation, _ device: DeviceID, _ comment: Comment) throws -> Decision {
            let questions = questions
            let now = questions.now.instant
            let decision = questions.decide(principal, operation, device, at: now)
            let reached = questions.reaches(principal, device) ? decision : nil
            try #require(try questions.authorize(principal, operation, device, at: now)?.decision == reached, comment)
            let permissions = try questions.permissions(principal, device)
            try #require(permissions?.first { $0.operation == operation }?.decision == reached, comment)
            if questions.isListed(principal), let list = try questions.whoCan(operation, device, at: now, among: everyone) {
                try #require(list[PermittedEntry(principal)] == decision.rule, comment)
            }
            return decision
        }
    }

    @Test(
        "A command is confirmed exactly if the questions before it said so, and is denied for the same reason", arguments: 0..<4)
    func commands(block: UInt64) async throws {
        var coverage = Coverage()
        for seed in block * 24..<(block + 1) * 24 {
            var world = PlainWorld(seed: seed)
            world.addOpenAccesses()
            world.addAPIKeys()
            let gateway = try await Gateway(&world, seed: seed)
            for principal in gateway.everyone {
                for device in world.devices.map(\.id) {
                    for operation in LockOperation.movements {
                        let comment = Comment(rawValue: "seed \(seed): \(principal) \(operation) \(device)")
                        let decision = try gateway.ask(principal, operation, device, comment)
                        let counted = decision.rule.flatMap {
                            gateway.control.directory.current.countedUse(of: operation, under: $0)
                        }
                        if counted != nil, world.chance(50) {
                            try await compareInFlight(gateway, principal, operation, device, comment)
                            coverage.inFlight += 1
                            continue
                        }
                        let reason = try await gateway.execute(principal, operation, device)
                        try #require(reason == decision.denial?.reason, comment)
                        if let reason { coverage.reasons[reason, default: 0] += 1 } else { coverage.confirmed += 1 }
                        if case .guestLink = principal, reason == nil { coverage.links += 1 }
                        coverage.counted += counted != nil ? 1 : 0
                    }
                }
            }
            await gateway.control.locks.stop(gracePeriod: .zero)
        }
        #expect(coverage.confirmed > 40 && coverage.links > 3 && coverage.inFlight > 0 && coverage.counted > 2, "\(coverage)")
        #expect(coverage.reasons.values.reduce(0, +) > 400, "\(coverage)")
        for reason in [DenialReason.guestUsesExhausted, .outsideSchedule, .clockUntrusted] {
            #expect(coverage.reasons[reason, default: 0] > 3, "\(reason) in \(coverage)")
        }
    }

    /// Asks about a second command, and begins it, while a first one with a reserved use waits for a lock that does not answer.
    private func compareInFlight(
        _ gateway: Gateway, _ principal: Principal, _ operation: LockOperation, _ device: DeviceID, _ comment: Comment
    ) async throws {
        gateway.adapter.set(.silent, for: device)
        let first = try await gateway.begin(principal, operation, device)
        try #require(first.running != nil, comment)
        let decision = try gateway.ask(principal, operation, device, comment)
        let second = try await gateway.begin(principal, operation, device)
        try #require(second.denied == decision.denial?.reason, comment)
        gateway.clock.advance(by: .seconds(11))
        for running in [first.running, second.running] { _ = await running?.finished }
        gateway.adapter.set(.confirmAtOnce, for: device)
    }
}
