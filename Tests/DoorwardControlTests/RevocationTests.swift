import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Foundation
import Synchronization
import Testing

/// A revoked right no longer applies to any command that has not been sent.
@Suite struct RevocationTests {
    static let interleavings: UInt64 = 10_000

    @Test("once a revocation is answered, no command that needs the right is sent: 10,000 interleavings of a slow lock's queue")
    func nothingLeavesAfterARevoke() throws {
        var sent = 0
        var denied = 0
        for seed in 0..<Self.interleavings {
            let outcome = try Self.interleaving(seed: seed)
            sent += outcome.sent
            denied += outcome.denied
            try #require(outcome.sentAfterRevoke == 0, "seed \(seed): a command was sent after the revocation was answered")
            try #require(outcome.violations.isEmpty, "seed \(seed): \(outcome.violations)")
        }
        // Commands before and after the revocation must both occur, or the test does not cover both cases.
        #expect(sent > 5_000)
        #expect(denied > 5_000)
    }

    struct Outcome: Sendable {
        var sent = 0
        var sentAfterRevoke = 0
        var denied = 0
        var violations: [String] = []
    }

    /// The kind of revocation.
    enum Revocation: CaseIterable {
        case guestAccess
        case grantorsTenancy
        case disabledUser
        /// The right of all users ends.
        case deletedDevice
        /// The right of all users who have it through the unit ends.
        case movedDevice
    }

    private static func interleaving(seed: UInt64) throws -> Outcome {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: seed, clock: clock)
        return try executor.run {
            var random = SeededGenerator(seed: seed ^ 0x5EED)
            let travel = Duration.milliseconds(Int64.random(in: 1...400, using: &random))
            let house = try await House(seed: seed, clock: clock, executor: executor, behaviour: .confirm(after: travel))
            let guests = Int.random(in: 1...4, using: &random)
            let others = Int.random(in: 0...3, using: &random)
            let start = clock.monotonicNow()
            let revokeAt = start.advanced(by: .milliseconds(Int64.random(in: 0...600, using: &random)))
            let starts = (0..<(guests + others)).map { _ in
                start.advanced(by: .milliseconds(Int64.random(in: 0...300, using: &random)))
            }
            let how = Revocation.allCases.randomElement(using: &random) ?? .guestAccess
            return await withTaskGroup(of: Command?.self) { group in
                for (index, instant) in starts.enumerated() {
                    group.addTask {
                        try? await clock.sleep(until: instant)
                        let user = index < guests ? house.ids.guest : house.ids.owner
                        return try? await house.run(index % 2 == 0 ? .unlock : .lock, by: user)
                    }
                }
                try? await clock.sleep(until: revokeAt)
                let ordersAtAnswer = await revoke(how, in: house)
                return await judge(group, house, how, ordersAtAnswer: ordersAtAnswer)
            }
        }
    }

    /// Revokes the guest's right.
    ///
    /// - Returns: the number of commands sent before the revocation was answered; `nil` if it failed.
    private static func revoke(_ how: Revocation, in house: House) async -> Int? {
        do {
            switch how {
            case .guestAccess: try await house.control.guestAccesses.revoke(house.caller(house.ids.tenant), house.ids.guestAccess)
            case .grantorsTenancy:
                try await house.control.roles.remove(house.caller(house.ids.owner), house.ids.tenant, from: .unit(house.ids.unit))
            case .disabledUser:
                _ = try await house.control.users.update(
                    house.caller(house.ids.superAdmin), house.ids.guest, UserChanges(isEnabled: false))
            case .movedDevice:
                var changes = DeviceChanges()
                changes.unitID = .cleared
                _ = try await house.control.attachedDevices.change(house.caller(house.ids.owner), house.ids.door, changes)
            case .deletedDevice: try await house.control.attachedDevices.detach(house.caller(house.ids.owner), house.ids.door)
            }
            return house.adapter.sentCommands.count
        } catch {
            return nil
        }
    }

    private static func judge(
        _ group: TaskGroup<Command?>, _ house: House, _ how: Revocation, ordersAtAnswer: Int?
    ) async -> Outcome {
        var outcome = Outcome()
        guard let ordersAtAnswer else {
            outcome.violations.append("the revocation failed")
            return outcome
        }
        var group = group
        var commands: [Command] = []
        while let command = await group.next() { if let command { commands.append(command) } }
        let losers = Set(commands.filter { how == .deletedDevice || $0.actor.userID == house.ids.guest }.map(\.id))
        outcome.sent = house.adapter.sentCommands.count
        outcome.sentAfterRevoke = house.adapter.sentCommands.dropFirst(ordersAtAnswer).count {
            losers.contains($0.command.commandID)
        }
        outcome.denied = commands.count { $0.state == .denied }
        outcome.violations = violations(of: commands, losers, house)
        let isAttached = house.adapter.attached.contains { $0.id == house.ids.door }
        if isAttached == (how == .deletedDevice) {
            outcome.violations.append("the lock is attached after its deletion, or detached without one")
        }
        return outcome
    }

    /// Returns all violations: each command needs an intent first, exactly one outcome and a correct `sent`, and is sent only
    /// once.
    private static func violations(of commands: [Command], _ losers: Set<CommandID>, _ house: House) -> [String] {
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
            if command.sent == true, command.state != .confirmed { violations.append("a sent command was not confirmed") }
            if command.state == .denied, !losers.contains(command.id) { violations.append("the owner was denied") }
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
        house.adapter.onSend { _ in
            Task.detached {
                try await house.control.guestAccesses.revoke(house.caller(tenant), access)
                answered.value = true
            }
            // Inside the gate the new directory takes effect while the command is being handed over …
            while directory.current.guestAccess(access)?.revokedAt == nil { sched_yield() }
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
