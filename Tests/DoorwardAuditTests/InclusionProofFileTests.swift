import DoorwardAudit
import DoorwardTesting
import Testing

@Suite struct InclusionProofFileTests {
    private static let origin = "doorward.local/logs/gateway"
    private static let leaves = (0..<13).map { MerkleTree.leafHash([UInt8($0)]) }

    private static func signer(_ seed: UInt8 = 7) throws -> NoteSigner {
        try NoteSigner(name: "doorward.local", seed: [UInt8](repeating: seed, count: 32))
    }

    private static func hash(_ planned: MerkleProof.PlannedHash) -> [UInt8] {
        MerkleProof.root(
            of: planned.map { node in
                let first = Int(node.index) << node.level
                return MerkleTree.root(ofLeafHashes: Array(leaves[first..<first + 1 << node.level]))
            })
    }

    private static func proof(_ index: UInt64 = 5, size: Int = 13, seed: UInt8 = 7) throws -> InclusionProofFile {
        let root = MerkleTree.root(ofLeafHashes: Array(leaves[..<size]))
        let note = try Checkpoint(origin: origin, size: UInt64(size), root: root).signed(by: signer(seed))
        let plan = try #require(MerkleProof.inclusion(of: index, size: UInt64(size)))
        return InclusionProofFile(
            leafHash: leaves[Int(index)], index: index, hashes: plan.map(hash), checkpoint: note.rendered)
    }

    @Test("the text has the lines of C2SP's format, and is read back")
    func text() throws {
        let proof = try Self.proof(0, size: 2)
        let lines = proof.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0] == "c2sp.org/tlog-proof@v1")
        #expect(lines[1].hasPrefix("extra ") && lines[2] == "index 0" && lines[4] == "" && lines[5] == Self.origin[...])
        #expect(InclusionProofFile(parsing: proof.text) == proof)
    }

    @Test("every record of trees of every size has a proof that is verified")
    func whole() throws {
        let keys = [try Self.signer().verifierKey]
        for size in 1...13 {
            for index in 0..<size {
                let proof = try Self.proof(UInt64(index), size: size)
                let read = try #require(InclusionProofFile(parsing: proof.text))
                #expect(try read.verified(origin: Self.origin, keys: keys).size == UInt64(size))
            }
        }
    }

    @Test("each changed byte is malformed or rejected")
    func changed() throws {
        let keys = [try Self.signer().verifierKey]
        let bytes = Array(try Self.proof().text.utf8)
        for index in bytes.indices {
            for bit in [1, 4, 32] as [UInt8] {
                var changed = bytes
                changed[index] ^= bit
                guard let text = String(validating: changed, as: UTF8.self), let proof = InclusionProofFile(parsing: text) else {
                    continue
                }
                #expect(throws: InclusionFault.self, "byte \(index)") { try proof.verified(origin: Self.origin, keys: keys) }
            }
        }
    }

    @Test("the expected origin and key are the verifier's; after a rotation several keys are accepted")
    func expectations() throws {
        let (old, new) = (try Self.signer().verifierKey, try Self.signer(8).verifierKey)
        let (earlier, later) = (try Self.proof(), try Self.proof(seed: 8))
        #expect(throws: Never.self) { try earlier.verified(origin: Self.origin, keys: [new, old]) }
        #expect(throws: Never.self) { try later.verified(origin: Self.origin, keys: [old, new]) }
        #expect(throws: InclusionFault.checkpoint(.notSigned(by: "doorward.local"))) {
            try later.verified(origin: Self.origin, keys: [old])
        }
        #expect(throws: InclusionFault.checkpoint(.otherOrigin(Self.origin))) {
            try later.verified(origin: "doorward.local/logs/gateway/2", keys: [new])
        }
        #expect(throws: InclusionFault.checkpoint(.malformed)) { try later.verified(origin: Self.origin, keys: []) }
    }

    @Test("the hashes of another record or of another size are rejected")
    func otherRecord() throws {
        let keys = [try Self.signer().verifierKey]
        let (proof, other) = (try Self.proof(5), try Self.proof(6))
        let wrong = [
            InclusionProofFile(leafHash: other.leafHash, index: 5, hashes: proof.hashes, checkpoint: proof.checkpoint),
            InclusionProofFile(leafHash: proof.leafHash, index: 6, hashes: proof.hashes, checkpoint: proof.checkpoint),
            InclusionProofFile(leafHash: proof.leafHash, index: 5, hashes: other.hashes, checkpoint: proof.checkpoint),
            InclusionProofFile(leafHash: proof.leafHash, index: 13, hashes: proof.hashes, checkpoint: proof.checkpoint),
            InclusionProofFile(leafHash: proof.leafHash, index: 5, hashes: proof.hashes.dropLast(), checkpoint: proof.checkpoint),
            InclusionProofFile(
                leafHash: proof.leafHash, index: 5, hashes: proof.hashes, checkpoint: try Self.proof(5, size: 12).checkpoint),
        ]
        for proof in wrong {
            #expect(throws: InclusionFault.notIncluded) { try proof.verified(origin: Self.origin, keys: keys) }
        }
    }

    @Test(
        "malformed proofs are rejected",
        arguments: [
            "", "c2sp.org/tlog-proof@v1\n\n", "c2sp.org/tlog-proof@v2\nextra AA==\nindex 1\n\n",
            "c2sp.org/tlog-proof@v1\nindex 1\n\nx",
            "c2sp.org/tlog-proof@v1\nextra AA==\nindex 1\n\nx",
        ])
    func malformed(text: String) { #expect(InclusionProofFile(parsing: text) == nil) }

    @Test("an index is spelled in one way")
    func index() throws {
        let text = try Self.proof().text
        for spelling in ["05", "+5", "-5", "5 ", "0x5", "18446744073709551616", ""] {
            #expect(InclusionProofFile(parsing: text.replacing("index 5\n", with: "index \(spelling)\n")) == nil)
        }
    }
}
