import Crypto
import FoundationEssentials

/// The hashes of RFC 6962, section 2.1, over SHA-256.
package enum MerkleTree {
    /// The length of every leaf, node and root hash: the length of a SHA-256 digest.
    package static let hashByteCount = 32

    /// Returns SHA-256(0x00 ‖ `bytes`).
    package static func leafHash(_ bytes: [UInt8]) -> [UInt8] { Digest32(leaf: bytes).bytes }

    /// Returns SHA-256(0x01 ‖ `left` ‖ `right`).
    package static func nodeHash(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> [UInt8] {
        var input: [UInt8] = [0x01]
        input.reserveCapacity(1 + 2 * hashByteCount)
        input.append(contentsOf: left)
        input.append(contentsOf: right)
        return SHA256.hash(data: input).withUnsafeBytes { Array($0) }
    }

    /// The root of the empty tree: SHA-256 of no bytes.
    package static let emptyRoot: [UInt8] = Array(SHA256.hash(data: [UInt8]()))

    /// Returns the root over `leafHashes`, computed level by level. Use it for checks that must not rely on a frontier.
    package static func root(ofLeafHashes leafHashes: [[UInt8]]) -> [UInt8] {
        guard !leafHashes.isEmpty else { return emptyRoot }
        var level = leafHashes
        while level.count > 1 {
            // With an odd number of nodes, the last node has no sibling and becomes a node of the next level unchanged.
            level = stride(from: 0, to: level.count, by: 2).map { index in
                index + 1 < level.count ? nodeHash(level[index], level[index + 1]) : level[index]
            }
        }
        return level[0]
    }
}

/// The part of a log's Merkle tree that is required to append leaves and to compute the root: the roots of the tree's complete
/// subtrees, the largest (oldest) first. There is one hash for each 1 bit in `size`.
package struct MerkleFrontier: Hashable, Sendable {
    /// The number of leaves; also the `seq` of the next record.
    package private(set) var size: UInt64
    /// The concatenated hashes.
    private var hashes: [UInt8]

    /// The empty tree.
    package init() { (size, hashes) = (0, []) }

    /// The tree over the first `size` leaves.
    ///
    /// - Parameter hashes: the roots of its complete subtrees, the largest first.
    /// - Returns: `nil` if the number of hashes does not match the size.
    init?(size: UInt64, hashes: [[UInt8]]) {
        guard hashes.count == size.nonzeroBitCount else { return nil }
        (self.size, self.hashes) = (size, Array(hashes.joined()))
    }

    /// Appends a leaf hash of 32 bytes. This computes one node hash on average, and at most 64.
    package mutating func append(leafHash: [UInt8]) {
        precondition(leafHash.count == MerkleTree.hashByteCount, "a leaf hash has 32 bytes")
        hashes.append(contentsOf: leafHash)
        // Each trailing 1 bit of the old size represents a complete subtree. Join this subtree with
        // the subtree of the same size that ends with the new leaf.
        for _ in 0..<(~size).trailingZeroBitCount { joinLastTwo() }
        size += 1
    }

    /// The tree's root by RFC 6962; 32 bytes.
    package var root: [UInt8] {
        guard !hashes.isEmpty else { return MerkleTree.emptyRoot }
        var rest = self
        while rest.hashes.count > MerkleTree.hashByteCount { rest.joinLastTwo() }
        return rest.hashes
    }

    private mutating func joinLastTwo() {
        let start = hashes.count - 2 * MerkleTree.hashByteCount
        var node = SHA256()
        node.update("\u{1}")
        hashes.withUnsafeBytes { node.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0[start...])) }
        hashes.removeLast(2 * MerkleTree.hashByteCount)
        node.finalize().withUnsafeBytes { hashes.append(contentsOf: $0) }
    }
}

extension MerkleFrontier {
    /// The stored form: `size` as 8 bytes big-endian, then the hashes, the largest subtree first.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 + hashes.count)
        bytes.append(bigEndian: size)
        bytes.append(contentsOf: hashes)
        return bytes
    }

    /// - Returns: `nil` if the number of hashes does not match the encoded size.
    package init?(bytes: [UInt8]) {
        guard bytes.count >= 8, let size = bytes[..<8].bigEndianUInt64,
            bytes.count == 8 + size.nonzeroBitCount * MerkleTree.hashByteCount
        else { return nil }
        (self.size, hashes) = (size, Array(bytes[8...]))
    }
}

/// A complete subtree of a log's Merkle tree: it covers 2^`level` leaves, from leaf `index` · 2^`level` on.
package struct MerkleNode: Hashable, Sendable {
    /// The height of the subtree; 0 for one leaf.
    package let level: Int
    /// The number of the subtree among those of its level, from 0.
    package let index: UInt64

    package init(level: Int, index: UInt64) { (self.level, self.index) = (level, index) }
}

/// The structure of the proofs of RFC 6962, sections 2.1.1 and 2.1.2: which hashes a proof consists of, and how a verifier
/// combines them.
///
/// A proof is first planned, then its hashes are read: each hash of a proof is the root over a range of leaves, which is given
/// here as the complete subtrees that the range consists of, so that a store needs to know complete subtrees only.
package enum MerkleProof {
    /// The hash over a range of leaves, as complete subtrees from the largest (the oldest leaves) to the smallest.
    package typealias PlannedHash = [MerkleNode]

    /// The hashes of the proof that leaf `index` is in the tree over the first `size` leaves, the lowest first.
    ///
    /// - Returns: `nil` unless `index` is less than `size`.
    package static func inclusion(of index: UInt64, size: UInt64) -> [PlannedHash]? {
        index < size ? ExportProof.siblings(of: index, in: 0..<size).map { subtrees($0.range) } : nil
    }

    /// The hashes of the proof that the tree over the first `old` leaves is the beginning of the tree over the first `new` ones.
    ///
    /// - Returns: `nil` unless 0 < `old` ≤ `new`. The empty tree is the beginning of every tree and has no proof.
    package static func consistency(from old: UInt64, to new: UInt64) -> [PlannedHash]? {
        guard old > 0, old <= new else { return nil }
        var (range, siblings, isWhole) = (0..<new, [PlannedHash](), true)
        while range.upperBound != old {
            let split = range.lowerBound + largestPowerOfTwo(below: range.upperBound - range.lowerBound)
            let (left, right) = (range.lowerBound..<split, split..<range.upperBound)
            siblings.append(subtrees(old <= split ? right : left))
            if old > split { isWhole = false }
            range = old <= split ? left : right
        }
        if !isWhole { siblings.append(subtrees(range)) }
        return siblings.reversed()
    }

    /// The complete subtrees whose roots form the frontier of the tree over the first `size` leaves, the largest first.
    package static func frontier(size: UInt64) -> [MerkleNode] { size == 0 ? [] : subtrees(0..<size) }

    /// The root over a range from the roots of its complete subtrees, the largest first.
    package static func root(of hashes: [[UInt8]]) -> [UInt8] {
        guard var root = hashes.last else { return MerkleTree.emptyRoot }
        for hash in hashes.dropLast().reversed() { root = MerkleTree.nodeHash(hash, root) }
        return root
    }

    /// Splits a range of leaves into complete subtrees. `range` must be a range of the decomposition of a tree, so that each
    /// subtree begins at a multiple of its size.
    package static func subtrees(_ range: Range<UInt64>) -> [MerkleNode] {
        var (nodes, start, rest) = ([MerkleNode](), range.lowerBound, range.upperBound - range.lowerBound)
        while rest > 0 {
            let level = 63 - rest.leadingZeroBitCount
            nodes.append(MerkleNode(level: level, index: start >> UInt64(level)))
            start += 1 << UInt64(level)
            rest -= 1 << UInt64(level)
        }
        return nodes
    }

    static func largestPowerOfTwo(below count: UInt64) -> UInt64 { 1 << UInt64(63 - (count - 1).leadingZeroBitCount) }
}

extension MerkleProof {
    /// The root of the tree over `size` leaves that follows from a leaf hash and its proof (RFC 9162, section 2.1.3.2).
    ///
    /// - Returns: `nil` if the proof has the wrong number of hashes, or a hash does not have 32 bytes.
    package static func root(leafHash: [UInt8], index: UInt64, size: UInt64, proof: [[UInt8]]) -> [UInt8]? {
        let hashes = proof.compactMap { Digest32($0) }
        guard index < size, hashes.count == proof.count, let leaf = Digest32(leafHash) else { return nil }
        return ExportProof.root(leaf, ExportProof.siblings(of: index, in: 0..<size), hashes)?.bytes
    }

    /// Whether the tree with `newRoot` over `new` leaves begins with the tree with `oldRoot` over `old` leaves (RFC 9162, section
    /// 2.1.4.2). The empty tree is the beginning of every tree, by an empty proof.
    package static func isConsistent(
        from old: UInt64, _ oldRoot: [UInt8], to new: UInt64, _ newRoot: [UInt8], proof: [[UInt8]]
    ) -> Bool {
        guard old <= new, proof.allSatisfy({ $0.count == MerkleTree.hashByteCount }) else { return false }
        if old == 0 { return proof.isEmpty && oldRoot == MerkleTree.emptyRoot }
        if old == new { return proof.isEmpty && oldRoot == newRoot }
        let hashes = old & (old - 1) == 0 ? [oldRoot] + proof : proof
        guard let first = hashes.first else { return false }
        var (node, last) = (old - 1, new - 1)
        while node & 1 == 1 { (node, last) = (node >> 1, last >> 1) }
        var (oldHash, newHash) = (first, first)
        for step in hashes.dropFirst() {
            if last == 0 { return false }
            if node & 1 == 1 || node == last {
                (oldHash, newHash) = (MerkleTree.nodeHash(step, oldHash), MerkleTree.nodeHash(step, newHash))
                while node & 1 == 0, node != 0 { (node, last) = (node >> 1, last >> 1) }
            } else {
                newHash = MerkleTree.nodeHash(newHash, step)
            }
            (node, last) = (node >> 1, last >> 1)
        }
        return last == 0 && oldHash == oldRoot && newHash == newRoot
    }
}

/// A SHA-256 hash or an HMAC-SHA-256 code: 32 bytes, stored without an allocation. A line of an export has about six of them.
package struct Digest32: Hashable, Sendable {
    // Not a SIMD vector, which is aligned to 32 bytes: an array with such an alignment takes longer to allocate.
    private let (first, second, third, fourth): (UInt64, UInt64, UInt64, UInt64)

    /// - Returns: `nil` unless there are exactly 32 bytes.
    package init?(_ bytes: some ContiguousBytes) {
        guard let hash = bytes.withUnsafeBytes({ $0.count == MerkleTree.hashByteCount ? Digest32(loading: $0) : nil }) else {
            return nil
        }
        self = hash
    }

    init(_ digest: SHA256Digest) { self = digest.withUnsafeBytes { Digest32(loading: $0) } }
    init(_ code: HashedAuthenticationCode<SHA256>) { self = code.withUnsafeBytes { Digest32(loading: $0) } }

    /// - Parameter bytes: 32 bytes.
    private init(loading bytes: UnsafeRawBufferPointer) {
        (first, second, third, fourth) = bytes.loadUnaligned(as: (UInt64, UInt64, UInt64, UInt64).self)
    }

    /// The hash of a leaf: SHA-256(0x00 ‖ `bytes`).
    package init(leaf bytes: [UInt8]) {
        var hash = SHA256()
        hash.update("\0")
        bytes.withUnsafeBufferPointer { hash.update($0) }
        self.init(hash.finalize())
    }

    /// The hash of a node: SHA-256(0x01 ‖ `left` ‖ `right`).
    init(left: Digest32, right: Digest32) {
        var hash = SHA256()
        hash.update("\u{1}")
        left.withBytes { hash.update($0) }
        right.withBytes { hash.update($0) }
        self.init(hash.finalize())
    }

    /// The 32 bytes.
    package var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }

    /// Calls a function with the 32 bytes.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withUnsafeBytes(of: self) { $0.withMemoryRebound(to: UInt8.self, body) }
    }
}

extension SHA256 {
    /// Adds bytes of a buffer.
    mutating func update(_ bytes: UnsafeBufferPointer<UInt8>) { update(bufferPointer: UnsafeRawBufferPointer(bytes)) }

    /// Adds the bytes of a text.
    mutating func update(_ text: StaticString) { update(text.utf8) }
}
