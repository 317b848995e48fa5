import Crypto
import DoorwardAudit
import DoorwardTesting
import FoundationEssentials
import Testing

@Suite struct MerkleTests {
    /// The test vectors of Certificate Transparency implementations.
    private static let vectors: [(leaf: String, root: String)] = [
        ("", "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
        ("00", "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"),
        ("10", "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"),
        ("2021", "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"),
        ("3031", "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4"),
        ("40414243", "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef"),
        ("5051525354555657", "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c"),
        ("606162636465666768696a6b6c6d6e6f", "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"),
    ]

    @Test("roots equal those of Certificate Transparency's test vectors")
    func vectors() throws {
        var frontier = MerkleFrontier()
        #expect(frontier.root.hex == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        var leaves: [[UInt8]] = []
        for (leaf, root) in Self.vectors {
            let hash = MerkleTree.leafHash(try #require([UInt8](hex: leaf)))
            leaves.append(hash)
            frontier.append(leafHash: hash)
            #expect(frontier.root.hex == root)
            #expect(MerkleTree.root(ofLeafHashes: leaves).hex == root)
        }
        #expect(frontier.size == 8)
    }

    @Test("the frontier, the tree by levels and the recursive definition give the same root at every size up to 300")
    func agreement() {
        var random = SeededGenerator(seed: 6962)
        var (frontier, leaves) = (MerkleFrontier(), [[UInt8]]())
        for size in 0...300 {
            #expect(frontier.size == UInt64(size))
            #expect(frontier.root == NaiveTree.root(leaves[...]))
            #expect(MerkleTree.root(ofLeafHashes: leaves) == frontier.root)
            #expect(frontier.bytes.count == 8 + 32 * size.nonzeroBitCount)
            #expect(MerkleFrontier(bytes: frontier.bytes) == frontier)
            let leaf = MerkleTree.leafHash((0..<8).map { _ in UInt8.random(in: .min ... .max, using: &random) })
            leaves.append(leaf)
            frontier.append(leafHash: leaf)
        }
    }

    @Test("a frontier can be stored and read at every step without changing the result")
    func resumed() throws {
        let leaves = (0..<100).map { MerkleTree.leafHash([UInt8($0)]) }
        var (whole, stored) = (MerkleFrontier(), MerkleFrontier())
        for leaf in leaves {
            whole.append(leafHash: leaf)
            stored = try #require(MerkleFrontier(bytes: stored.bytes))
            stored.append(leafHash: leaf)
        }
        #expect(stored == whole)
        #expect(whole.root == NaiveTree.root(leaves[...]))
    }

    @Test("a frontier is encoded as its size and the roots of its subtrees, the largest first")
    func bytes() {
        let leaves = (0..<7).map { MerkleTree.leafHash([UInt8($0)]) }
        var frontier = MerkleFrontier()
        #expect(frontier.bytes == [0, 0, 0, 0, 0, 0, 0, 0])
        for leaf in leaves { frontier.append(leafHash: leaf) }
        #expect(
            frontier.bytes == [0, 0, 0, 0, 0, 0, 0, 7] + NaiveTree.root(leaves[..<4]) + NaiveTree.root(leaves[4..<6]) + leaves[6])
    }

    @Test("a frontier with more or fewer bytes than its size requires is rejected")
    func strict() {
        let hash = [UInt8](repeating: 1, count: 32)
        let size = { (size: UInt8) in [0, 0, 0, 0, 0, 0, 0, size] as [UInt8] }
        let bad = [
            [], Array(size(0).dropLast()), size(0) + [0], size(0) + hash, size(1), size(1) + hash.dropLast(),
            size(1) + hash + [0],
            size(1) + hash + hash, size(2) + hash + hash, size(3) + hash, [0xFF] + size(0).dropFirst() + hash,
        ]
        for bytes in bad { #expect(MerkleFrontier(bytes: bytes) == nil) }
        #expect(MerkleFrontier(bytes: size(3) + hash + hash)?.size == 3)
    }

    @Test("leaf hashes and node hashes have different prefixes")
    func domains() {
        let (left, right) = (MerkleTree.leafHash([1]), MerkleTree.leafHash([2]))
        #expect(MerkleTree.nodeHash(left, right) == Array(SHA256.hash(data: [1] + left + right)))
        #expect(MerkleTree.leafHash(left + right) == Array(SHA256.hash(data: [0] + left + right)))
    }
}
