internal import DoorwardAudit
internal import DoorwardDomain
internal import DoorwardKernel
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
}
