import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Synchronization
import Testing

/// Random deletes, cascades, moves and disabled users, with commands under way.
@Suite struct RemovalRunTests {
    static let seeds: UInt64 = 1_000

    @Test("after 1,000 seeded runs no entity refers to one that is gone, and no command was sent under a right that was gone")
    func runs() throws {
        var done: [Change: Int] = [:]
        var (sent, denied) = (0, 0)
        for seed in 0..<Self.seeds {
            let run = try Self.run(seed: seed)
            try #require(run.violations.isEmpty, "seed \(seed): \(run.violations)")
            for change in run.changes { done[change, default: 0] += 1 }
            sent += run.sent
            denied += run.denied
        }
        for change in Change.allCases { #expect(done[change, default: 0] > 50, "\(change) succeeded too rarely: \(done)") }
        #expect(sent > 1_000 && denied > 150, "\(sent) sent, \(denied) denied")
    }

    enum Change: CaseIterable {
        case deletePortfolio, deleteProperty, deleteUnit, deleteDevice, deleteUser
        case moveToUnit, leaveUnit, unassign, attachAgain, replaceTenants, replaceDevices, removeRole, disable, revoke
    }

    struct Outcome {
        var changes: [Change] = []
        var (sent, denied) = (0, 0)
        var violations: [String] = []
    }

    private static func run(seed: UInt64) throws -> Outcome {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: seed, clock: clock)
        return try executor.run(stepLimit: 200_000) {
            var random = SeededGenerator(seed: seed ^ 0xDE1E7E)
            let travel = Duration.milliseconds(Int64.random(in: 1...600, using: &random))
            let house = try await House(seed: seed, clock: clock, executor: executor, behaviour: .confirm(after: travel))
            let witness = Witness(house.control.directory)
            house.adapter.onSend { witness.noteSend(of: $0.commandID) }
            let users = [house.ids.owner, house.ids.tenant, house.ids.guest, house.ids.managers[0], house.ids.managers[1]]
            let start = clock.monotonicNow()
            func instant() -> MonotonicInstant {
                start.advanced(by: .milliseconds(Int64.random(in: 0...600, using: &random)))
            }
            let commands = (0..<Int.random(in: 4...10, using: &random)).map { _ in
                let user = users.randomElement(using: &random) ?? house.ids.owner
                let device = Bool.random(using: &random) ? house.ids.door : house.ids.frontDoor
                let operation = Bool.random(using: &random) ? LockOperation.unlock : .lock
                let at = instant()
                return Task(executorPreference: executor) {
                    try? await clock.sleep(until: at)
                    return try? await house.run(operation, by: user, on: device)
                }
            }
            let changes = (0..<Int.random(in: 2...6, using: &random)).map { index in
                let (change, at) = (Change.allCases.randomElement(using: &random) ?? .deleteUnit, instant())
                let choice = SeededGenerator(seed: seed &* 100 &+ UInt64(index))
                return Task(executorPreference: executor) { () -> Change? in
                    try? await clock.sleep(until: at)
                    var choice = choice
                    guard (try? await make(change, in: house, using: &choice)) != nil else { return nil }
                    witness.noteAnswer()
                    return change
                }
            }
            var outcome = Outcome()
            for task in changes { if let change = await task.value { outcome.changes.append(change) } }
            var ended: [Command] = []
            for task in commands { if let command = await task.value { ended.append(command) } }
            outcome.sent = house.adapter.sentCommands.count
            outcome.denied = ended.count { $0.state == .denied }
            outcome.violations = witness.violations(of: ended, at: clock.now())
            try await outcome.violations += orphans(in: house)
            return outcome
        }
    }

    /// Returns the violations of integrity in the store, and between the directory in memory and a directory loaded from the
    /// store.
    private static func orphans(in house: House) async throws -> [String] {
        var (loaded, changes) = (TenancyDirectory(), [TenancyChange]())
        try await house.store.loadTenancy { changes.append($0) }
        for change in changes { loaded.apply(change) }
        let difference = StoredTenancy.difference(of: house.control.directory.current, loaded)
        return StoredTenancy(changes).orphans(at: house.clock.now()) + (difference.map { ["the directory differs: \($0)"] } ?? [])
    }

    /// Makes a change of a random entity that exists. Throws if the change is refused, for example because an earlier one has
    /// removed the caller's right.
    private static func make(_ change: Change, in house: House, using random: inout SeededGenerator) async throws {
        struct NothingToDo: Error {}
        let tenancy = house.control.directory.current
        func pick<Value>(_ values: [Value]) throws -> Value {
            guard let value = values.randomElement(using: &random) else { throw NothingToDo() }
            return value
        }
        let (root, owner) = (house.caller(house.ids.superAdmin), house.caller(house.ids.owner))
        let (portfolios, devices) = (house.control.portfolios, house.control.attachedDevices)
        let isCascade = Int.random(in: 0..<4, using: &random) > 0
        switch change {
        case .deletePortfolio:
            try await portfolios.delete(root, try pick(tenancy.portfolioIDs), RemovalOptions(isCascade: isCascade))
        case .deleteProperty:
            try await portfolios.delete(owner, house.ids.property, RemovalOptions(isCascade: isCascade))
        case .deleteUnit: try await portfolios.delete(owner, try pick(tenancy.unitIDs), RemovalOptions(isCascade: isCascade))
        case .deleteDevice:
            let device = try pick(tenancy.deviceIDs)
            try await devices.detach(tenancy.device(device)?.propertyID == nil ? root : owner, device)
        case .deleteUser: try await house.control.users.delete(root, try pick(tenancy.userIDs))
        case .moveToUnit: _ = try await devices.move(owner, try pick(tenancy.deviceIDs), to: try pick(tenancy.unitIDs))
        case .leaveUnit:
            let unit = try pick(tenancy.unitIDs)
            try await devices.remove(owner, try pick(tenancy.deviceIDs(of: unit)), from: unit)
        case .unassign:
            var changes = DeviceChanges()
            changes.propertyID = .cleared
            _ = try await devices.change(owner, try pick(tenancy.deviceIDs), changes)
        case .attachAgain:
            // Unassigned devices are rare: unassign one first.
            var changes = DeviceChanges()
            let device = try pick([house.ids.door, house.ids.frontDoor])
            changes.propertyID = .cleared
            _ = try? await devices.change(owner, device, changes)
            changes.propertyID = .set(try pick(tenancy.propertyIDs))
            _ = try await devices.change(root, device, changes)
        case .replaceTenants:
            var changes = UnitChanges()
            changes.holders = [try pick(tenancy.userIDs)]
            _ = try await portfolios.change(owner, try pick(tenancy.unitIDs), changes)
        case .replaceDevices:
            var changes = UnitChanges()
            (changes.devices, changes.commonAreas) = ([house.ids.frontDoor], [house.ids.door])
            _ = try await portfolios.change(owner, try pick(tenancy.unitIDs), changes)
        case .removeRole:
            let user = try pick([house.ids.tenant] + house.ids.managers)
            guard let role = tenancy.associations(of: user).first else { throw NothingToDo() }
            try await house.control.roles.remove(owner, user, from: role.entity)
        case .disable:
            _ = try await house.control.users.update(root, try pick(tenancy.userIDs), UserChanges(isEnabled: false))
        case .revoke: try await house.control.guestAccesses.revoke(owner, house.ids.guestAccess)
        }
    }
}

/// Notes the directory of each change that was answered, and of each command that was sent.
private final class Witness: Sendable {
    private struct State {
        /// The directory after the last answered change.
        var answered: CurrentDirectory.Snapshot
        /// For each command, the directories between which it was decided for the last time.
        var sent: [CommandID: [CurrentDirectory.Snapshot]] = [:]
    }

    private let directory: CurrentDirectory
    private let state: Mutex<State>

    init(_ directory: CurrentDirectory) {
        self.directory = directory
        state = Mutex(State(answered: directory.snapshot))
    }

    func noteAnswer() {
        let snapshot = directory.snapshot
        state.withLock { $0.answered = snapshot }
    }

    func noteSend(of command: CommandID) {
        let snapshot = directory.snapshot
        state.withLock { $0.sent[command] = [$0.answered, snapshot] }
    }

    /// The commands that were sent although neither directory gave their actor the right.
    func violations(of commands: [Command], at now: Timestamp) -> [String] {
        let sent = state.withLock { $0.sent }
        return commands.compactMap { command in
            guard let snapshots = sent[command.id], let user = command.actor.userID else { return nil }
            let isAllowed = snapshots.contains { snapshot in
                SecurityService.decide(
                    .user(user), command.operation, on: command.deviceID, at: .trusted(now), override: false,
                    in: snapshot.directory
                ).isAllowed
            }
            return isAllowed ? nil : "command \(command.id) was sent without a right"
        }
    }
}
