import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardStore

/// A change of one field of a command in progress.
struct CommandVariant: Sendable, CustomStringConvertible {
    let description: String
    let change: @Sendable (inout Command) -> Void

    init(_ description: String, _ change: @escaping @Sendable (inout Command) -> Void) {
        (self.description, self.change) = (description, change)
    }

    private static let id = AssociationID(high: 7, low: 8)

    static let all: [CommandVariant] =
        fields + instants
        + LockState.allCases.flatMap { state in
            [
                CommandVariant("state before \(state.rawValue)") { $0.stateBefore = state },
                CommandVariant("state after \(state.rawValue)") { $0.stateAfter = state },
            ]
        } + rules.map { rule in CommandVariant("under \(rule)") { $0.rule = rule } }

    private static let rules: [Rule] =
        [.superAdmin, .guestAccess(id.cast())]
        + Role.allCases.filter { $0 != .superAdmin && $0 != .guest }.map { .association(id, $0) }

    private static let fields = [
        CommandVariant("sent") { $0.sent = true },
        CommandVariant("unknown whether it was sent") { $0.sent = nil },
        CommandVariant("changed nothing") { $0.changed = false },
        CommandVariant("changed something") { $0.changed = true },
        CommandVariant("an empty detail") { $0.outcomeDetail = "" },
        CommandVariant("a detail with unusual characters") { $0.outcomeDetail = "e\u{301}\u{10FFFF}'" },
        CommandVariant("a long detail") { $0.outcomeDetail = String(repeating: "x", count: 100_000) },
    ]

    private static let instants = [Timestamp.storedMilliseconds.lowerBound, -1, 0, Timestamp.storedMilliseconds.upperBound]
        .flatMap { milliseconds in
            [
                CommandVariant("dispatched at \(milliseconds)") { $0.dispatchedAt = Timestamp(milliseconds: milliseconds) },
                CommandVariant("completed at \(milliseconds)") { $0.completedAt = Timestamp(milliseconds: milliseconds) },
            ]
        }
}

@Suite struct CommandRowTests {
    @Test("An update of one field of a command is stored, and undone by the opposite update", arguments: CommandVariant.all)
    func oneThing(_ variant: CommandVariant) async throws {
        let database = try TemporaryDatabase()
        var store = try database.open()
        var script = StoreScript(seed: 1)
        _ = try await store.commit(script.tenancy)
        var command = script.command(on: script.door)
        _ = try await store.commit(script.begin(command))
        command.state = .dispatched
        var other = command
        variant.change(&other)
        for form in [command, other, command, other] {
            _ = try await store.commit(StoreTransaction(commands: [.update(form)]))
            #expect(try await store.command(command.id)?.command == form)
        }
        try await store.close()
        store = try database.open()
        #expect(try await store.openCommands().map(\.command) == [other])
        other.state = .unknown
        _ = try await store.commit(StoreTransaction(commands: [.end(other)]))
        #expect(try await store.command(command.id)?.command == other)
        #expect(try await store.openCommands().isEmpty)
        try await store.close()
    }

    @Test(
        "A command is stored with all its fields when it begins, also if it is already dispatched",
        arguments: LockOperation.allCases)
    func begins(operation: LockOperation) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 2)
        _ = try await store.commit(script.tenancy)
        for (index, source) in RecordSource.allCases.enumerated() {
            let kind = ActorKind.allCases[index % ActorKind.allCases.count]
            let command = Command(
                id: script.fixture.id(), deviceID: script.door, operation: operation, state: .dispatched,
                actor: RecordActor(kind: kind, id: "\(kind) \(index)", name: "Ada", userID: index == 0 ? nil : script.user),
                source: source, reason: index == 1 ? nil : "parcel", override: index == 2 ? nil : "fire", rule: .superAdmin,
                sent: nil, changed: false, outcomeDetail: "detail", stateBefore: .jammed, stateAfter: .unlatched,
                requestedAt: script.now, deadline: script.now.advanced(by: .seconds(1)), dispatchedAt: script.now,
                completedAt: script.now)
            _ = try await store.commit(script.begin(command))
            #expect(try await store.command(command.id)?.command == command)
        }
        try await store.close()
    }

    @Test("An update does not change the immutable fields of a command")
    func immutable() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 3)
        _ = try await store.commit(script.tenancy)
        let command = script.command(on: script.door, reason: "parcel")
        _ = try await store.commit(script.begin(command))
        let forged = Command(
            id: command.id, deviceID: script.otherDoor, operation: .lock, state: .dispatched, actor: .gateway, source: .gateway,
            reason: "other", override: "other", rule: .superAdmin, requestedAt: Timestamp(milliseconds: 0),
            deadline: Timestamp(milliseconds: .max))
        _ = try await store.commit(StoreTransaction(commands: [.update(forged)]))
        var expected = command
        (expected.state, expected.rule) = (.dispatched, .superAdmin)
        #expect(try await store.command(command.id)?.command == expected)
        #expect(
            try await store.commands(CommandQuery(scopes: [.property(script.otherProperty, in: script.otherPortfolio)], limit: 9))
                .total == 0)
        try await store.close()
    }

    @Test("Only `.end` with a final state ends a command, and later changes of it are rejected", arguments: CommandState.allCases)
    func ends(state: CommandState) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 4)
        _ = try await store.commit(script.tenancy)
        var command = script.command(on: script.door)
        let begin = script.begin(command)
        _ = try await store.commit(begin)
        command.state = state
        let (end, update) = (StoreTransaction(commands: [.end(command)]), StoreTransaction(commands: [.update(command)]))
        await #expect {
            try await store.commit(state.isEnd ? update : end)
        } throws: { error in
            if case .refused(.inconsistent)? = error as? StoreError { true } else { false }
        }
        _ = try await store.commit(state.isEnd ? end : update)
        #expect(try await store.openCommands().isEmpty == state.isEnd)
        guard state.isEnd else { return try await store.close() }
        for later in CommandState.allCases {
            command.state = later
            let change: CommandChange = later.isEnd ? .end(command) : .update(command)
            await #expect(throws: StoreError.refused(.commandEnded(command.id))) {
                try await store.commit(StoreTransaction(commands: [change]))
            }
        }
        #expect(try await store.command(command.id)?.command.state == state)
        try await store.close()
    }

    /// Changes after which a record is not the intent of its command.
    static let mismatches: [@Sendable (inout RecordBody, inout StoreScript) -> Void] = [
        { body, _ in body.kind = .denial }, { body, _ in body.kind = .commandOutcome },
        { body, script in body.commandID = script.fixture.id() }, { body, _ in body.commandID = nil },
        { body, _ in body.operation = .lock }, { body, _ in body.operation = nil },
        { body, script in body.device = script.snapshot(script.gate) }, { body, _ in body.device = nil },
        { body, _ in body.actor = .gateway },
    ]

    @Test("A command does not begin if its record differs from its intent in any field", arguments: mismatches.indices)
    func mismatch(index: Int) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 5)
        _ = try await store.commit(script.tenancy)
        let command = script.command(on: script.door)
        var begin = script.begin(command)
        Self.mismatches[index](&begin.records[0].body, &script)
        await #expect(throws: StoreError.refused(.intentMissing(command.id))) { try await store.commit(begin) }
        #expect(try await store.command(command.id) == nil)
        #expect(try await store.record(begin.records[0].body.id) == nil)
        _ = try await store.commit(script.begin(command))
        #expect(try await store.command(command.id)?.command == command)
        try await store.close()
    }
}
