import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Foundation
import Synchronization
import Testing

/// A right that has ended no longer applies to any command that has not been sent.
@Suite struct RevocationTests {
    static let interleavings: UInt64 = 10_000
    static let blocks: UInt64 = 4

    @Test(
        """
        once a revocation or a shortening is answered, or the window has closed, no command that needs the right is sent: \
        10,000 interleavings of a slow lock's queue
        """, arguments: 0..<blocks)
    func nothingLeavesAfterwards(block: UInt64) throws {
        var totals: [Ending: Outcome] = [:]
        for seed in block * Self.interleavings / Self.blocks..<(block + 1) * Self.interleavings / Self.blocks {
            let (how, outcome) = try Self.interleaving(seed: seed)
            totals[how, default: Outcome()].sent += outcome.sent
            totals[how, default: Outcome()].stopped += outcome.stopped
            totals[how, default: Outcome()].counted += outcome.counted
            try #require(outcome.violations.isEmpty, "seed \(seed), \(how): \(outcome.violations)")
        }
        // Commands before and after the end of the right must both occur, or the test does not cover both cases.
        for how in Ending.allCases {
            let total = totals[how] ?? Outcome()
            #expect(total.sent > 100 && total.stopped > 50 && total.counted > 20, "\(how): \(total)")
        }
    }

    struct Outcome: Sendable {
        var sent = 0
        /// Commands that were accepted and not sent.
        var stopped = 0
        /// Commands that have taken a counted use.
        var counted = 0
        var violations: [String] = []
    }

    /// How the guest's right ends.
    enum Ending: CaseIterable {
        case revoked
        case grantorsTenancy
        case disabledUser
        /// The right of all users ends.
        case deletedDevice
        /// The right of all users who have it through the unit ends.
        case movedDevice
        /// The end of the window becomes the time of the change, or shortly after it.
        case shortened
        /// The window ends by itself.
        case windowEnds
        /// The hours of the schedule end by themselves.
        case hoursEnd
        /// One use is permitted instead of several.
        case fewerUses

        /// Whether the end is the deadline of commands that are accepted while it is known.
        var isDeadline: Bool { [.shortened, .windowEnds, .hoursEnd].contains(self) }
    }

    /// The random choices of one interleaving.
    private struct Plan {
        let how: Ending
        let travel: Duration
        let guests: Int
        let others: Int
        /// When the right ends, or its end is requested, after the start.
        let end: Duration
        /// How long after the request a shortened window ends.
        let rest: Duration
        let starts: [Duration]
        /// The limit of the guest's uses, if there is one.
        let maxUses: Int?

        init(_ random: inout SeededGenerator) {
            how = Ending.allCases.randomElement(using: &random) ?? .revoked
            travel = .milliseconds(Int64.random(in: 1...400, using: &random))
            (guests, others) = (Int.random(in: 1...4, using: &random), Int.random(in: 0...3, using: &random))
            end = .milliseconds(Int64.random(in: 1...600, using: &random))
            rest = .milliseconds(Bool.random(using: &random) ? 0 : Int64.random(in: 1...200, using: &random))
            starts = (0..<(guests + others)).map { _ in .milliseconds(Int64.random(in: 0...300, using: &random)) }
            maxUses = how == .fewerUses || Bool.random(using: &random) ? Int.random(in: 2...4, using: &random) : nil
        }

        /// Limits the guest access before the first command.
        func prepare(_ house: House) async throws {
            var changes = GuestAccessChanges()
            if let maxUses { changes.maxUses = .set(maxUses) }
            if how == .windowEnds { changes.validUntil = until(house.clock.now().advanced(by: end)) }
            if how == .hoursEnd {
                let hours = Schedule.Period(
                    days: .everyDay, from: try #require(LocalTime("00:00")), until: RevocationTests.closing)
                changes.schedule = .set(Schedule(timeZone: "UTC", periods: [hours]))
            }
            _ = try await house.control.guestAccesses.change(house.caller(house.ids.owner), house.ids.guestAccess, changes)
        }

        /// Ends the guest's right.
        ///
        /// - Returns: the number of commands sent before the right had certainly ended.
        func endRight(in house: House) async throws -> Int {
            let (control, ids) = (house.control, house.ids)
            let (owner, guestAccess) = (house.caller(house.ids.owner), house.ids.guestAccess)
            switch how {
            case .revoked: try await control.guestAccesses.revoke(house.caller(ids.tenant), guestAccess)
            case .grantorsTenancy: try await control.roles.remove(owner, ids.tenant, from: .unit(ids.unit))
            case .disabledUser:
                _ = try await control.users.update(house.caller(ids.superAdmin), ids.guest, UserChanges(isEnabled: false))
            case .movedDevice:
                var changes = DeviceChanges()
                changes.unitID = .cleared
                _ = try await control.attachedDevices.change(owner, ids.door, changes)
            case .deletedDevice: try await control.attachedDevices.detach(owner, ids.door)
            case .shortened:
                var changes = GuestAccessChanges()
                let end = house.clock.now().advanced(by: rest)
                changes.validUntil = until(end)
                _ = try await control.guestAccesses.change(house.caller(ids.tenant), guestAccess, changes)
                let left = max(.zero, end.duration(since: house.clock.now()))
                try await house.clock.sleep(until: house.clock.monotonicNow().advanced(by: left))
            case .windowEnds, .hoursEnd: break
            case .fewerUses:
                var changes = GuestAccessChanges()
                changes.maxUses = .set(1)
                _ = try await control.guestAccesses.change(owner, guestAccess, changes)
            }
            return house.adapter.sentCommands.count
        }

        private func until(_ instant: Timestamp) -> ResolvedLocalTime { ResolvedLocalTime(instant: instant, change: .none) }
    }

    /// When the hours of a schedule end: at the next full hour of the virtual clock.
    private static let closing = LocalTime(hour: 9, minute: 0) ?? .endOfDay

    private static func interleaving(seed: UInt64) throws -> (Ending, Outcome) {
        var random = SeededGenerator(seed: seed ^ 0x5EED)
        let plan = Plan(&random)
        // 2026-11-21T09:00:00.000Z is the end of the hours.
        let clock = VirtualClock(start: Timestamp(milliseconds: 1_795_251_600_000).advanced(by: .zero - plan.end))
        let executor = SeededExecutor(seed: seed, clock: clock)
        let outcome = try executor.run {
            let house = try await House(seed: seed, clock: clock, executor: executor, behaviour: .confirm(after: plan.travel))
            let start = clock.monotonicNow()
            try #require(start.nanoseconds == 0, "the end of the hours is counted from the start")
            try await plan.prepare(house)
            return await withTaskGroup(of: Command?.self) { group in
                for (index, delay) in plan.starts.enumerated() {
                    group.addTask {
                        try? await clock.sleep(until: start.advanced(by: delay))
                        let user = index < plan.guests ? house.ids.guest : house.ids.owner
                        return try? await house.run(index % 2 == 0 ? .unlock : .lock, by: user)
                    }
                }
                try? await clock.sleep(until: start.advanced(by: plan.end))
                let sentBefore = try? await plan.endRight(in: house)
                return await judge(&group, house, plan, sentBefore: sentBefore)
            }
        }
        return (plan.how, outcome)
    }

    private static func judge(
        _ group: inout TaskGroup<Command?>, _ house: House, _ plan: Plan, sentBefore: Int?
    ) async -> Outcome {
        var outcome = Outcome()
        guard let sentBefore else {
            outcome.violations.append("the right was not ended")
            return outcome
        }
        var commands: [Command] = []
        while let command = await group.next() { if let command { commands.append(command) } }
        let losers = Set(commands.filter { loses($0, house, plan.how) }.map(\.id))
        let sent = house.adapter.sentCommands.map(\.command.commandID)
        outcome.sent = sent.count
        outcome.stopped = commands.count { $0.sent == false }
        let (before, after) = (sent.prefix(sentBefore), sent.dropFirst(sentBefore))
        // After the reduction to one use a first command may still be sent.
        let permitted = plan.how == .fewerUses && !before.contains(where: losers.contains) ? 1 : 0
        if after.count(where: losers.contains) > permitted { outcome.violations.append("a command was sent after the end") }
        outcome.violations += violations(of: commands, losers, house, plan)
        let isAttached = house.adapter.attached.contains { $0.id == house.ids.door }
        if isAttached == (plan.how == .deletedDevice) {
            outcome.violations.append("the lock is attached after its deletion, or detached without one")
        }
        let counted = commands.filter { $0.operation == .unlock && $0.actor.userID == house.ids.guest && $0.sent == true }
        outcome.counted = plan.maxUses == nil ? 0 : counted.count
        let stored = try? await house.store.usesTaken()[house.ids.guestAccess] ?? 0
        if stored != outcome.counted { outcome.violations.append("\(counted.count) uses, and \(stored ?? -1) stored") }
        if outcome.counted > plan.maxUses ?? 0 { outcome.violations.append("more uses than permitted") }
        return outcome
    }

    /// Whether a command needs the right that ends.
    private static func loses(_ command: Command, _ house: House, _ how: Ending) -> Bool {
        switch how {
        case .deletedDevice: true
        case .fewerUses: command.actor.userID == house.ids.guest && command.operation == .unlock
        default: command.actor.userID == house.ids.guest
        }
    }

    /// Returns all violations: each command needs an intent first, exactly one outcome and a correct `sent`, and is sent only
    /// once.
    private static func violations(
        of commands: [Command], _ losers: Set<CommandID>, _ house: House, _ plan: Plan
    ) -> [String] {
        var violations: [String] = []
        let sent = house.adapter.sentCommands.map(\.command.commandID)
        if Set(sent).count != sent.count { violations.append("a command was sent twice") }
        for command in commands {
            let records = house.records(of: command.id)
            if records.count(where: { $0.kind == .commandOutcome }) != 1 {
                violations.append("a command does not have exactly one outcome")
            }
            if records.first?.kind != .commandIntent { violations.append("the first record is not an intent") }
            if (command.sent == true) != sent.contains(command.id) { violations.append("`sent` is wrong") }
            // A confirmation that comes after the end of the window comes after the deadline.
            let mayTimeOut = plan.how.isDeadline && losers.contains(command.id)
            if command.sent == true, command.state != .confirmed, !(mayTimeOut && command.state == .timedOut) {
                violations.append("a sent command was not confirmed")
            }
            if command.state != .confirmed, !losers.contains(command.id) { violations.append("the owner was denied") }
        }
        return violations
    }

    @Test("a revocation waits for a command that is being handed over, and is answered only after that")
    func revokeWaitsForTheGate() async throws {
        let house = try await House()
        let answered = Seen<Bool>()
        let directory = house.control.directory
        let (access, tenant) = (house.ids.guestAccess, house.ids.tenant)
        let wasAnsweredInside = Seen<Bool>()
        // A thread of its own: with one core the pool has one thread, which hands the command over.
        let elsewhere = SeparateExecutor("test")
        house.adapter.onSend { _ in
            Task.detached(executorPreference: elsewhere) {
                try await house.control.guestAccesses.revoke(house.caller(tenant), access)
                answered.value = true
            }
            // Inside the gate the new directory takes effect while the command is being handed over …
            let isInEffect = (0..<50_000_000).contains { _ in
                sched_yield()
                return directory.current.guestAccess(access)?.revokedAt != nil
            }
            #expect(isInEffect)
            for _ in 0..<20_000 where answered.value == nil { sched_yield() }
            // … but the revocation must not have been answered.
            wasAnsweredInside.value = answered.value ?? false
        }
        let command = try await house.run(by: house.ids.guest)
        #expect(command.state == .confirmed)
        #expect(wasAnsweredInside.value == false)
        let after = await denial { _ = try await house.run(by: house.ids.guest) }
        #expect(after?.reason == .guestAccessRevoked)
    }

    @Test("if another rule allows a queued command when its turn comes, an intent with that rule is recorded before it is sent")
    func anotherRuleMeansAnotherIntent() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 5, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .confirm(after: .seconds(1)))
            let owner = house.caller(house.ids.owner)
            // The tenant also manages the property. The tenancy is the more specific rule, so the first intent names it.
            let manages = try await house.control.roles.assign(
                owner, .propertyManager, to: house.ids.tenant, on: .property(house.ids.property))
            let first = try await house.begin(by: house.ids.owner)
            let second = try await house.begin(by: house.ids.tenant)
            try await house.control.roles.remove(owner, house.ids.tenant, from: .unit(house.ids.unit))
            _ = await first.finished
            let command = await second.finished.command
            #expect(command.state == .confirmed)
            #expect(command.rule == .association(manages.id, .propertyManager))
            let intents = house.records(of: command.id).filter { $0.kind == .commandIntent }
            #expect(intents.map(\.rule) == [.association(house.ids.tenancy, .tenant), command.rule])
            #expect(house.adapter.sentCommands.count { $0.command.commandID == command.id } == 1)
        }
    }
}
