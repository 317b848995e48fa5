import Crypto
import FoundationEssentials

/// The hashes of RFC 6962, section 2.1, over SHA-256.
package enum MerkleTree {
    /// The length of every leaf, node and root hash: that of SHA-256.
    package static let hashByteCount = 32

    /// SHA-256(0x00 ‖ `bytes`).
    package static func leafHash(_ bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(prefix: 0x00)
        hash.update(data: bytes)
        return Array(hash.finalize())
    }

    /// SHA-256(0x01 ‖ `left` ‖ `right`).
    package static func nodeHash(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> [UInt8] {
        var input: [UInt8] = [0x01]
        input.reserveCapacity(1 + 2 * hashByteCount)
        input.append(contentsOf: left)
        input.append(contentsOf: right)
        return Array(SHA256.hash(data: input))
    }

    /// The root of the empty tree: SHA-256 of no bytes.
    package static let emptyRoot: [UInt8] = Array(SHA256.hash(data: [UInt8]()))

    /// The root over `leafHashes`, computed level by level: for checks that must not rely on a frontier.
    package static func root(ofLeafHashes leafHashes: [[UInt8]]) -> [UInt8] {
        guard !leafHashes.isEmpty else { return emptyRoot }
        var level = leafHashes
        while level.count > 1 {
            // The last of an odd number of nodes has no sibling yet and moves up unchanged.
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
