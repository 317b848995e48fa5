import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Foundation
import GRDB
import Testing

@testable import DoorwardStore

/// Files that an earlier version wrote, with all kinds of data that a gateway writes.
@Suite struct SchemaUpgradeTests {
    @Test("A file of an earlier schema is upgraded with all its rows", arguments: 1..<Schema.current.number)
    func upgrade(from number: Int) async throws {
        let sample = try await CheckedSample(seed: 41)
        let old = sample.database.folder.appending(path: "old.db").path
        try EarlierFile.make(old, schema: number, rowsOf: sample.database.path)
        #expect(try StoreCheck.run(path: old).fault == nil, "the file is complete before the upgrade")
        let (upgraded, original) = (try sample.database.open(path: old), try sample.database.open())
        #expect(try await answers(of: upgraded, sample) == answers(of: original, sample))
        let next = sample.script.fixture.changes
        _ = try await upgraded.commit(StoreTransaction(changes: next))
        try await upgraded.close()
        try await original.close()
        let report = try StoreCheck.run(path: old)
        #expect(report.fault == nil)
        #expect(report.schema == Schema.current.number)
        #expect(report.counts == (try StoreCheck.run(path: sample.database.path).counts))
    }

    @Test(
        "A record with malformed bytes does not prevent an upgrade, and the check reports it before and after",
        arguments: 1..<Schema.current.number)
    func unreadableRecord(in number: Int) async throws {
        let sample = try await CheckedSample(seed: 44)
        let old = sample.database.folder.appending(path: "old.db").path
        try EarlierFile.make(old, schema: number, rowsOf: sample.database.path)
        let queue = try DatabaseQueue(path: old)
        try await queue.write { try $0.execute(sql: "UPDATE entries SET bytes = x'00' WHERE position = 1 << 40 | 3") }
        try queue.close()
        let before = try StoreCheck.run(path: old).fault
        #expect(before?.seq == 3)
        try await sample.database.open(path: old).close()
        #expect(try StoreCheck.run(path: old).fault == before)
    }

    @Test("After an upgrade the write-ahead log is empty, so that the first commands do not wait for it")
    func cutLog() async throws {
        let sample = try await CheckedSample(seed: 45)
        let old = sample.database.folder.appending(path: "old.db").path
        try EarlierFile.make(old, schema: 2, rowsOf: sample.database.path)
        let store = try sample.database.open(path: old)
        let log = try FileManager.default.attributesOfItem(atPath: old + "-wal")[.size] as? Int
        #expect(log == 0)
        try await store.close()
    }

    @Test("An upgrade that is interrupted after any migration continues from there", arguments: 1..<Schema.current.number)
    func cutOff(after number: Int) async throws {
        let sample = try await CheckedSample(seed: 42)
        let old = sample.database.folder.appending(path: "old.db").path
        try EarlierFile.make(old, schema: 1, rowsOf: sample.database.path)
        let partial = Schema(steps: Array(Schema.current.steps.prefix(number)))
        try WriterConnection.open(path: old, limits: StoreLimits(), schema: partial).close()
        #expect(try StoreCheck.run(path: old).schema == number)
        try await sample.database.open(path: old).close()
        let report = try StoreCheck.run(path: old)
        #expect(report.fault == nil)
        #expect(report.schema == Schema.current.number)
    }

    @Test("An older version rejects a file that a newer one has upgraded, and names both schemas")
    func olderProgram() async throws {
        let sample = try await CheckedSample(seed: 43)
        let path = sample.database.path
        let before = try Data(contentsOf: URL(filePath: path))
        for number in 1..<Schema.current.number {
            let older = Schema(steps: Array(Schema.current.steps.prefix(number)))
            let error = #expect(throws: StoreOpenError.self) {
                try WriterConnection.open(path: path, limits: StoreLimits(), schema: older)
            }
            #expect(error == .newerSchema(path: path, found: Schema.current.number, known: number))
            let words =
                "schema \(Schema.current.number), this program knows \(number); run the newer program, or name another file."
            #expect(error?.description == "\(path): this database was written by a newer Doorward: \(words)")
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    private struct Answers: Equatable {
        var tenancy: Set<TenancyChange> = []
        var open: [Command] = []
        var commands: [StoredCommand] = []
        var totals: [Int] = []
        var outcomes: [AccessRecord] = []
        var records: [AccessRecord] = []
    }

    private func answers(of store: SQLiteStore, _ sample: CheckedSample) async throws -> Answers {
        var answers = Answers()
        try await store.loadTenancy { answers.tenancy.insert($0) }
        answers.open = try await store.openCommands().map(\.command)
        answers.commands = try await store.commands(
            CommandQuery(
                scopes: [
                    .unit(sample.script.unit, in: sample.script.portfolio),
                    .property(sample.script.otherProperty, in: sample.script.otherPortfolio),
                ], actorUserID: sample.script.user,
                limit: 100)
        ).commands
        let scopes: [RecordScope] = [
            .portfolioLog(sample.script.portfolio), .property(sample.script.otherProperty, in: sample.script.otherPortfolio),
            .unit(sample.script.unit, in: sample.script.portfolio),
        ]
        for scope in scopes {
            for device in [nil, sample.script.door, sample.script.otherDoor] {
                let query = CommandQuery(scopes: [scope], deviceID: device, limit: 1)
                answers.totals.append(try await store.commands(query).total)
            }
        }
        answers.outcomes = try await store.records(
            RecordQuery(
                scopes: [.portfolioLog(sample.script.portfolio)],
                filter: RecordFilter(kind: .commandOutcome, outcome: .confirmed),
                limit: 100))
        answers.records = try await store.records(
            RecordQuery(
                scopes: [.gatewayLog, .portfolioLog(sample.script.portfolio), .portfolioLog(sample.script.otherPortfolio)],
                limit: 100))
        return answers
    }
}
