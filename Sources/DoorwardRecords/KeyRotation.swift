internal import DoorwardAudit
internal import DoorwardDomain
internal import DoorwardKernel
internal import Logging
import Synchronization

/// The statement that a new key replaces an old one, signed by both.
enum KeyRotation {
    /// The signed text: both keys, each in a line of its own after a line with the purpose.
    static func text(from old: VerifierKey, to new: VerifierKey) -> String { "doorward/key-rotation/1\n\(old)\n\(new)\n" }

    /// What the record of the rotation contains.
    static func details(from old: NoteSigner, to new: NoteSigner) throws -> [String: RecordValue] {
        let text = Self.text(from: old.verifierKey, to: new.verifierKey)
        let note = SignedNote(text: text, signatures: [try old.signature(of: text), try new.signature(of: text)])
        return [
            "note": .string(note.rendered), "oldKey": .string("\(old.verifierKey)"), "newKey": .string("\(new.verifierKey)"),
        ]
    }
}

extension Checkpoints {
    /// Replaces the key that signs checkpoints. The last checkpoints of the old key have a signature of the new one as well, and
    /// the record of the rotation has a signature of each over both keys.
    ///
    /// - Parameter record: makes the record from its id, its time and its details.
    func rotate(_ record: (RecordID, Timestamp, [String: RecordValue]) -> PendingRecord) async throws(GatewayError) -> VerifierKey
    {
        await mutex.lock()
        defer { mutex.unlock() }
        let seed = Secret(random.bytes(32))
        let former = state.withLock { $0.signer }
        do {
            try await signLocked(try await readHeads().map(\.log), also: nil)
            let signer = try NoteSigner(name: gatewayName, seed: seed.reveal())
            try await setup.keys.stage(seed)
            let now = clock.now()
            try await storeGuard.write(
                StoreTransaction(
                    credentials: [.noteKey(.checkpoints, publicHalf: signer.verifierKey.key)],
                    records: [record(random.id(at: now), now, try KeyRotation.details(from: former, to: signer))]))
            state.withLock { $0.signer = signer }
            // From here on the new key is in force: a step that fails is repeated in the next round or at the next start.
            do {
                try await signLocked(try await readHeads().map(\.log), also: former)
                try await setup.keys.activateStaged()
            } catch {
                logger.error(
                    "the key rotation could not be completed; the next start completes it", metadata: ["error": "\(error)"])
            }
            return signer.verifierKey
        } catch let error as GatewayError {
            throw error
        } catch {
            throw .internalFailure("the key could not be rotated: \(error)")
        }
    }
}
