import FoundationEssentials

/// The size and root of a log at one time, as C2SP tlog-checkpoint (https://c2sp.org/tlog-checkpoint) writes it: the text of a
/// signed note.
package struct Checkpoint: Hashable, Sendable {
    /// The name of the log, unique among all logs of all gateways; see `LogOrigin`.
    package let origin: String
    /// The number of records.
    package let size: UInt64
    /// The root of the Merkle tree over these records; 32 bytes.
    package let root: [UInt8]

    package init(origin: String, size: UInt64, root: [UInt8]) { (self.origin, self.size, self.root) = (origin, size, root) }

    /// The text that is signed.
    package var text: String { "\(origin)\n\(size)\n\(rootText)\n" }

    /// The root in base64 (RFC 4648, section 4).
    package var rootText: String { Data(root).base64EncodedString() }

    /// Reads the text of a checkpoint. Extension lines after the root are permitted and ignored, as the specification requires.
    ///
    /// - Returns: `nil` if it is malformed.
    package init?(parsing text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 4, lines.last == "", !lines[0].isEmpty, lines.dropLast().allSatisfy({ !$0.isEmpty }),
            let size = UInt64(lines[1]), String(size) == lines[1], let root = SignedNote.base64(lines[2]),
            root.count == MerkleTree.hashByteCount
        else { return nil }
        self.init(origin: String(lines[0]), size: size, root: root)
    }

    /// Signs the checkpoint.
    ///
    /// - Throws: if the cryptographic library fails.
    package func signed(by signer: NoteSigner) throws -> SignedNote {
        SignedNote(text: text, signatures: [try signer.signature(of: text)])
    }

    /// Reads and verifies a signed checkpoint. The expected origin and key come from the verifier, never from the note.
    package static func verified(_ note: String, origin: String, key: VerifierKey) throws(CheckpointFault) -> Checkpoint {
        guard let note = SignedNote(parsing: note), let checkpoint = Checkpoint(parsing: note.text) else { throw .malformed }
        guard checkpoint.origin == origin else { throw .otherOrigin(checkpoint.origin) }
        switch note.isSigned(by: key) {
        case true?: return checkpoint
        case false?: throw .wrongSignature
        case nil: throw .notSigned(by: key.name)
        }
    }
}

/// Why a signed checkpoint is rejected.
package enum CheckpointFault: Error, Hashable, Sendable {
    /// The text is not a signed checkpoint.
    case malformed
    /// The checkpoint is one of another log, with this origin.
    case otherOrigin(String)
    /// The checkpoint has no signature by the expected key, whose name this is.
    case notSigned(by: String)
    /// The checkpoint has a signature by the expected key that does not match its text.
    case wrongSignature
}
