import Crypto
import FoundationEssentials

/// The hashes of RFC 6962, section 2.1, over SHA-256.
package enum MerkleTree {
    /// The length of every leaf, node and root hash: the length of a SHA-256 digest.
    package static let hashByteCount = 32

    /// Returns SHA-256(0x00 ‖ `bytes`).
    package static func leafHash(_ bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(prefix: 0x00)
        hash.update(data: bytes)
        return hash.finalize().withUnsafeBytes { Array($0) }
    }

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

extension SHA256 {
    mutating func update(prefix: UInt8) {
        withUnsafeBytes(of: prefix) { update(bufferPointer: $0) }
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
        node.update(prefix: 0x01)
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
