import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardKernel
@testable import DoorwardLocks
@testable import DoorwardRecords
@testable import DoorwardTenancy

/// A store that was rolled back, replaced or changed, or a checkpoint file that was, is noticed at the start.
@Suite struct RollbackTests {
    /// A rig whose logs have records, a backup of the store, further records, and the checkpoints of all of them.
    private static func signed() async throws -> (rig: CheckpointRig, backup: InMemoryStore) {
        var rig = try await CheckpointRig()
        for log in rig.logs { try await rig.append(4, to: log) }
        try await rig.started().signAll()
        let backup = rig.store.reopened()
        for log in rig.logs { try await rig.append(3, to: log) }
        try await rig.started().signAll()
        return (rig, backup)
    }

    @Test("the present store and file start, also with records that no checkpoint covers")
    func whole() async throws {
        var (rig, _) = try await Self.signed()
        #expect(try await rig.refusal() == nil)
        try await rig.append(9, to: .gateway)
        #expect(try await rig.refusal() == nil)
    }

    @Test("a restored backup is refused, and nothing is written")
    func restored() async throws {
        var (rig, backup) = try await Self.signed()
        rig.store = backup
        let content = rig.files.content
        let mismatch = try #require(try await rig.refusal())
        #expect(rig.logs.contains { $0 == mismatch.log })
        guard case .fewerRecords(let size, let signed) = mismatch.problem else { return #expect(Bool(false), "\(mismatch)") }
        #expect(size < signed)
        #expect(rig.files.content == content)
        #expect(backup.commitCount == rig.store.commitCount)
    }

    @Test("a restored backup that has grown beyond the checkpoint is refused")
    func regrown() async throws {
        var (rig, backup) = try await Self.signed()
        rig.store = backup
        for log in rig.logs { try await rig.append(40, to: log) }
        let mismatch = try #require(try await rig.refusal())
        guard case .otherRecords = mismatch.problem else { return #expect(Bool(false), "\(mismatch)") }
    }

    @Test("the database of another gateway with the same key is refused")
    func swapped() async throws {
        var (rig, _) = try await Self.signed()
        var other = try await CheckpointRig(seed: 99)
        for log in other.logs { try await other.append(20, to: log) }
        rig.store = other.store
        #expect(try await rig.refusal() != nil)
        // An empty database, to which the key is new, is refused too.
        rig.store = InMemoryStore()
        try await rig.noteKey()
        let mismatch = try #require(try await rig.refusal())
        guard case .fewerRecords(0, _) = mismatch.problem else { return #expect(Bool(false), "\(mismatch)") }
    }

    @Test("a dropped log is noticed, although the other logs are whole")
    func droppedLog() async throws {
        var rig = try await CheckpointRig()
        try await rig.append(2, to: .portfolio(rig.script.portfolio))
        try await rig.started().signAll()
        let kept = rig.store.log(.gateway).map(\.body)
        let without = InMemoryStore()
        _ = try await without.commit(rig.script.tenancy)
        _ = try await without.commit(StoreTransaction(records: kept.map { PendingRecord($0) }))
        rig.store = without
        try await rig.noteKey()
        #expect(
            try await rig.refusal()
                == CheckpointMismatch(log: .portfolio(rig.script.portfolio), problem: .fewerRecords(0, signed: 2)))
        // The gateway's log, which is whole, shows that there was such a log.
        #expect(kept.contains { $0.event == .checkpoint && $0.portfolioID == rig.script.portfolio })
    }

    @Test("a missing, older, damaged or foreign checkpoint file is refused")
    func files() async throws {
        let (rig, _) = try await Self.signed()
        let content = try #require(rig.files.content)
        rig.files.content = nil
        #expect(try await rig.refusal() == CheckpointMismatch(log: nil, problem: .fileMissing))
        rig.files.content = []
        #expect(try await rig.refusal()?.log == rig.logs.min { $0.description < $1.description })
        let lines = content.split(separator: 10).map { Array($0) + [10] }
        rig.files.content = Array(lines.dropLast().joined())
        guard case .olderFile? = try await rig.refusal()?.problem else { return #expect(Bool(false), "an older file") }
        rig.files.content = content + Array("nonsense\n".utf8)
        #expect(try await rig.refusal()?.problem == .damagedLine(lines.count + 1))
        rig.files.content = content + Array("nonsense".utf8)
        #expect(try await rig.refusal() == nil, "an incomplete last line is left by a crash")
        // A checkpoint of a larger size that another key signed does not replace the gateway's own.
        let forger = try NoteSigner(name: CheckpointRig.gatewayName, seed: [UInt8](repeating: 66, count: 32))
        let forged = try Checkpoint(
            origin: "doorward.test/logs/gateway", size: 1, root: [UInt8](repeating: 1, count: 32)
        ).signed(by: forger)
        rig.files.content = CheckpointJournal.line(forged)
        #expect(try await rig.refusal()?.problem != nil)
        rig.files.content =
            content
            + CheckpointJournal.line(
                try Checkpoint(origin: "doorward.test/logs/gateway", size: 1_000, root: [UInt8](repeating: 1, count: 32))
                    .signed(by: forger))
        #expect(try await rig.refusal() == CheckpointMismatch(log: .gateway, problem: .notSigned))
    }

    @Test("each changed byte of the checkpoint file is either refused or changes nothing that is read")
    func everyByte() async throws {
        var rig = try await CheckpointRig()
        try await rig.append(3, to: .gateway)
        try await rig.started().signAll()
        let content = try #require(rig.files.content)
        let before = CheckpointJournal(parsing: content)
        for index in content.indices {
            for bit in [1, 32] as [UInt8] {
                var changed = content
                changed[index] ^= bit
                rig.files.content = changed
                let isRefused = try await rig.refusal() != nil
                let journal = CheckpointJournal(parsing: changed)
                #expect(isRefused || journal.newest[.gateway]?.checkpoint == before.newest[.gateway]?.checkpoint, "byte \(index)")
            }
        }
    }

    @Test("an accepted rollback opens a new generation of each log concerned, records it, and starts")
    func accepted() async throws {
        var (rig, backup) = try await Self.signed()
        let lost = CheckpointJournal(parsing: rig.files.content ?? []).newest
        rig.store = backup
        let sizes = rig.logs.map { UInt64(backup.log($0).count) }
        let generations = try await rig.process().acceptRollback()
        #expect(generations == Dictionary(uniqueKeysWithValues: rig.logs.map { ($0, 2) }))
        for (log, size) in zip(rig.logs, sizes) {
            let record = try #require(rig.store.log(log).dropFirst(Int(size)).first?.body)
            #expect((record.event, record.actor.kind) == (.recovered, .gateway))
            #expect(record.details["after"] == .string("rollback"))
            #expect(record.details["generation"] == .integer(2))
            #expect(record.details["size"] == .integer(Int64(size)))
            guard case .object(let givenUp)? = record.details["givenUp"] else { return #expect(Bool(false)) }
            #expect(givenUp["size"] == .integer(Int64(lost[log]?.checkpoint.size ?? 0)))
            #expect(givenUp["root"] == .string(lost[log]?.checkpoint.rootText ?? ""))
        }
        let newest = CheckpointJournal(parsing: rig.files.content ?? []).newest
        for log in rig.logs {
            #expect(newest[log]?.checkpoint.origin == "doorward.test/logs/\(log)/2")
            #expect(newest[log]?.checkpoint.size == UInt64(rig.store.log(log).count))
        }
        #expect(try await rig.refusal() == nil)
        #expect(try await rig.process().acceptRollback() == [:], "nothing more to accept")
    }

    @Test("a second rollback, to before the first was accepted, is noticed, and gets a generation of its own")
    func twice() async throws {
        var (rig, backup) = try await Self.signed()
        rig.store = backup.reopened()
        _ = try await rig.process().acceptRollback()
        rig.store = backup.reopened()
        #expect(try await rig.refusal()?.problem == .unknownGeneration(2))
        #expect(Set(try await rig.process().acceptRollback().values) == [3])
        #expect(try await rig.refusal() == nil)
    }

    @Test("a process that ends while a rollback is accepted leaves a state that is accepted again or starts")
    func interrupted() async throws {
        let (signed, backup) = try await Self.signed()
        for step in 0..<4 {
            var rig = signed
            let content = rig.files.content
            rig.store = backup.reopened()
            switch step {
            case 0: rig.store.failNext(.failed("power"))
            case 1: rig.store.failNext(.failed("power"), isDurable: true)
            case 2: rig.files.failReplacing(true)
            default: rig.files.failNextAppend(after: 30)
            }
            do {
                _ = try await rig.process().acceptRollback()
                #expect(Bool(false), "step \(step) did not fail")
            } catch {}
            rig.files.failReplacing(false)
            rig.store = rig.store.reopened()
            if try await rig.refusal() != nil { _ = try await rig.process().acceptRollback() }
            #expect(try await rig.refusal() == nil, "step \(step)")
            try await rig.started().signAll()
            #expect(rig.store.log(.gateway).contains { $0.body.event == .recovered })
            rig.files.content = content
        }
    }

    @Test("with the checkpoint file lost, every log gets a new generation")
    func lostFile() async throws {
        let (rig, _) = try await Self.signed()
        rig.files.content = nil
        #expect(Set(try await rig.process().acceptRollback().keys) == Set(rig.logs))
        #expect(try await rig.refusal() == nil)
        #expect(Set(CheckpointJournal(parsing: rig.files.content ?? []).newest.values.map(\.origin.generation)) == [2])
    }
}
