import Crypto

/// The Merkle tree exactly as RFC 6962, section 2.1 defines it: slow and recursive.
enum NaiveTree {
    /// MTH: returns the root over the hashes of some leaves.
    static func root(_ leaves: ArraySlice<[UInt8]>) -> [UInt8] {
        guard let first = leaves.first else { return Array(SHA256.hash(data: [UInt8]())) }
        if leaves.count == 1 { return first }
        let split = split(leaves.count)
        return node(root(leaves.prefix(split)), root(leaves.dropFirst(split)))
    }

    /// PATH: returns the audit path of the leaf with this index.
    static func path(_ index: Int, _ leaves: ArraySlice<[UInt8]>) -> [[UInt8]] {
        if leaves.count <= 1 { return [] }
        let split = split(leaves.count)
        let (left, right) = (leaves.prefix(split), leaves.dropFirst(split))
        return index < split ? path(index, left) + [root(right)] : path(index - split, right) + [root(left)]
    }

    /// PROOF: returns the proof that the first `size` leaves are the beginning of all leaves.
    static func consistency(_ size: Int, _ leaves: ArraySlice<[UInt8]>) -> [[UInt8]] { subproof(size, leaves, isWhole: true) }

    private static func subproof(_ size: Int, _ leaves: ArraySlice<[UInt8]>, isWhole: Bool) -> [[UInt8]] {
        if size == leaves.count { return isWhole ? [] : [root(leaves)] }
        let split = split(leaves.count)
        let (left, right) = (leaves.prefix(split), leaves.dropFirst(split))
        return size <= split
            ? subproof(size, left, isWhole: isWhole) + [root(right)]
            : subproof(size - split, right, isWhole: false) + [root(left)]
    }

    /// Returns the largest power of two that is smaller than `count`.
    private static func split(_ count: Int) -> Int {
        var split = 1
        while split * 2 < count { split *= 2 }
        return split
    }

    private static func node(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: [1] + left + right)) }
}

/// Verification of proofs by a client that has only a root and a proof (RFC 9162, sections 2.1.3.2 and 2.1.4.2).
enum ProofCheck {
    /// Returns the root that follows from a leaf and its audit path; `nil` if the path has a wrong length.
    static func root(leaf: [UInt8], index: Int, size: Int, path: [[UInt8]]) -> [UInt8]? {
        var (node, last, hash) = (index, size - 1, leaf)
        for step in path {
            if last == 0 { return nil }
            if node & 1 == 1 || node == last {
                hash = join(step, hash)
                while node & 1 == 0, node != 0 { (node, last) = (node >> 1, last >> 1) }
            } else {
                hash = join(hash, step)
            }
            (node, last) = (node >> 1, last >> 1)
        }
        return last == 0 ? hash : nil
    }

    /// Returns the roots at both sizes that follow from a consistency proof; `nil` if the proof has a wrong length.
    static func roots(from size: Int, root: [UInt8], to newSize: Int, proof: [[UInt8]]) -> (old: [UInt8], new: [UInt8])? {
        if size == newSize { return proof.isEmpty ? (root, root) : nil }
        // A complete tree whose size is a power of two is a node of the larger tree, and is not repeated in the proof.
        var steps = size & (size - 1) == 0 ? [root] + proof : proof
        guard !steps.isEmpty else { return nil }
        let first = steps.removeFirst()
        var (node, last) = (size - 1, newSize - 1)
        while node & 1 == 1 { (node, last) = (node >> 1, last >> 1) }
        var (old, new) = (first, first)
        for step in steps {
            if last == 0 { return nil }
            if node & 1 == 1 || node == last {
                (old, new) = (join(step, old), join(step, new))
                while node & 1 == 0, node != 0 { (node, last) = (node >> 1, last >> 1) }
            } else {
                new = join(new, step)
            }
            (node, last) = (node >> 1, last >> 1)
        }
        return last == 0 ? (old, new) : nil
    }

    private static func join(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: [1] + left + right)) }
}
