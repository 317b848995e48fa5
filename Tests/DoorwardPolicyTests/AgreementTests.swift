import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// Asked in any way, or by a command, the answer is the same: with schedules, with uses that are left, taken or reserved, and with
/// a clock that is not trusted.
@Suite struct AgreementTests {
    /// What the cases have covered.
    private struct Coverage {
        var cases = 0
        var reasons: [DenialReason: Int] = [:]
        var (listed, othersAsked, reserved, untrusted) = (0, 0, 0, 0)

        mutating func note(_ decision: Decision) {
            cases += 1
            if let reason = decision.denial?.reason { reasons[reason, default: 0] += 1 }
        }
    }

    /// 8 blocks of 12,500 cases: a principal, an operation, a lock and an instant each.
    @Test("In 100,000 random cases authorize, permissions, who-can and the decision of a command agree", arguments: 0..<8)
    func agree(block: UInt64) throws {
        var (seed, coverage) = (block * 100_000, Coverage())
        while coverage.cases < 12_500 {
            var world = PlainWorld(seed: seed)
            world.addOpenAccesses()
            world.addAPIKeys()
            let current = CurrentDirectory(
                world.directory, feed: ChangeFeed(clock: VirtualClock(start: PlainWorld.now)), uses: world.useCounts)
            let everyone = world.everyPrincipal()
            for _ in 0..<6 {
                let open = world.chance(60) ? world.openDevice() : nil
                let now = open?.instant ?? world.interestingInstant()
                let later = max(now, world.chance(50) ? now : world.interestingInstant())
                let clock = Self.clock(showing: now, afterStep: world.step())
                let questions = Questions(
                    current.current, Authorization(directory: current, clock: clock), now: clock.decisionTime())
                let device = open?.device ?? world.someDevice()
                let operations = open == nil ? LockOperation.allCases : LockOperation.movements
                let operation = operations.randomElement(using: &world.generator) ?? .unlock
                try Self.compare(questions, operation, device, later, among: everyone, seed, &coverage)
            }
            seed += 1
        }
        #expect(coverage.listed > 300 && coverage.othersAsked > 700, "\(coverage)")
        #expect(coverage.reserved > 15 && coverage.untrusted > 2000, "\(coverage)")
        for reason in [DenialReason.guestUsesExhausted, .outsideSchedule, .clockUntrusted] {
            #expect(coverage.reasons[reason, default: 0] > 20, "\(reason) in \(coverage)")
        }
    }

    /// A clock that shows an instant after a step; not trusted unless the step is zero.
    private static func clock(showing instant: Timestamp, afterStep step: Duration) -> TrustedClock {
        let base = VirtualClock(start: instant.advanced(by: .zero - step))
        let clock = TrustedClock(base)
        base.stepWall(by: step)
        return clock
    }

    /// Asks about each principal in every way.
    private static func compare(
        _ questions: Questions, _ operation: LockOperation, _ device: DeviceID, _ later: Timestamp, among everyone: [Principal],
        _ seed: UInt64, _ coverage: inout Coverage
    ) throws {
        let isFuture = later > questions.now.instant
        let list = try questions.whoCan(operation, device, at: later, among: everyone)
        let granter = everyone.first { questions.decide($0, .grantAccess, device, at: questions.now.instant).isAllowed }
        for principal in everyone {
            let comment = Comment(rawValue: "seed \(seed): \(principal) \(operation) \(device) at \(later), \(questions.now)")
            let reaches = questions.reaches(principal, device)
            let decision = questions.decide(principal, operation, device, at: later)
            coverage.note(decision)
            coverage.untrusted += questions.now.isTrusted ? 0 : 1
            let asked = try questions.authorize(principal, operation, device, at: later)
            try #require(asked?.decision == (reaches ? decision : nil), comment)
            #expect(asked.map { $0.isAboutFuture == isFuture } != false)
            if !isFuture {
                let permissions = try questions.permissions(principal, device)
                try #require((permissions != nil) == reaches, comment)
                let same = permissions?.first { $0.operation == operation }?.decision
                try #require(same == (reaches ? decision : nil), comment)
                coverage.reserved += try compareReserved(decision, questions, principal, operation, device, comment) ? 1 : 0
            }
            if case .user(let user) = principal, let granter, granter != principal {
                let other = try questions.authorize(granter, operation, device, about: user, at: later)?.decision
                let isKnown = decision.denial?.hasReach ?? true
                try #require(other == (isKnown ? decision : .denied(Denial(.noAssociation, hasReach: false))), comment)
                coverage.othersAsked += 1
            }
            guard let list, questions.isListed(principal) else { continue }
            try #require(list[PermittedEntry(principal)] == decision.rule, comment)
            coverage.listed += decision.isAllowed ? 1 : 0
        }
    }

    /// Reserves the use that an allowed command needs, and compares its decision in the dispatch gate, and the answers to everyone
    /// else, with those before.
    ///
    /// - Returns: false if the command needs no use.
    private static func compareReserved(
        _ decision: Decision, _ questions: Questions, _ principal: Principal, _ operation: LockOperation, _ device: DeviceID,
        _ comment: Comment
    ) throws -> Bool {
        let (directory, now) = (questions.directory, questions.now.instant)
        guard let rule = decision.rule, let (id, max) = directory.countedUse(of: operation, under: rule) else { return false }
        let counts = directory.useCounts
        let left = max - counts.taken(of: id)
        try #require(left > 0, comment)
        var (taken, returned) = (GuestUseCounts.Changes(), GuestUseCounts.Changes())
        (taken.taken, returned.returned) = ([id], [id])
        counts.begin(taken)
        counts.end(taken, isWritten: true)
        let atGate = questions.decide(principal, operation, device, at: now, uses: CommandUses(reserved: id))
        try #require(atGate == decision, comment)
        let asked = try questions.authorize(principal, operation, device, at: now)?.decision
        try #require(asked == questions.decide(principal, operation, device, at: now), comment)
        if left == 1 { try #require(asked?.rule != rule, comment) } else { try #require(asked == decision, comment) }
        counts.begin(returned)
        counts.end(returned, isWritten: true)
        return true
    }
}

extension PlainWorld {
    /// A step of the wall clock by which it is not trusted any more, back or forward, for a quarter of the cases; otherwise zero.
    mutating func step() -> Duration {
        guard chance(25) else { return .zero }
        return .seconds(Int.random(in: 61...3 * 86_400, using: &generator) * (chance(50) ? 1 : -1))
    }
}
