import DoorwardAudit
import Testing

@Suite struct MerkleProofTests {
    private static let leaves = (0..<130).map { MerkleTree.leafHash([UInt8($0)]) }

    /// Reads the planned hashes from the leaves themselves.
    private func hashes(_ planned: [MerkleProof.PlannedHash]) -> [[UInt8]] {
        planned.map { nodes in
            MerkleProof.root(
                of: nodes.map { node in
                    let width = 1 << node.level
                    return NaiveTree.root(Self.leaves[Int(node.index) * width..<(Int(node.index) + 1) * width])
                })
        }
    }

    @Test("inclusion proofs of all leaves at all sizes up to 130 equal those of RFC 6962, and lead to the root")
    func inclusion() throws {
        for size in 1...130 {
            let expected = NaiveTree.root(Self.leaves[..<size])
            for index in 0..<size {
                let proof = hashes(try #require(MerkleProof.inclusion(of: UInt64(index), size: UInt64(size))))
                #expect(proof == NaiveTree.path(index, Self.leaves[..<size]))
                let found = MerkleProof.root(leafHash: Self.leaves[index], index: UInt64(index), size: UInt64(size), proof: proof)
                #expect(found == expected)
            }
        }
    }

    @Test("consistency proofs between all sizes up to 130 equal those of RFC 6962, and are accepted for these roots only")
    func consistency() throws {
        let roots = (0...130).map { NaiveTree.root(Self.leaves[..<$0]) }
        for new in 1...130 {
            for old in 1...new {
                let proof = hashes(try #require(MerkleProof.consistency(from: UInt64(old), to: UInt64(new))))
                #expect(proof == NaiveTree.consistency(old, Self.leaves[..<new]))
                let (from, to) = (UInt64(old), UInt64(new))
                #expect(MerkleProof.isConsistent(from: from, roots[old], to: to, roots[new], proof: proof))
                #expect(!MerkleProof.isConsistent(from: from, roots[old - 1], to: to, roots[new], proof: proof))
                #expect(!MerkleProof.isConsistent(from: from, roots[old], to: to, roots[new - 1], proof: proof))
                #expect(!MerkleProof.isConsistent(from: from, roots[old], to: to, roots[new], proof: proof + [roots[1]]))
                if !proof.isEmpty {
                    #expect(!MerkleProof.isConsistent(from: from, roots[old], to: to, roots[new], proof: proof.dropLast()))
                }
            }
        }
    }

    @Test("the empty tree is the beginning of every tree, and a larger tree of no smaller one")
    func edges() {
        #expect(MerkleProof.consistency(from: 0, to: 5) == nil)
        #expect(MerkleProof.consistency(from: 6, to: 5) == nil)
        #expect(MerkleProof.inclusion(of: 5, size: 5) == nil)
        #expect(MerkleProof.inclusion(of: 0, size: 0) == nil)
        let (empty, five) = (MerkleTree.emptyRoot, NaiveTree.root(Self.leaves[..<5]))
        #expect(MerkleProof.isConsistent(from: 0, empty, to: 5, five, proof: []))
        #expect(!MerkleProof.isConsistent(from: 0, five, to: 5, five, proof: []))
        #expect(!MerkleProof.isConsistent(from: 6, five, to: 5, five, proof: []))
        #expect(MerkleProof.root(of: []) == empty)
        #expect(MerkleProof.root(leafHash: [1, 2, 3], index: 0, size: 1, proof: []) == nil)
    }

    @Test("the frontier's subtrees at all sizes lead to the root", arguments: [0, 1, 2, 3, 64, 100, 127, 130])
    func frontier(size: Int) {
        let nodes = MerkleProof.frontier(size: UInt64(size))
        #expect(nodes.count == size.nonzeroBitCount)
        #expect(hashes([nodes]) == [NaiveTree.root(Self.leaves[..<size])])
    }

    @Test("a proof in a log of 2^62 records has no more than 62 hashes, each of at most 62 subtrees")
    func largeLogs() throws {
        let size: UInt64 = 1 << 62
        #expect(try #require(MerkleProof.inclusion(of: size - 1, size: size)).count == 62)
        let odd = try #require(MerkleProof.consistency(from: size / 2 + 12_345, to: size - 1))
        #expect(odd.count <= 63)
        #expect(odd.allSatisfy { $0.count <= 62 })
    }
}
