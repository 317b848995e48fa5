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
        guard index < size else { return nil }
        var (range, siblings) = (0..<size, [PlannedHash]())
        while range.upperBound - range.lowerBound > 1 {
            let split = range.lowerBound + largestPowerOfTwo(below: range.upperBound - range.lowerBound)
            let (left, right) = (range.lowerBound..<split, split..<range.upperBound)
            siblings.append(subtrees(index < split ? right : left))
            range = index < split ? left : right
        }
        return siblings.reversed()
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
        guard index < size, (proof + [leafHash]).allSatisfy({ $0.count == MerkleTree.hashByteCount }) else { return nil }
        var (node, last, hash) = (index, size - 1, leafHash)
        for step in proof {
            if last == 0 { return nil }
            if node & 1 == 1 || node == last {
                hash = MerkleTree.nodeHash(step, hash)
                while node & 1 == 0, node != 0 { (node, last) = (node >> 1, last >> 1) }
            } else {
                hash = MerkleTree.nodeHash(hash, step)
            }
            (node, last) = (node >> 1, last >> 1)
        }
        return last == 0 ? hash : nil
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
