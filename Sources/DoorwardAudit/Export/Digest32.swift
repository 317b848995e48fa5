import Crypto

/// A hash of a log's Merkle tree, without an allocation: an export has two of them for each record.
package struct Digest32: Hashable, Sendable {
    private let words: SIMD4<UInt64>

    /// - Returns: `nil` unless there are exactly 32 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == MerkleTree.hashByteCount else { return nil }
        words = bytes.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
    }

    private init(_ digest: SHA256Digest) { words = digest.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) } }

    /// The hash of a leaf: SHA-256(0x00 ‖ `bytes`).
    init(leaf bytes: [UInt8]) {
        var hash = SHA256()
        hash.update(prefix: 0x00)
        bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
        self.init(hash.finalize())
    }

    /// The hash of a node: SHA-256(0x01 ‖ `left` ‖ `right`).
    init(left: Digest32, right: Digest32) {
        var hash = SHA256()
        hash.update(prefix: 0x01)
        withUnsafeBytes(of: left.words) { hash.update(bufferPointer: $0) }
        withUnsafeBytes(of: right.words) { hash.update(bufferPointer: $0) }
        self.init(hash.finalize())
    }

    /// The 32 bytes.
    package var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }

    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withUnsafeBytes(of: words) { body($0.assumingMemoryBound(to: UInt8.self)) }
    }
}
