import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Synchronization
import Testing

@testable import DoorwardKernel
@testable import DoorwardRecords
@testable import DoorwardStreams

/// Which checkpoints are signed, and what they cover.
@Suite struct CheckpointTests {
    @Test("one round signs every log that has records, and records the portfolios' checkpoints in the gateway's log")
    func round() async throws {
        var rig = try await CheckpointRig()
        let checkpoints = try await rig.started()
        try await rig.append(3, to: .portfolio(rig.script.portfolio))
        try await rig.append(2, to: .gateway)
        try await checkpoints.signAll()
        let entries = rig.everWritten
        #expect(entries.map(\.origin.log) == [.portfolio(rig.script.portfolio), .gateway])
        #expect(entries.map(\.checkpoint.size) == [3, 3], "the gateway's log has the record of the other checkpoint")
        #expect(entries[0].checkpoint.origin == "doorward.test/logs/\(rig.script.portfolio)")
        for entry in entries {
            #expect(entry.note.isSigned(by: try rig.signer.verifierKey) == true)
            #expect(try await rig.naiveRoot(of: entry.origin.log, size: 3) == entry.checkpoint.root)
        }
        let record = try #require(rig.store.log(.gateway).last?.body)
        #expect(
            (record.kind, record.event, record.actor.kind, record.portfolioID) == (
                .gateway, .checkpoint, .gateway, rig.script.portfolio
            ))
        #expect(
            record.details == [
                "origin": .string(entries[0].checkpoint.origin), "size": .integer(3),
                "root": .string(entries[0].checkpoint.rootText),
            ])
    }

    @Test(
        "a round over 1,000 logs makes a bounded number of records in the gateway's log, which name every checkpoint",
        arguments: ["doorward.test", Array(repeating: String(repeating: "n", count: 62), count: 4).joined(separator: ".")])
    func manyLogs(gatewayName: String) async throws {
        var rig = try await CheckpointRig()
        let checkpoints = try rig.process(gatewayName: gatewayName)
        try await checkpoints.start()
        let logs = (0..<1000).map { LogID.portfolio(PortfolioID(high: 0x0199_0000_0000_7000, low: 1 << 63 | UInt64($0))) }
        for log in logs { try await rig.append(1, to: log) }
        try await checkpoints.signAll()
        let records = rig.store.log(.gateway).map(\.body).filter { $0.event == .checkpoint }
        #expect(records.count == 10)
        #expect(
            records.allSatisfy {
                $0.portfolioID == nil && $0.details["shortened"] == nil && Array($0.details.keys) == ["checkpoints"]
            })
        let recorded = rig.recordedCheckpoints
        let expected = logs.compactMap { checkpoints.newest(of: $0)?.checkpoint }.map { checkpoint -> RecordValue in
            .object(["origin": .string(checkpoint.origin), "size": .integer(1), "root": .string(checkpoint.rootText)])
        }
        #expect(expected.count == 1000 && Set(recorded) == Set(expected) && recorded.count == 1000)
        // A round in which nothing changes, and the next one over one log.
        try await checkpoints.signAll()
        try await rig.append(1, to: logs[7])
        try await checkpoints.signAll()
        let later = rig.store.log(.gateway).map(\.body).filter { $0.event == .checkpoint }
        #expect(later.count == 11 && later.last?.portfolioID == logs[7].portfolioID)
    }

    @Test(
        "records that changed under a checkpoint while the gateway runs are recorded once, and their log is not signed any more")
    func changed() async throws {
        var rig = try await CheckpointRig()
        let checkpoints = try await rig.started()
        let log = LogID.portfolio(rig.script.portfolio)
        try await rig.append(3, to: log)
        try await checkpoints.signAll()
        // A checkpoint over other records, as if those in the store had been changed since.
        let other = Checkpoint(
            origin: checkpoints.origin(of: log).description, size: 3, root: [UInt8](repeating: 7, count: 32))
        let entry = try #require(CheckpointJournal.Entry(try other.signed(by: rig.signer)))
        checkpoints.state.withLock { $0.newest[log] = entry }
        try await rig.append(1, to: log)
        let signed = rig.everWritten.filter { $0.origin.log == log }.count
        for _ in 0..<3 { try await checkpoints.signAll() }
        #expect(checkpoints.contradicted == [log])
        let records = rig.store.log(.gateway).map(\.body).filter { $0.event == .checkpointMismatch }
        #expect(records.count == 1 && records.first?.kind == .gateway && records.first?.portfolioID == rig.script.portfolio)
        #expect(
            records.first?.details == [
                "origin": .string(other.origin), "checkpointSize": .integer(3), "size": .integer(4),
            ])
        #expect(rig.everWritten.filter { $0.origin.log == log }.count == signed)
        #expect(rig.lines.value?.count == 1)
        // The other logs are signed as before, with the record.
        #expect(checkpoints.newest(of: .gateway)?.checkpoint.size == UInt64(rig.store.log(.gateway).count))
    }

    @Test("without new records nothing is signed, recorded or written, however often a round runs")
    func quiet() async throws {
        var rig = try await CheckpointRig()
        let checkpoints = try await rig.started()
        for log in rig.logs { try await rig.append(1, to: log) }
        try await checkpoints.signAll()
        let (commits, written) = (rig.store.commitCount, rig.files.written)
        for _ in 0..<5 {
            try await checkpoints.signAll()
            try await checkpoints.sign(rig.logs)
        }
        #expect(rig.store.commitCount == commits)
        #expect(rig.files.written == written)
        // Neither is a restart a reason to sign.
        try await rig.started().signAll()
        #expect(rig.store.commitCount == commits)
        #expect(CheckpointJournal(parsing: rig.files.content ?? []).entries.count == 3)
    }

    @Test(
        "every checkpoint that was ever signed agrees with the records and is consistent with the next one of its log",
        arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func everConsistent(seed: UInt64) async throws {
        var rig = try await CheckpointRig(seed: seed)
        var random = SeededGenerator(seed: seed)
        var checkpoints = try await rig.started()
        for _ in 0..<60 {
            // A failed append is repeated by the next round.
            do {
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<6:
                    let log = rig.logs.randomElement(using: &random) ?? .gateway
                    try await rig.append(.random(in: 1...9, using: &random), to: log)
                case 6: try await checkpoints.sign([rig.logs.randomElement(using: &random) ?? .gateway])
                case 7: try await checkpoints.signAll()
                case 8: rig.files.failNextAppend(after: .random(in: 0...400, using: &random))
                default: checkpoints = try await rig.started()
                }
            } catch is InMemoryCheckpoints.Failure {}
        }
        for log in rig.logs { try await rig.append(1, to: log) }
        do { try await checkpoints.signAll() } catch is InMemoryCheckpoints.Failure { try await checkpoints.signAll() }
        var last: [LogID: Checkpoint] = [:]
        for entry in rig.everWritten {
            let (log, checkpoint) = (entry.origin.log, entry.checkpoint)
            #expect(entry.note.isSigned(by: try rig.signer.verifierKey) == true)
            #expect(try await rig.naiveRoot(of: log, size: checkpoint.size) == checkpoint.root)
            if let earlier = last[log], earlier.size <= checkpoint.size {
                let proof = try #require(
                    try await checkpoints.proofs.consistency(from: earlier.size, to: checkpoint.size, in: log))
                #expect(
                    MerkleProof.isConsistent(
                        from: earlier.size, earlier.root, to: checkpoint.size, checkpoint.root, proof: proof))
            }
            last[log] = checkpoint
        }
        #expect(last.count == 3)
        for (log, checkpoint) in last { #expect(rig.store.log(log).count == Int(checkpoint.size)) }
        // Each checkpoint of a portfolio that the file had is also a record of the gateway's log, at least the newest one.
        let recorded = rig.recordedCheckpoints.compactMap { $0["root"] }
        for (log, checkpoint) in last where log != .gateway { #expect(recorded.contains(.string(checkpoint.rootText))) }
        try await rig.started().signAll()
    }

    @Test("a line that was written in part is not appended to: the file is written anew", arguments: [0, 1, 60, 200])
    func tornAppend(bytes: Int) async throws {
        var rig = try await CheckpointRig()
        let checkpoints = try await rig.started()
        try await rig.append(4, to: .gateway)
        try await checkpoints.signAll()
        try await rig.append(4, to: .gateway)
        rig.files.failNextAppend(after: bytes)
        await #expect(throws: InMemoryCheckpoints.Failure.self) { try await checkpoints.signAll() }
        #expect(checkpoints.newest(of: .gateway)?.checkpoint.size == 4, "a checkpoint that is not durable is not published")
        // While the file cannot be replaced either, nothing changes.
        rig.files.failReplacing(true)
        await #expect(throws: InMemoryCheckpoints.Failure.self) { try await checkpoints.signAll() }
        rig.files.failReplacing(false)
        // A process that starts now finds the incomplete line.
        #expect(try await rig.refusal() == nil)
        try await checkpoints.signAll()
        let journal = CheckpointJournal(parsing: rig.files.content ?? [])
        #expect(journal.damagedLine == nil && !journal.hasIncompleteLine)
        #expect(journal.newest[.gateway]?.checkpoint.size == 8)
    }

    @Test(
        "a process that ends between the file and the store has its checkpoints recorded by the next one",
        arguments: [false, true])
    func betweenFileAndStore(isDurable: Bool) async throws {
        var rig = try await CheckpointRig()
        let log = LogID.portfolio(rig.script.portfolio)
        try await rig.append(5, to: log)
        let checkpoints = try await rig.started()
        rig.store.failNext(.failed("power"), isDurable: isDurable)
        await #expect(throws: GatewayError.self) { try await checkpoints.signAll() }
        #expect(CheckpointJournal(parsing: rig.files.content ?? []).newest[log]?.checkpoint.size == 5)
        rig.store = rig.store.reopened()
        try await rig.started().signAll()
        #expect(rig.store.log(.gateway).map(\.body.event).filter { $0 == .checkpoint }.count == 1)
        for head in try await rig.store.logHeads() { #expect(head.lastCheckpoint?.size == head.size, "\(head.log)") }
    }

    @Test("another name of the gateway continues the checkpoints of the earlier name")
    func renamed() async throws {
        var rig = try await CheckpointRig()
        try await rig.append(3, to: .gateway)
        try await rig.started().signAll()
        let renamed = try rig.process(gatewayName: "other.example")
        try await renamed.start()
        try await renamed.signAll()
        #expect(rig.everWritten.map(\.checkpoint.origin) == ["doorward.test/logs/gateway", "other.example/logs/gateway"])
        #expect(rig.everWritten.map(\.checkpoint.size) == [3, 3])
        #expect(rig.everWritten[1].note.signatures.map(\.name) == ["other.example"])
        // The earlier name's checkpoint still protects: a shorter log is detected under the new name.
        let shorter = InMemoryStore()
        _ = try await shorter.commit(rig.script.tenancy)
        rig.store = shorter
        try await rig.noteKey()
        await #expect(throws: RollbackError.self) { try await rig.process(gatewayName: "third.example").start() }
    }

    @Test("the file is reduced when it has grown, and keeps the newest checkpoint of each log")
    func compaction() async throws {
        var rig = try await CheckpointRig()
        try await rig.append(1, to: .portfolio(rig.script.portfolio))
        let checkpoints = try await rig.started()
        for _ in 0..<20 {
            try await rig.append(1, to: .gateway)
            try await checkpoints.signAll()
        }
        #expect(CheckpointJournal(parsing: rig.files.content ?? []).entries.count == 21)
        _ = try await rig.started()
        let journal = CheckpointJournal(parsing: rig.files.content ?? [])
        #expect(
            journal.entries.map(\.origin.log).sorted { $0.description < $1.description }
                == journal.newest.keys.sorted { $0.description < $1.description })
        #expect(journal.newest[.gateway]?.checkpoint.size == 21)
    }
}
