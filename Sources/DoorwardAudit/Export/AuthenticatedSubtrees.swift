/// The structure of the proofs in an export: the path of a leaf in a part of the tree whose hash is already authenticated.
package enum ExportProof {
    /// The sibling of a node on the path from a leaf to the root.
    package struct Sibling: Hashable, Sendable {
        /// The leaves under the sibling.
        package let range: Range<UInt64>
        /// Whether the sibling is to the right of the path.
        package let isRight: Bool
    }

    /// The siblings on the path from leaf `index` to the top of the subtree over `range`, the lowest first.
    ///
    /// - Parameter range: the leaves of the whole tree, or of a part into which the tree divides.
    package static func siblings(of index: UInt64, in range: Range<UInt64>) -> [Sibling] {
        var (range, siblings) = (range, [Sibling]())
        while range.upperBound - range.lowerBound > 1 {
            let split = range.lowerBound + MerkleProof.largestPowerOfTwo(below: range.upperBound - range.lowerBound)
            let isLeft = index < split
            siblings.append(Sibling(range: isLeft ? split..<range.upperBound : range.lowerBound..<split, isRight: isLeft))
            range = isLeft ? range.lowerBound..<split : split..<range.upperBound
        }
        return siblings.reversed()
    }

    /// The hashes in the line of each record of an export, as the ranges of leaves that they cover.
    ///
    /// The first record of a complete export has its whole proof of inclusion. The hashes of this proof authenticate the parts of
    /// the tree that follow, so each further record has only the path within the part that it begins. On average this is one
    /// hash for each record.
    package struct Plan: Sendable {
        private var pending: [Range<UInt64>]
        private let size: UInt64
        private let isComplete: Bool

        /// - Parameters:
        ///   - size: the number of records under the checkpoint.
        ///   - isComplete: whether every record follows the one before without a gap.
        package init(size: UInt64, isComplete: Bool) { (self.size, self.isComplete, pending) = (size, isComplete, [0..<size]) }

        /// The siblings for the next record.
        package mutating func siblings(of index: UInt64) -> [Sibling] {
            guard isComplete else { return ExportProof.siblings(of: index, in: 0..<size) }
            guard let range = pending.popLast() else { return [] }
            let siblings = ExportProof.siblings(of: index, in: range)
            pending.append(contentsOf: siblings.reversed().filter(\.isRight).map(\.range))
            return siblings
        }
    }
}

extension ExportProof {
    /// The roots over ranges of adjacent leaves. As long as all ranges belong to one tree, each of its nodes is computed once.
    package struct Roots {
        private let leaves: Range<UInt64>
        private let hashes: [Digest32]
        /// The nodes that were computed, indexed by the first leaf of their right half, which differs for all nodes of one tree.
        private var computed: [(range: Range<UInt64>, hash: Digest32)?]

        /// - Parameter first: the number of the first leaf.
        package init(first: UInt64, leafHashes: [Digest32]) {
            (leaves, hashes) = (first..<first + UInt64(leafHashes.count), leafHashes)
            computed = Array(repeating: nil, count: leafHashes.count)
        }

        /// The root over a range of the decomposition of a tree; `nil` unless all its leaves are known.
        package mutating func root(of range: Range<UInt64>) -> Digest32? {
            guard leaves.lowerBound <= range.lowerBound, range.upperBound <= leaves.upperBound, !range.isEmpty else { return nil }
            return node(range)
        }

        private mutating func node(_ range: Range<UInt64>) -> Digest32 {
            let count = range.upperBound - range.lowerBound
            if count == 1 { return hashes[Int(range.lowerBound - leaves.lowerBound)] }
            let split = range.lowerBound + MerkleProof.largestPowerOfTwo(below: count)
            let index = Int(split - leaves.lowerBound)
            if let node = computed[index], node.range == range { return node.hash }
            let hash = Digest32(left: node(range.lowerBound..<split), right: node(split..<range.upperBound))
            computed[index] = (range, hash)
            return hash
        }
    }
}

/// Verifies the records of an export one by one against the root of a signed checkpoint. A record is accepted only if it is the
/// record with this number in the log, so the first record that is rejected is the first that is wrong.
struct AuthenticatedSubtrees {
    private struct Subtree {
        let range: Range<UInt64>
        let hash: Digest32
    }

    private let whole: Subtree
    private let isComplete: Bool
    private var pending: [Subtree]

    init(size: UInt64, root: Digest32, isComplete: Bool) {
        whole = Subtree(range: 0..<size, hash: root)
        (self.isComplete, pending) = (isComplete, [whole])
    }

    /// The hashes to the left of a leaf in a whole proof, the largest subtree first: the frontier of the tree before the leaf.
    static func leftHashes(of index: UInt64, size: UInt64, proof: [Digest32]) -> [Digest32] {
        zip(ExportProof.siblings(of: index, in: 0..<size), proof).filter { !$0.0.isRight }.map(\.1).reversed()
    }

    /// - Returns: whether the leaf is in the tree. If it is not, the state is unchanged.
    mutating func accepts(_ index: UInt64, _ leaf: Digest32, proof: [Digest32]) -> Bool {
        guard let subtree = isComplete ? pending.last : whole, subtree.range.contains(index) else { return false }
        // The first record of the export may be anywhere, each further one is the first leaf of its part.
        guard !isComplete || pending.count == 1 && subtree.range == whole.range || subtree.range.lowerBound == index else {
            return false
        }
        let siblings = ExportProof.siblings(of: index, in: subtree.range)
        guard siblings.count == proof.count else { return false }
        var hash = leaf
        for (sibling, other) in zip(siblings, proof) {
            hash = sibling.isRight ? Digest32(left: hash, right: other) : Digest32(left: other, right: hash)
        }
        guard hash == subtree.hash else { return false }
        guard isComplete else { return true }
        pending.removeLast()
        for (sibling, other) in zip(siblings, proof).reversed() where sibling.isRight {
            pending.append(Subtree(range: sibling.range, hash: other))
        }
        return true
    }
}
