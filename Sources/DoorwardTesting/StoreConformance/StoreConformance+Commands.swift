internal import DoorwardAdapterTesting
internal import DoorwardControl
internal import DoorwardDomain

extension StoreConformance {
    static let commandChecks: [StoreConformanceCheck] = [
        .init("A command is read back unchanged after it was begun, updated and ended", seed: 21) { store, script in
            var command = script.command(on: script.door, reason: "parcel")
            _ = try await store.commit(script.begin(command))
            try require(try await store.command(command.id)?.command, is: command, "the command after its intent")
            (command.state, command.rule, command.dispatchedAt) = (.dispatched, .guestAccess(script.fixture.id()), script.now)
            _ = try await store.commit(StoreTransaction(commands: [.update(command)]))
            try require(try await store.command(command.id)?.command, is: command, "the command after the update")
            let ended = script.confirmed(command)
            _ = try await store.commit(script.end(ended))
            try require(try await store.command(command.id)?.command, is: ended, "the ended command")
            try require(try await store.command(script.fixture.id())?.command, is: nil, "an unknown command")
        },
        .init("A query finds a command only in a scope of its intent, or by its actor", seed: 26) { store, script in
            let command = script.command(on: script.door)
            _ = try await store.commit(script.begin(command))
            let stored = try await store.command(command.id)
            guard let log = stored?.log, case .portfolio(let portfolio) = log else { throw ConformanceFailure("no log") }
            let queries: [(CommandQuery, isVisible: Bool)] = [
                (CommandQuery(scopes: [.portfolioLog(portfolio)], limit: 1), true),
                (CommandQuery(scopes: [], actorUserID: command.actor.userID, limit: 1), true),
                (CommandQuery(scopes: [.gatewayLog, .portfolioLog(script.fixture.id())], limit: 1), false),
                (CommandQuery(scopes: [.unit(script.unit, in: portfolio, from: command.requestedAt)], limit: 1), true),
                (
                    CommandQuery(
                        scopes: [.unit(script.unit, in: portfolio, from: command.requestedAt.advanced(by: .milliseconds(1)))],
                        limit: 1),
                    false
                ),
                (
                    CommandQuery(scopes: [.unit(script.fixture.id(), in: portfolio)], actorUserID: script.fixture.id(), limit: 1),
                    false
                ),
                (CommandQuery(scopes: [], limit: 1), false),
            ]
            for (query, isVisible) in queries {
                let found = try await store.command(command.id, within: query)
                try require(found, is: isVisible ? stored : nil, "the command within \(query)")
                try require(try await store.command(script.fixture.id(), within: query), is: nil, "an unknown command")
            }
        },
        .init("Beginning or ending a command a second time, or ending an unknown one, is refused", seed: 22) { store, script in
            let command = script.command(on: script.door)
            let ended = script.confirmed(command)
            try await requireRefusal(.commandUnknown(command.id), of: script.end(ended), by: store)
            _ = try await store.commit(script.begin(command))
            try await requireRefusal(.commandExists(command.id), of: script.begin(command), by: store)
            _ = try await store.commit(script.end(ended))
            var other = ended
            other.state = .failed
            try await requireRefusal(.commandEnded(command.id), of: script.end(other), by: store)
            try require(try await store.command(command.id)?.command, is: ended, "the command")
        },
        .init("A command without the record of its own intent in the same transaction is refused", seed: 23) { store, script in
            let command = script.command(on: script.door)
            var transaction = script.begin(command)
            transaction.records = []
            try await requireRefusal(.intentMissing(command.id), of: transaction, by: store)
            transaction.records = [PendingRecord(script.intent(of: script.command(on: script.door)))]
            try await requireRefusal(.intentMissing(command.id), of: transaction, by: store)
            try require(try await store.command(command.id)?.command, is: nil, "the command")
        },
        .init("Open commands are returned until they end, oldest first, with the log and place of their intents", seed: 24) {
            store, script in
            var open: [Command] = []
            for device in [script.door, script.otherDoor, script.gate] {
                script.now = script.now.advanced(by: .milliseconds(1))
                let command = script.command(on: device)
                _ = try await store.commit(script.begin(command))
                open.append(command)
            }
            while let last = open.last {
                let found = try await store.openCommands()
                try require(found.map(\.command), is: open, "the open commands")
                try require(found.map(\.log), is: open.map { script.log(of: $0.deviceID) }, "their logs")
                try require(found.map(\.device), is: open.map { script.snapshot($0.deviceID) }, "their places")
                _ = try await store.commit(script.end(script.confirmed(last)))
                open.removeLast()
            }
            try require(try await store.openCommands(), is: [], "the open commands at the end")
        },
        .init("Command pages by scope, actor and device are newest first, without duplicates", seed: 25) { store, script in
            let written = try await writeCommands(40, &script, to: store)
            let from = written.map(\.command.requestedAt).sorted()[written.count / 2]
            for query in commandQueries(script, from: from) {
                let expected = written.filter { stored in
                    let isOwn = query.actorUserID != nil && stored.command.actor.userID == query.actorUserID
                    return (query.deviceID ?? stored.command.deviceID) == stored.command.deviceID
                        && (isOwn || query.scopes.contains { stored.lies(in: $0) })
                }.reversed()
                for offset in [0, 5, 13, 99] {
                    var page = query
                    (page.offset, page.limit) = (offset, 5)
                    let found = try await store.commands(page)
                    try require(
                        found.commands.map(\.command), is: Array(expected.map(\.command).dropFirst(offset).prefix(5)), "\(page)")
                    try require(found.total, is: expected.count, "the number of \(page)")
                }
            }
        },
        .init("A command keeps its place and log after its device was moved and removed", seed: 26) { store, script in
            let command = script.command(on: script.door)
            _ = try await store.commit(script.begin(command))
            let place = script.snapshot(script.door)
            script.fixture.change(script.door) { $0.unitID = nil }
            script.fixture.remove(script.door)
            _ = try await store.commit(StoreTransaction(changes: Array(script.fixture.changes.suffix(2))))
            let found = try await store.commands(
                CommandQuery(scopes: [.unit(script.unit, in: script.portfolio)], deviceID: script.door, limit: 5))
            try require(found.commands.map(\.command), is: [command], "the commands of the unit")
            try require(found.commands.map(\.device), is: [place], "their place")
            try require(try await store.command(command.id)?.device, is: place, "the place of the command by its id")
            try require(try await store.command(command.id)?.log, is: .portfolio(script.portfolio), "its log")
        },
    ]

    /// Writes commands of two users for three devices. Several commands have the same time, and one
    /// of the devices is removed from its unit halfway.
    private static func writeCommands(
        _ count: Int, _ script: inout StoreScript, to store: any GatewayStore
    ) async throws -> [StoredCommand] {
        let other = RecordActor(kind: .user, id: "other", name: "Other", userID: UserID(high: 1, low: 2))
        var written: [StoredCommand] = []
        for index in 0..<count {
            if index % 3 == 0 { script.now = script.now.advanced(by: .milliseconds(1)) }
            if index == count / 2 { script.fixture.change(script.door) { $0.unitID = nil } }
            let device = [script.door, script.gate, script.otherDoor][index % 3]
            let command = script.command(on: device, by: index % 5 == 0 ? other : nil)
            _ = try await store.commit(script.begin(command))
            written.append(StoredCommand(command: command, log: script.log(of: device), device: script.snapshot(device)))
        }
        // Sort by the records of the intents: by time, then by log, then by the order within the log.
        return written.enumerated().sorted {
            ($0.element.command.requestedAt, $0.element.log.description, $0.offset)
                < ($1.element.command.requestedAt, $1.element.log.description, $1.offset)
        }.map(\.element)
    }

    /// - Parameter from: the beginning of the scopes of a unit that have one.
    private static func commandQueries(_ script: StoreScript, from: Timestamp) -> [CommandQuery] {
        script.scopes(from: from).flatMap { scopes in
            [nil, script.user, UserID(high: 1, low: 2), UserID(high: 9, low: 9)].flatMap { actor in
                [nil, script.door, script.otherDoor].map { device in
                    CommandQuery(scopes: scopes, actorUserID: actor, deviceID: device, limit: 5)
                }
            }
        }
    }
}

extension StoreConformance {
    static let idempotencyChecks: [StoreConformanceCheck] = [
        .init("The result of an idempotency key is found by its principal until it is too old", seed: 31) { store, script in
            for (key, result) in [("one", IdempotentResult.command(script.fixture.id())), ("two", .entity(script.fixture.id()))] {
                let taken = entry(key, result, at: script.now)
                _ = try await store.commit(StoreTransaction(idempotency: [taken]))
                try require(try await store.idempotentAnswer(taken.key, notOlderThan: script.now), is: taken, "the entry")
                let unknown = IdempotencyKey(principal: "USER other", key: key)
                try require(
                    try await store.idempotentAnswer(unknown, notOlderThan: script.now), is: nil, "another principal's entry")
                let later = taken.createdAt.advanced(by: .milliseconds(1))
                try require(try await store.idempotentAnswer(taken.key, notOlderThan: later), is: nil, "an entry that is too old")
            }
        },
        .init("A second entry with the same idempotency key is refused", seed: 32) { store, script in
            let command = IdempotentResult.command(script.fixture.id())
            _ = try await store.commit(StoreTransaction(idempotency: [entry("key", command, at: script.now)]))
            let refused = [
                entry("key", .command(script.fixture.id()), at: script.now),
                entry("key", .entity(script.fixture.id()), at: script.now),
                entry("key", command, at: script.now, fingerprint: [9]), entry("key", command, at: script.now),
            ]
            for entry in refused {
                try await requireRefusal(.idempotencyKeyTaken(entry.key), of: StoreTransaction(idempotency: [entry]), by: store)
            }
        },
        .init("An idempotency key can be used again after 24 hours", seed: 33) { store, script in
            let first = entry("key", .command(script.fixture.id()), at: script.now)
            _ = try await store.commit(StoreTransaction(idempotency: [first]))
            let almost = script.now.advanced(by: .milliseconds(86_399_999))
            let early = StoreTransaction(idempotency: [entry("key", .entity(script.fixture.id()), at: almost)])
            try await requireRefusal(.idempotencyKeyTaken(first.key), of: early, by: store)
            let later = entry("key", .entity(script.fixture.id()), at: almost.advanced(by: .milliseconds(1)))
            _ = try await store.commit(StoreTransaction(idempotency: [later]))
            try require(try await store.idempotentAnswer(later.key, notOlderThan: script.now), is: later, "the entry")
        },
    ]

    private static func entry(
        _ key: String, _ result: IdempotentResult, at instant: Timestamp, fingerprint: [UInt8] = [1, 2]
    ) -> IdempotencyEntry {
        IdempotencyEntry(
            key: IdempotencyKey(principal: "USER one", key: key), fingerprint: fingerprint, result: result, createdAt: instant)
    }
}
