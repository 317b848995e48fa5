import FoundationEssentials

/// A proof that one record is in a log, which is checked without the log, as C2SP tlog-proof (https://c2sp.org/tlog-proof) writes it.
package struct InclusionProofFile: Hashable, Sendable {
    /// The leaf hash of the record, which Doorward puts into the line `extra`; a verifier who has the record computes it.
    package let leafHash: [UInt8]
    /// The `seq` of the record.
    package let index: UInt64
    /// The hashes of the proof, the lowest first.
    package let hashes: [[UInt8]]
    /// The signed checkpoint that the proof leads to, as text.
    package let checkpoint: String

    /// The first line of every proof.
    static let header = "c2sp.org/tlog-proof@v1"
    /// The maximum number of hashes: the height of the highest tree.
    static let maxHashes = 63

    package init(leafHash: [UInt8], index: UInt64, hashes: [[UInt8]], checkpoint: String) {
        (self.leafHash, self.index, self.hashes, self.checkpoint) = (leafHash, index, hashes, checkpoint)
    }

    /// The text of the proof.
    package var text: String {
        let lines = [Self.header, "extra \(Data(leafHash).base64EncodedString())", "index \(index)"]
        return (lines + hashes.map { Data($0).base64EncodedString() }).map { $0 + "\n" }.joined() + "\n" + checkpoint
    }

    /// Reads a proof.
    ///
    /// - Returns: `nil` if the text is malformed, or `extra` is not a leaf hash.
    package init?(parsing text: String) {
        guard text.utf8.count <= SignedNote.maxBytes, let gap = text.firstRange(of: "\n\n") else { return nil }
        var lines = text[..<gap.lowerBound].split(separator: "\n", omittingEmptySubsequences: false)[...]
        guard lines.popFirst() == Self.header[...], let extra = lines.popFirst(), extra.hasPrefix("extra "),
            let leafHash = SignedNote.base64(extra.dropFirst(6)), leafHash.count == MerkleTree.hashByteCount,
            let line = lines.popFirst(), line.hasPrefix("index "), let index = UInt64(line.dropFirst(6)),
            String(index) == line.dropFirst(6), lines.count <= Self.maxHashes
        else { return nil }
        let hashes = lines.compactMap(SignedNote.base64).filter { $0.count == MerkleTree.hashByteCount }
        guard hashes.count == lines.count else { return nil }
        self.init(leafHash: leafHash, index: index, hashes: hashes, checkpoint: String(text[gap.upperBound...]))
    }

    /// Verifies the proof. The expected origin and keys come from the verifier, never from the proof.
    ///
    /// - Returns: the checkpoint that contains the record.
    package func verified(origin: String, keys: [VerifierKey]) throws(InclusionFault) -> Checkpoint {
        let checkpoint: Checkpoint
        do {
            checkpoint = try Checkpoint.verified(self.checkpoint, origin: origin, keys: keys)
        } catch {
            throw .checkpoint(error)
        }
        let root = MerkleProof.root(leafHash: leafHash, index: index, size: checkpoint.size, proof: hashes)
        guard root == checkpoint.root else { throw .notIncluded }
        return checkpoint
    }
}

/// Why a proof of inclusion is rejected.
package enum InclusionFault: Error, Hashable, Sendable {
    /// The checkpoint in the proof is rejected.
    case checkpoint(CheckpointFault)
    /// The hashes do not lead from the record to the root of the checkpoint.
    case notIncluded
}
