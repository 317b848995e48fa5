import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import GRDB
import Testing

@testable import DoorwardStore

/// Random appends, erasures, cuts and restarts, compared with a naive model: a list of all records ever written.
@Suite struct RetentionModelTests {
    /// What the model knows of a record.
    private struct Written {
        let id: RecordID
        /// The index of the person whose name is in the record.
        let person: Int
        let leafHash: [UInt8]
        let command: CommandID?
    }

    private struct Model {
        var written: [Written] = []
        var first = 0
        /// The number of records at each person's last erasure.
        var erased = [0, 0, 0]

        func name(_ index: Int) -> String? { index < erased[written[index].person] ? nil : "Person \(written[index].person)" }
    }

    private static let rounds = 40 * TestRounds.factor

    @Test(
        "After random appends, erasures, cuts and restarts every kept record, name and node is as in the model",
        arguments: 1...4 as ClosedRange<UInt64>)
    func random(seed: UInt64) async throws {
        let database = try TemporaryDatabase()
        var limits = StoreLimits()
        limits.entriesPerProjection = [1, 30, 200, 1024][Int(seed % 4)]
        limits.cachedEntries = Int(seed % 3) * 100
        var (random, script, model) = (SeededGenerator(seed: seed &* 7), StoreScript(seed: seed), Model())
        let people = (0..<3).map { script.fixture.user("Person\($0)") }
        var store = try database.open(limits: limits)
        _ = try await store.commit(script.tenancy)
        let log = LogID.portfolio(script.portfolio)
        var backups: [(path: String, first: Int, count: Int)] = []
        var (cuts, erasures) = (0, 0)
        for round in 0..<Self.rounds {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4:
                try await append(.random(in: 1...150, using: &random), to: store, log, people, &script, &model, &random)
            case 5, 6:
                let target = Int.random(in: model.first...model.written.count, using: &random)
                _ = try await store.commit(StoreTransaction(truncations: [LogTruncation(log: log, firstSeq: UInt64(target))]))
                cuts += target > model.first ? 1 : 0
                model.first = target
            case 7:
                let person = Int.random(in: 0..<3, using: &random)
                _ = try await store.commit(StoreTransaction(forgets: [.user(people[person])]))
                if Bool.random(using: &random) { _ = try await store.finishErasures() }
                model.erased[person] = model.written.count
                erasures += 1
            case 8:
                try await store.close()
                #expect(try StoreCheck.run(path: database.path).fault == nil)
                store = try database.open(limits: limits)
            default:
                let path = database.folder.appending(path: "backup-\(round).db").path
                _ = try await store.backup(to: path)
                backups.append((path, model.first, model.written.count))
            }
            try await compare(store, log, script, model, &random)
        }
        #expect(cuts > 2 && erasures > 0, "\(cuts) cuts, \(erasures) erasures")
        // Only a finished erasure reaches backups.
        _ = try await store.finishErasures()
        try await store.close()
        #expect(try StoreCheck.run(path: database.path).fault == nil)
        // Each backup, with the key file as it is now: the values of persons who were erased since are unreadable, and all others
        // are readable.
        for backup in backups.suffix(3) {
            try FileManager.default.copyItem(atPath: "\(database.path).person-keys", toPath: "\(backup.path).person-keys")
            let old = try database.open(path: backup.path)
            let names = try await names(of: old, script)
            #expect(names == (backup.first..<backup.count).map { model.name($0) })
            try await old.close()
        }
    }

    private func append(
        _ count: Int, to store: SQLiteStore, _ log: LogID, _ people: [UserID], _ script: inout StoreScript, _ model: inout Model,
        _ random: inout SeededGenerator
    ) async throws {
        var transaction = StoreTransaction()
        var added: [(RecordID, Int, CommandID?)] = []
        while added.count < count {
            script.now = script.now.advanced(by: .milliseconds(Int.random(in: 0...2, using: &random)))
            let person = Int.random(in: 0..<3, using: &random)
            let actor = RecordActor(
                kind: .user, id: "\(people[person])", name: "Person \(person)", userID: people[person])
            if Int.random(in: 0..<4, using: &random) == 0 {
                let command = script.command(on: Bool.random(using: &random) ? script.door : script.gate, by: actor)
                var part = script.begin(command)
                part.append(script.end(script.confirmed(command)))
                added += part.records.enumerated().map { ($1.body.id, person, $0 == 0 ? command.id : nil) }
                transaction.append(part)
            } else {
                var body = script.event(on: script.door)
                body.actor = actor
                added.append((body.id, person, nil))
                transaction.records.append(PendingRecord(body))
            }
        }
        _ = try await store.commit(transaction)
        let range = try #require(try await store.range(of: log, from: UInt64(model.written.count), limit: added.count))
        #expect(range.entries.count == added.count)
        for (entry, (id, person, command)) in zip(range.entries, added) {
            model.written.append(Written(id: id, person: person, leafHash: entry.leafHash, command: command))
        }
    }

    private func names(of store: SQLiteStore, _ script: StoreScript) async throws -> [String?] {
        let query = RecordQuery(scopes: [.portfolioLog(script.portfolio)], order: .oldestFirst, limit: .max)
        return try await store.records(query).map(\.body.actor.name)
    }

    private func compare(
        _ store: SQLiteStore, _ log: LogID, _ script: StoreScript, _ model: Model, _ random: inout SeededGenerator
    ) async throws {
        let count = model.written.count
        #expect(try await names(of: store, script) == (model.first..<count).map { model.name($0) })
        guard count > 0 else { return }
        let range = try #require(try await store.range(of: log, from: 0, limit: 1))
        #expect(range.firstSeq == UInt64(model.first) && range.size == UInt64(count))
        let commands = model.written[model.first...].compactMap(\.command)
        let query = CommandQuery(scopes: [.portfolioLog(script.portfolio)], limit: 1)
        #expect(try await store.commands(query).total == commands.count)
        for _ in 0..<4 {
            // Every root of the log and every leaf, those of removed records too.
            let size = Int.random(in: 1...count, using: &random)
            let nodes = MerkleProof.frontier(size: UInt64(size))
            let hashes = try #require(try await store.nodes(nodes, of: log, for: nil))
            #expect(MerkleProof.root(of: hashes) == MerkleTree.root(ofLeafHashes: model.written[..<size].map(\.leafHash)))
            let index = Int.random(in: 0..<count, using: &random)
            let written = model.written[index]
            #expect(try await store.node(level: 0, index: UInt64(index), of: log) == written.leafHash)
            #expect(try await store.record(written.id)?.seq == (index < model.first ? nil : UInt64(index)))
            if let command = written.command {
                let isFound = try await store.command(command) != nil
                #expect(isFound == (index >= model.first))
            }
        }
    }

    @Test("A cut removes the content of the records from all files of the store")
    func noBytes() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 87)
        _ = try await store.commit(script.tenancy)
        var bodies: [RecordBody] = []
        for _ in 0..<300 { bodies.append(script.event(on: script.door)) }
        _ = try await store.commit(StoreTransaction(records: bodies.map { PendingRecord($0) }))
        let log = LogID.portfolio(script.portfolio)
        _ = try await store.commit(StoreTransaction(truncations: [LogTruncation(log: log, firstSeq: 290)]))
        #expect(try await store.finishErasures())
        for name in try FileManager.default.contentsOfDirectory(atPath: database.folder.path) {
            let bytes = try Data(contentsOf: database.folder.appending(path: name))
            for body in bodies.prefix(290) {
                #expect(bytes.range(of: Data(body.id.description.utf8)) == nil, "\(name) has the bytes of a removed record")
                #expect(bytes.range(of: body.id.blob) == nil, "\(name) has the id of a removed record")
            }
        }
        for body in bodies.suffix(10) { #expect(try await store.record(body.id) != nil) }
        try await store.close()
    }

    @Test("The keys of days without records are destroyed, and those of later days are kept")
    func days() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 88)
        _ = try await store.commit(script.tenancy)
        for day in 0..<4 {
            script.now = script.fixture.createdAt.advanced(by: .seconds(86_400 * Int64(day)))
            for _ in 0..<2 {
                var body = script.event(on: script.door)
                body.clientAddress = "192.0.2.\(day)"
                _ = try await store.commit(StoreTransaction(records: [PendingRecord(body)]))
            }
        }
        let keys = { try database.count("SELECT count(*) FROM person_keys WHERE length(owner) = 10") }
        let log = LogID.portfolio(script.portfolio)
        #expect(try keys() == 4)
        _ = try await store.commit(StoreTransaction(truncations: [LogTruncation(log: log, firstSeq: 3)]))
        #expect(try keys() == 3, "a record of the second day is left")
        _ = try await store.commit(StoreTransaction(truncations: [LogTruncation(log: log, firstSeq: 6)]))
        #expect(try keys() == 1)
        let scope = RecordScope.portfolioLog(script.portfolio)
        let found = try await store.records(RecordQuery(scopes: [scope], order: .oldestFirst, limit: 9))
        #expect(found.map(\.body.clientAddress) == ["192.0.2.3", "192.0.2.3"])
        try await store.close()
        #expect(try StoreCheck.run(path: database.path).isWhole)
    }

    @Test("A log whose tile lacks a leaf hash is not cut, because its tree could not be proved any more")
    func damagedTile() async throws {
        let database = try TemporaryDatabase()
        var store = try database.open()
        var script = StoreScript(seed: 89)
        _ = try await store.commit(script.tenancy)
        let records = (0..<300).map { _ in PendingRecord(script.event(on: script.door)) }
        _ = try await store.commit(StoreTransaction(records: records))
        try await store.close()
        try database.edit("UPDATE entries SET leaf_hash = x'' WHERE position = 1 << 40 | 280")
        store = try database.open()
        await #expect(throws: StoreError.self) {
            try await store.commit(
                StoreTransaction(truncations: [LogTruncation(log: .portfolio(script.portfolio), firstSeq: 290)]))
        }
        #expect(try database.count("SELECT count(*) FROM entries") == 300)
        try? await store.close()
    }
}
