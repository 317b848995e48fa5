import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation

@testable import DoorwardStore

/// A course of a store under a recorder: commands, checkpoints of the database, a key rotation, an erasure.
struct DiskCourse {
    static let steps = ["open", "command", "checkpoint", "rotation", "erasure"]

    let database: TemporaryDatabase
    private let seed: UInt64

    init(seed: UInt64) async throws {
        (database, self.seed) = (try TemporaryDatabase(), seed)
        // The schema and the tenancy are there before the recording begins.
        let store = try database.open()
        _ = try await store.commit(StoreScript(seed: seed).tenancy)
        try await store.close()
    }

    /// - Parameter answersEarly: whether an answer is noted before its commit: a defect, which a campaign must find.
    func record(answersEarly: Bool = false) async throws -> DiskRecorder {
        let recorder = try DiskRecorder(database.path)
        defer { recorder.stop() }
        recorder.note(.step("open"))
        var limits = TemporaryDatabase.limits
        limits.pagesPerCheckpoint = 12
        let hooks = StoreHooks(
            beforeCheckpoint: { recorder.note(.step("checkpoint")) }, afterCheckpoint: { recorder.note(.step("command")) })
        let store = try database.open(limits: limits, hooks: hooks)
        recorder.note(.step("command"))
        var (script, random) = (StoreScript(seed: seed), SeededGenerator(seed: seed))
        func commit(_ transaction: StoreTransaction) async throws {
            let answer = DiskRecorder.Event.answered(transaction.records.map(\.body.id))
            if answersEarly { recorder.note(answer) }
            _ = try await store.commit(transaction)
            recorder.note(answer)
            for log in Set(transaction.records.map(\.body.log)) {
                if let frontier = try await store.frontier(of: log) {
                    recorder.note(.shown(log, size: frontier.size, root: frontier.root))
                }
            }
        }
        for _ in 0..<6 {
            let device = [script.door, script.gate, script.otherDoor].randomElement(using: &random) ?? script.door
            var command = script.command(on: device, reason: "parcel")
            try await commit(script.begin(command))
            (command.state, command.dispatchedAt) = (.dispatched, script.now)
            try await commit(StoreTransaction(commands: [.update(command)]))
            try await commit(script.end(script.confirmed(command)))
            // Records of different sizes, so that commits have different numbers of pages.
            let count = Int.random(in: 0..<12, using: &random)
            try await commit(StoreTransaction(records: (0..<count).map { _ in PendingRecord(script.event(on: script.gate)) }))
        }
        recorder.note(.step("rotation"))
        let key = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
        try await commit(
            StoreTransaction(
                credentials: [.noteKey(.checkpoints, publicHalf: key)], records: [PendingRecord(script.gatewayEvent())]))
        recorder.note(.step("erasure"))
        try await commit(StoreTransaction(records: [PendingRecord(script.gatewayEvent())], forgets: [.user(script.user)]))
        recorder.note(.erased(script.user))
        recorder.stop()
        try await store.close()
        return recorder
    }

    /// Opens an image as the next process does, and returns the promises that it breaks.
    func violations(of image: DiskImage, _ promises: Promises, name: String) async throws -> [String] {
        let path = database.folder.appending(path: name).path
        try image.write(to: path)
        do {
            let store = try database.open(path: path)
            guard await store.isWritable() else { return ["the store is not writable"] }
            try await store.close()
            return try promises.violations(of: path)
        } catch {
            return ["the next process fails: \(error)"]
        }
    }
}
