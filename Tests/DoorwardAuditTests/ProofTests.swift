import DoorwardAudit
import DoorwardTesting
import Testing

@Suite struct ProofTests {
    /// The leaves of Certificate Transparency's test vectors.
    private static let vectors = [
        "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f",
    ]

    private static let nodes = (
        leaf0: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        leaf1: "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        leaf4: "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        first2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        second2: "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        third2: "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        fourth2: "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        first4: "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        second4: "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"
    )

    private func leaves() throws -> [[UInt8]] {
        try Self.vectors.map { MerkleTree.leafHash(try #require([UInt8](hex: $0))) }
    }

    private func randomLeaves(_ count: Int) -> [[UInt8]] {
        var random = SeededGenerator(seed: 9162)
        return (0..<count).map { _ in MerkleTree.leafHash((0..<4).map { _ in .random(in: .min ... .max, using: &random) }) }
    }

    /// Returns the root as the gateway computes it, with a `MerkleFrontier`.
    private func root(_ leaves: some Sequence<[UInt8]>) -> [UInt8] {
        leaves.reduce(into: MerkleFrontier()) { $0.append(leafHash: $1) }.root
    }

    @Test(
        "inclusion proofs equal those of Certificate Transparency's test vectors",
        arguments: [
            (0, 1, []), (0, 8, [nodes.leaf1, nodes.second2, nodes.second4]),
            (5, 8, [nodes.leaf4, nodes.fourth2, nodes.first4]), (2, 3, [nodes.first2]),
            (1, 5, [nodes.leaf0, nodes.second2, nodes.leaf4]),
        ] as [(Int, Int, [String])])
    func inclusionVectors(index: Int, size: Int, path: [String]) throws {
        let leaves = try leaves()
        #expect(NaiveTree.path(index, leaves[..<size]).map(\.hex) == path)
        let found = ProofCheck.root(
            leaf: leaves[index], index: index, size: size, path: try path.map { try #require([UInt8](hex: $0)) })
        #expect(found == root(leaves[..<size]))
    }

    @Test(
        "consistency proofs equal those of Certificate Transparency's test vectors",
        arguments: [
            (1, 1, []), (1, 8, [nodes.leaf1, nodes.second2, nodes.second4]), (6, 8, [nodes.third2, nodes.fourth2, nodes.first4]),
            (2, 5, [nodes.second2, nodes.leaf4]),
        ] as [(Int, Int, [String])])
    func consistencyVectors(size: Int, newSize: Int, proof: [String]) throws {
        let leaves = try leaves()
        #expect(NaiveTree.consistency(size, leaves[..<newSize]).map(\.hex) == proof)
    }

    @Test("at every size up to 70 each leaf has an inclusion proof for the frontier's root, which fails for another leaf")
    func inclusion() {
        let leaves = randomLeaves(70)
        for size in 1...70 {
            let expected = root(leaves[..<size])
            for index in 0..<size {
                let path = NaiveTree.path(index, leaves[..<size])
                #expect(ProofCheck.root(leaf: leaves[index], index: index, size: size, path: path) == expected)
                let other = leaves[(index + 1) % 70]
                #expect(ProofCheck.root(leaf: other, index: index, size: size, path: path) != expected)
            }
        }
    }

    @Test("at every size up to 70 the frontier's root has consistency proofs from all smaller sizes")
    func consistency() throws {
        let leaves = randomLeaves(70)
        let roots = (0...70).map { root(leaves[..<$0]) }
        for newSize in 1...70 {
            for size in 1...newSize {
                let proof = NaiveTree.consistency(size, leaves[..<newSize])
                let found = try #require(ProofCheck.roots(from: size, root: roots[size], to: newSize, proof: proof))
                #expect(found.old == roots[size])
                #expect(found.new == roots[newSize])
            }
        }
    }

    @Test("a changed log has no consistency proof from the root before the change", arguments: [0, 1, 6, 12])
    func rewritten(changed: Int) throws {
        let leaves = randomLeaves(20)
        let kept = root(leaves[..<13])
        var rewritten = leaves
        rewritten[changed] = MerkleTree.leafHash([0])
        let proof = NaiveTree.consistency(13, rewritten[...])
        let found = try #require(ProofCheck.roots(from: 13, root: kept, to: 20, proof: proof))
        #expect(found.new == root(rewritten))
        #expect(found.old != kept)
    }

    @Test("a frontier that is stored and read at any size leads to the same root")
    func resumedAnywhere() throws {
        let leaves = randomLeaves(70)
        let expected = root(leaves)
        for size in 0...70 {
            let stored = leaves[..<size].reduce(into: MerkleFrontier()) { $0.append(leafHash: $1) }.bytes
            var frontier = try #require(MerkleFrontier(bytes: stored))
            for leaf in leaves[size...] { frontier.append(leafHash: leaf) }
            #expect(frontier.root == expected)
        }
    }

    @Test("at every size up to 130 a frontier holds the root of one subtree for each set bit of the size")
    func subtrees() {
        let leaves = randomLeaves(130)
        var frontier = MerkleFrontier()
        for size in 0...130 {
            var (expected, start) = ([UInt8](), 0)
            for bit in (0..<8).reversed() where size & (1 << bit) != 0 {
                expected += NaiveTree.root(leaves[start..<start + (1 << bit)])
                start += 1 << bit
            }
            #expect(Array(frontier.bytes.dropFirst(8)) == expected)
            if size < 130 { frontier.append(leafHash: leaves[size]) }
        }
    }

    @Test("a log of more than 2^62 records can be continued from its frontier", arguments: [32, 40, 62])
    func large(bits: Int) throws {
        // A complete tree of 2^bits leaves, of which only the root is known.
        let hash = MerkleTree.leafHash([7])
        let size = UInt64(1) << UInt64(bits)
        var frontier = try #require(
            MerkleFrontier(bytes: (0..<8).map { UInt8(truncatingIfNeeded: size >> (56 - 8 * $0)) } + hash))
        #expect(frontier.root == hash)
        let leaf = MerkleTree.leafHash([8])
        frontier.append(leafHash: leaf)
        #expect(frontier.size == size + 1)
        #expect(frontier.root == MerkleTree.nodeHash(hash, leaf))
        frontier.append(leafHash: leaf)
        #expect(frontier.root == MerkleTree.nodeHash(hash, MerkleTree.nodeHash(leaf, leaf)))
        #expect(frontier.bytes.count == 8 + 64)
    }

    @Test("trees of different sizes, orders and leaves have different roots")
    func distinct() {
        let leaves = randomLeaves(16)
        var roots: [[UInt8]] = (0...16).map { root(leaves[..<$0]) }
        for index in 0..<15 {
            var swapped = leaves
            swapped.swapAt(index, index + 1)
            roots.append(root(swapped))
        }
        // Trees whose last leaf is duplicated to fill a level. By RFC 6962 their roots differ from
        // those of the trees without the duplicate.
        roots += [root(leaves[..<3] + [leaves[2]]), root(leaves[..<5] + [leaves[4]])]
        #expect(Set(roots).count == roots.count)
    }
}
