import Crypto

/// A hash of a log's Merkle tree, without an allocation: an export has two of them for each record.
package struct Digest32: Hashable, Sendable {
    private let words: SIMD4<UInt64>

    /// - Returns: `nil` unless there are exactly 32 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == MerkleTree.hashByteCount else { return nil }
        words = bytes.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
    }

    /// - Returns: `nil` unless there are exactly 32 bytes.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count == MerkleTree.hashByteCount else { return nil }
        words = UnsafeRawBufferPointer(bytes).loadUnaligned(as: SIMD4<UInt64>.self)
    }

    init(_ digest: SHA256Digest) { words = digest.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) } }

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
    package var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }

    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withUnsafeBytes(of: words) { body($0.assumingMemoryBound(to: UInt8.self)) }
    }
}

extension SHA256 {
    /// Adds bytes of a buffer.
    mutating func update(_ bytes: UnsafeBufferPointer<UInt8>) { update(bufferPointer: UnsafeRawBufferPointer(bytes)) }

    /// Adds the bytes of a text.
    mutating func update(_ text: StaticString) { update(text.utf8) }
}
