internal import DoorwardAdapterTesting
package import DoorwardAudit
internal import DoorwardControl
internal import DoorwardDomain

extension StoreConformance {
    static let treeChecks: [StoreConformanceCheck] = [
        .init("A range of a log has the records from the requested seq, with their leaf hashes", seed: 71) { store, script in
            try require(try await store.range(of: script.log, from: 0, limit: 5), is: nil, "the range of a log without a record")
            let bodies = script.events(12)
            try await store.write(bodies)
            for (from, limit) in [(0, 5), (0, 100), (7, 3), (11, 1), (12, 1), (40, 1), (3, 0)] as [(UInt64, Int)] {
                guard let range = try await store.range(of: script.log, from: from, limit: limit) else {
                    throw ConformanceFailure("no log")
                }
                try require(range.firstSeq, is: 0, "the first record")
                try require(range.size, is: 12, "the size")
                let expected = Array(Array(bodies.enumerated()).dropFirst(Int(from)).prefix(limit))
                try require(range.entries.map(\.seq), is: expected.map { UInt64($0.offset) }, "the records from \(from)")
                for (entry, expected) in zip(range.entries, expected) {
                    try require(entry.leafHash, is: MerkleTree.leafHash(entry.bytes), "the leaf")
                    try require(try RecordEncoding.decode(entry.bytes).record.body.id, is: expected.element.id, "the record")
                }
            }
        },
        .init("Each node of a log's tree is computed from its leaves; other nodes are absent", seed: 72) { store, script in
            try require(try await store.node(level: 0, index: 0, of: script.log), is: nil, "the node of a log without a record")
            var written = 0
            for count in [1, 1, 1, 5, 120, 127, 1, 1, 300] {
                try await store.write(script.events(count))
                written += count
                let leaves = try await store.range(of: script.log, from: 0, limit: written)?.entries.map(\.leafHash) ?? []
                try require(leaves.count, is: written, "the number of leaves")
                for level in 0..<12 {
                    let nodes = written >> level
                    for index in Set([0, 1, nodes / 2, nodes - 2, nodes - 1, nodes, nodes + 1]) where index >= 0 {
                        let first = index << level
                        let expected =
                            index < nodes ? MerkleTree.root(ofLeafHashes: Array(leaves[first..<first + 1 << level])) : nil
                        let found = try await store.node(level: level, index: UInt64(index), of: script.log)
                        try require(found, is: expected, "node \(index) of level \(level) in a log of \(written)")
                    }
                }
            }
            for (level, index) in [(-1, 0), (64, 0), (100, 1), (0, .max), (8, .max), (63, 0)] as [(Int, UInt64)] {
                try require(
                    try await store.node(level: level, index: index, of: script.log), is: nil, "node \(index) of level \(level)")
            }
        },
        .init("Records are disclosed with the values whose keys exist, and several nodes are read at once", seed: 76) {
            store, script in
            let none = try await store.sealedRecords([0..<3], of: script.log, for: ListReader(), upTo: .max)
            try require(none.count, is: 0, "the records of an empty log")
            try require(try await store.nodes([], of: script.log, for: nil), is: [], "no nodes of an empty log")
            try require(
                try await store.nodes([MerkleNode(level: 0, index: 0)], of: script.log, for: nil), is: nil,
                "a node of an empty log")
            let persons = (0..<10).map { UserID(high: 0x7000, low: UInt64($0 % 2)) }
            let records = persons.enumerated().map { index, person in
                let actor = RecordActor(kind: .user, id: "pseudonym", name: "Name \(index)", userID: person)
                var body = script.event(on: script.door, by: actor)
                body.details["note"] = .personal("Note \(index)", person: persons[0])
                return body
            }
            try await store.write(records)
            let stored = try await store.range(of: script.log, from: 0, limit: 10)?.entries ?? []
            func check(erased: Set<UserID>) async throws {
                let ranges: [Range<UInt64>] = [1..<3, 4..<4, 7..<20]
                // The list does not end before a multiple of 256, whatever the bytes.
                let found = try await store.sealedRecords(ranges, of: script.log, for: ListReader(), upTo: 1).map {
                    $0.disclosed()
                }
                try require(found.map(\.seq), is: [1, 2, 7, 8, 9], "the records")
                for record in found {
                    let index = Int(record.seq)
                    try require(record.bytes, is: stored[index].bytes, "the bytes")
                    try require(record.leafHash.bytes, is: stored[index].leafHash, "the leaf hash")
                    let commitments = try RecordEncoding.decode(record.bytes).commitments
                    let expected = commitments.map { commitment -> String? in
                        let isName = commitment.place.field == "actorName"
                        guard !erased.contains(isName ? persons[index] : persons[0]) else { return nil }
                        return isName ? "Name \(index)" : "Note \(index)"
                    }
                    try require(record.personal.map { $0?.value }, is: expected, "the values of record \(index)")
                    for (commitment, value) in zip(commitments, record.personal) {
                        try require(value.map { commitment.holds(for: $0.value, salt: $0.salt) } ?? true, is: true, "the salt")
                    }
                }
            }
            try await check(erased: [])
            _ = try await store.commit(StoreTransaction(forgets: [.user(persons[0])]))
            try await check(erased: [persons[0]])
            let plan = [MerkleNode(level: 3, index: 0), MerkleNode(level: 1, index: 4), MerkleNode(level: 0, index: 9)]
            var expected: [[UInt8]?] = []
            for node in plan { expected.append(try await store.node(level: node.level, index: node.index, of: script.log)) }
            try require(try await store.nodes(plan, of: script.log, for: nil), is: expected.compactMap(\.self), "the nodes")
            try require(
                try await store.nodes(plan + [MerkleNode(level: 2, index: 2)], of: script.log, for: nil), is: nil,
                "an absent node")
        },
        .init("A list of records for an export ends at a multiple of 256 when it has the requested bytes", seed: 77) {
            store, script in
            try await store.write(script.events(1100))
            func seqs(_ ranges: [Range<UInt64>], upTo byteCount: Int) async throws -> [UInt64] {
                try await store.sealedRecords(ranges, of: script.log, for: ListReader(), upTo: byteCount).map(\.seq)
            }
            let sizes = try await store.sealedRecords([0..<1100], of: script.log, for: ListReader(), upTo: .max).map(
                \.bytes.count)
            for (first, until) in [(0, 256), (0, 512), (100, 256), (255, 256), (256, 512), (300, 1024)] {
                let byteCount = sizes[first..<until].reduce(0, +)
                for (limit, end) in [(1, first / 256 * 256 + 256), (byteCount, until), (byteCount + 1, until + 256)] {
                    let expected = Array(UInt64(first)..<UInt64(min(end, 1100)))
                    try require(try await seqs([UInt64(first)..<1100], upTo: limit), is: expected, "the records after \(first)")
                }
            }
            try require(
                try await seqs([10..<20, 200..<300, 512..<600], upTo: 1), is: Array(10..<20) + Array(200..<256), "several ranges")
            try require(
                try await seqs([10..<20, 512..<600], upTo: sizes[10..<20].reduce(0, +)), is: Array(10..<20), "a later range")
        },
        .init(
            "The heads of the logs have their sizes and last checkpoints, and the frontier gives the root of the records",
            seed: 75
        ) { store, script in
            try require(try await store.logHeads(), is: [], "the logs of a store without a record")
            try require(try await store.frontier(of: .gateway), is: nil, "the frontier of a log without a record")
            let (log, other) = (LogID.portfolio(script.portfolio), LogID.portfolio(script.otherPortfolio))
            func checkpoint(_ log: LogID, _ generation: Int, _ size: UInt64) -> LastCheckpoint {
                LastCheckpoint(log: log, generation: generation, size: size, signedAt: size > 0 ? script.now : nil)
            }
            var written = 0
            for count in [1, 2, 250, 4, 30] {
                try await store.write(script.events(count))
                written += count
                let leaves = try await store.range(of: log, from: 0, limit: written)?.entries.map(\.leafHash) ?? []
                let frontier = try await store.frontier(of: log)
                try require(frontier?.size, is: UInt64(written), "the size")
                try require(frontier?.root, is: MerkleTree.root(ofLeafHashes: leaves), "the root")
            }
            try await store.write(.setLastCheckpoint(checkpoint(other, 2, 0)))
            let heads = [
                LogHead(log: log, size: UInt64(written), lastCheckpoint: nil),
                LogHead(log: other, size: 0, lastCheckpoint: checkpoint(other, 2, 0)),
            ].sorted { $0.log.description < $1.log.description }
            try require(try await store.logHeads(), is: heads, "the logs")
            // A last checkpoint is replaced by one of a later generation, or by one of more records in the same generation.
            let steps: [(LastCheckpoint, LastCheckpoint)] = [
                (checkpoint(log, 1, 5), checkpoint(log, 1, 5)), (checkpoint(log, 1, 9), checkpoint(log, 1, 9)),
                (checkpoint(log, 1, 3), checkpoint(log, 1, 9)),
                (checkpoint(log, 2, 0), checkpoint(log, 2, 0)), (checkpoint(log, 1, 99), checkpoint(log, 2, 0)),
                (checkpoint(log, 2, 4), checkpoint(log, 2, 4)),
            ]
            for (next, expected) in steps {
                try await store.write(.setLastCheckpoint(next))
                try require(
                    try await store.logHeads().first { $0.log == log }?.lastCheckpoint, is: expected, "the last checkpoint")
            }
        },
        .init("The public keys of a purpose are kept in their order, and a repeated key once") { store in
            try require(try await store.publicKeys(for: .checkpoints), is: [], "the keys of a new store")
            for key: [UInt8] in [[1], [1], [2], [3], [3]] {
                try await store.write(.noteKey(.checkpoints, publicHalf: key))
            }
            try require(try await store.publicKeys(for: .checkpoints), is: [[1], [2], [3]], "the keys")
            try require(try await store.publicKey(for: .checkpoints), is: [3], "the present key")
            try require(try await store.publicKeys(for: .accessTokens), is: [], "the keys of the other purpose")
        },
        .init("Destroying an owner's key erases only this owner's values, in every log", seed: 73) { store, script in
            let other = RecordActor(kind: .user, id: "grace", name: "Grace Hopper", userID: script.fixture.user("Grace"))
            _ = try await store.commit(script.tenancy)
            var ids: [(id: RecordID, name: String)] = []
            for actor in [script.actor, other] {
                for door in [script.door, script.otherDoor] {
                    let body = script.event(on: door, by: actor)
                    ids.append((body.id, actor.name ?? ""))
                    try await store.write([body])
                }
            }
            let before = try await store.range(of: script.log, from: 0, limit: 10)
            // Values in a record of the same transaction are erased too, like those of earlier records.
            let last = script.event(on: script.door, by: script.actor)
            _ = try await store.commit(StoreTransaction(records: [PendingRecord(last)], forgets: [.user(script.user)]))
            ids.append((last.id, "Ada Lovelace"))
            for (id, name) in ids {
                let found = try await store.record(id)
                try require(found?.body.actor.name, is: name == "Ada Lovelace" ? nil : name, "the name in a record")
                try require(found?.body.actor.userID, is: name == "Ada Lovelace" ? script.user : other.userID, "the id")
            }
            let after = try await store.range(of: script.log, from: 0, limit: 2)
            try require(after?.entries, is: before?.entries, "the bytes and leaves of the records")
            // Erase the user's values again, and those of a user without stored values.
            _ = try await store.commit(
                StoreTransaction(forgets: [.user(script.user), .user(script.fixture.id()), .day("2026-11-22")]))
            // Later records of the user are encrypted under a new key. Erased values remain erased.
            let later = script.event(on: script.door, by: script.actor)
            try await store.write([later])
            try require(try await store.record(later.id)?.body.actor.name, is: "Ada Lovelace", "the name in a later record")
            try require(try await store.record(last.id)?.body.actor.name, is: nil, "the erased name")
        },
        .init("A refused transaction destroys no key", seed: 74) { store, script in
            let body = script.event(on: script.door, by: script.actor)
            try await store.write([body])
            try await requireRefusal(.unmet, of: StoreTransaction(requires: [.unmet], forgets: [.user(script.user)]), by: store)
            var twice = StoreTransaction(records: [PendingRecord(body)], forgets: [.user(script.user)])
            try await requireRefusal(.duplicate, of: twice, by: store)
            twice.records = []
            try require(try await store.record(body.id)?.body.actor.name, is: "Ada Lovelace", "the name")
            _ = try await store.commit(twice)
            try require(try await store.record(body.id)?.body.actor.name, is: nil, "the name afterwards")
        },
    ]
}

extension PersonalCommitment {
    /// Whether the record commits to `value`.
    package func holds(for value: String, salt: Digest32) -> Bool { place.commitment(to: value, salt: salt) == commitment }
}

extension StoreConformance {
    static let recordChecks: [StoreConformanceCheck] = [
        .init("A record is read back with all fields, including the personal values", seed: 41) { store, script in
            let body = fullRecord(&script)
            try require(try await store.write([body]).first, is: RecordPosition(log: body.log, seq: 0, at: body.at), "the place")
            try require(try await store.record(body.id), is: AccessRecord(seq: 0, body: body), "the record")
            try require(try await store.record(script.fixture.id()), is: nil, "an unknown record")
        },
        .init("Each log numbers its records from 0; refused transactions leave no gaps", seed: 42) { store, script in
            var expected: [LogID: UInt64] = [:]
            for index in 0..<30 {
                let bodies = [script.event(on: script.door), script.gatewayEvent(), script.event(on: script.otherDoor)]
                let records = bodies.prefix(1 + index % 3).map { PendingRecord($0) }
                if index % 4 == 3 {
                    let unknown = script.confirmed(script.command(on: script.door))
                    let refused = StoreTransaction(commands: [.end(unknown)], records: records)
                    try await requireRefusal(.commandUnknown(unknown.id), of: refused, by: store)
                    continue
                }
                for (place, record) in zip(try await store.commit(StoreTransaction(records: records)), records) {
                    try require(place.log, is: record.body.log, "the log")
                    try require(place.seq, is: expected[place.log, default: 0], "the seq in \(place.log)")
                    expected[place.log, default: 0] += 1
                }
            }
        },
        .init("A record earlier than its predecessor gets the predecessor's time, and a note of it", seed: 43) { store, script in
            let first = script.event(on: script.door)
            script.now = script.now.advanced(by: .seconds(-5))
            let (held, elsewhere) = (script.event(on: script.door), script.event(on: script.otherDoor))
            let places = try await store.write([first, held, elsewhere])
            try require(places.map(\.at), is: [first.at, first.at, elsewhere.at], "the instants")
            let read = try await store.record(held.id)
            try require(read?.body.at, is: first.at, "the instant of the record")
            try require(read?.body.details["clock"], is: .string("held"), "the note about the clock")
            try require(try await store.record(first.id)?.body.details, is: [:], "the details of the record before")
        },
        .init("A record can refer to an earlier record of its transaction by log and seq", seed: 44) { store, script in
            let (inside, outside) = (script.event(on: script.door), script.gatewayEvent())
            let records = [PendingRecord(inside), PendingRecord(outside, counterpart: 0)]
            _ = try await store.commit(StoreTransaction(records: records))
            let counterpart = RecordValue.object(["logId": .string(script.portfolio.description), "seq": .integer(0)])
            try require(try await store.record(outside.id)?.body.details, is: ["counterpart": counterpart], "the details")
            let forward = StoreTransaction(records: [PendingRecord(script.gatewayEvent(), counterpart: 0)])
            try await requireRefusal(.parentUnknown, of: forward, by: store)
        },
        .init("A second record with the same id is refused", seed: 45) { store, script in
            let transaction = StoreTransaction(records: [PendingRecord(script.gatewayEvent())])
            _ = try await store.commit(transaction)
            try await requireRefusal(.duplicate, of: transaction, by: store)
        },
    ]

    /// Returns a record with a value in every field.
    private static func fullRecord(_ script: inout StoreScript) -> RecordBody {
        RecordBody(
            log: .portfolio(script.portfolio), id: script.fixture.id(), at: script.now, kind: .denial, actor: script.actor,
            source: .console,
            operation: .unlock, decision: .denied, reason: .guestWindowEnded, rule: .guestAccess(script.fixture.id()),
            clientAddress: "192.0.2.7", requestID: "request-1", device: script.snapshot(script.door),
            commandID: script.fixture.id(),
            outcome: .denied, outcomeDetail: "guest_window_ended", stateBefore: .locked, stateAfter: .unknown, latencyMs: 7,
            statedReason: "parcel", override: "fire", event: .attemptFailed, method: .app, action: .update,
            target: RecordTarget(type: "Portfolio", id: script.portfolio.description),
            details: [
                "before": .object(["name": .personal("Ada", person: script.user), "count": .integer(3)]),
                "names": .array([.personal("Somebody", person: nil), .null, .bool(true)]),
            ])
    }
}
