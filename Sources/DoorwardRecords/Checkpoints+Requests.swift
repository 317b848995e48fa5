internal import DoorwardAudit
internal import DoorwardDomain
internal import DoorwardKernel
internal import Logging
import Synchronization

extension Checkpoints {
    /// Signs as `sign` does, for a request that reads the checkpoints afterwards.
    func signForRequest(_ logs: [LogID]) async throws(GatewayError) {
        do {
            try await sign(logs)
        } catch let error as GatewayError {
            throw error
        } catch {
            throw .internalFailure("the checkpoint could not be signed: \(error)")
        }
    }

    /// Keeps the cosignatures of configured witnesses over a checkpoint of the log.
    ///
    /// - Parameter text: a checkpoint that the gateway has signed, with one or more cosignatures.
    /// - Returns: the checkpoint with all cosignatures that are kept.
    /// - Throws: `.invalid` for another text, and if a cosignature is wrong or is not one of a configured witness.
    func cosign(_ text: String, of log: LogID) async throws(GatewayError) -> CheckpointJournal.Entry {
        guard let note = SignedNote(parsing: text), let given = CheckpointJournal.Entry(note) else {
            throw .invalid("note", "malformed")
        }
        guard given.origin == origin(of: log) else { throw .invalid("note", "other_log") }
        let witnesses = setup.witnesses.filter { note.isSigned(by: $0) != nil }
        guard !witnesses.isEmpty else { throw .invalid("note", "unknown_witness") }
        let keys = try await mappingStoreErrors(await storeGuard.credentials.publicKeys(for: .checkpoints))
        let gateways = keys.map { VerifierKey(name: gatewayName, algorithm: .ed25519, key: $0) } + [publicKey]
        let signers = gateways.filter { note.isSigned(by: $0) == true }
        guard !signers.isEmpty, witnesses.allSatisfy({ note.isSigned(by: $0) == true }) else {
            throw .invalid("note", "wrong_signature")
        }
        // Lines of other keys are left out, and of several lines of one key all but the last.
        func signature(of key: VerifierKey) -> SignedNote.Signature? {
            note.signatures.last { ($0.name, $0.keyID) == (key.name, key.id) }
        }
        let own = SignedNote(text: note.text, signatures: signers.compactMap(signature))
        guard let base = CheckpointJournal.Entry(own) else { throw .invalid("note", "malformed") }
        return try await keep(witnesses.compactMap(signature), base)
    }

    private func keep(
        _ cosignatures: [SignedNote.Signature], _ given: CheckpointJournal.Entry
    ) async throws(GatewayError) -> CheckpointJournal.Entry {
        let log = given.origin.log
        await mutex.lock()
        defer { mutex.unlock() }
        let known = state.withLock { state in
            [state.newest[log], state.cosigned[log]].compactMap(\.self).first { $0.checkpoint == given.checkpoint }
        }
        let base = known ?? given
        let entry = base.adding(cosignatures)
        if entry == known { return entry }
        do {
            try await append(CheckpointJournal.line(entry.note))
        } catch {
            throw .internalFailure("a cosignature could not be kept: \(error)")
        }
        state.withLock { state in
            if state.newest[log]?.checkpoint == entry.checkpoint { state.newest[log] = entry }
            if state.cosigned[log].map({ $0.checkpoint.size <= entry.checkpoint.size }) ?? true { state.cosigned[log] = entry }
        }
        return entry
    }

    /// Replaces the key that signs checkpoints. The last checkpoints of the old key have a signature of the new one as well, and
    /// the record of the rotation has a signature of each over both keys.
    ///
    /// - Parameters:
    ///   - actor: who rotates the key.
    ///   - origin: the request.
    func rotate(by actor: RecordActor, _ origin: RequestOrigin) async throws(GatewayError) -> VerifierKey {
        await mutex.lock()
        defer { mutex.unlock() }
        let seed = Secret(random.bytes(32))
        let former = state.withLock { $0.signer }
        do {
            try await signLocked(try await readHeads().map(\.log), also: nil)
            let signer = try NoteSigner(name: gatewayName, seed: seed.reveal())
            try await setup.keys.stage(seed)
            let now = clock.now()
            let record = PendingRecord(
                .keyRotated, id: random.id(at: now), at: now, actor: actor, origin: origin,
                details: try KeyRotation.details(from: former, to: signer))
            try await storeGuard.write(
                StoreTransaction(
                    credentials: [.noteKey(.checkpoints, publicHalf: signer.verifierKey.key)], records: [record]))
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

/// The statement that a new key replaces an old one, signed by both.
enum KeyRotation {
    /// What the record of the rotation contains. The signed text has both keys, each in a line of its own after a line with the purpose.
    static func details(from old: NoteSigner, to new: NoteSigner) throws -> [String: RecordValue] {
        let text = "doorward/key-rotation/1\n\(old.verifierKey)\n\(new.verifierKey)\n"
        let note = SignedNote(text: text, signatures: [try old.signature(of: text), try new.signature(of: text)])
        return [
            "note": .string(note.rendered), "oldKey": .string("\(old.verifierKey)"), "newKey": .string("\(new.verifierKey)"),
        ]
    }
}
