import Crypto

/// A SHA-256 hash or an HMAC-SHA-256 code: 32 bytes, stored without an allocation. A line of an export has about six of them.
package struct Digest32: Hashable, Sendable {
    // Not a SIMD vector, which is aligned to 32 bytes: an array with such an alignment takes longer to allocate.
    private let (first, second, third, fourth): (UInt64, UInt64, UInt64, UInt64)

    /// - Returns: `nil` unless there are exactly 32 bytes.
    package init?(_ bytes: [UInt8]) { self.init(bytes[...]) }

    /// - Returns: `nil` unless there are exactly 32 bytes.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard let hash = bytes.withUnsafeBytes({ Digest32($0) }) else { return nil }
        self = hash
    }

    /// - Returns: `nil` unless there are exactly 32 bytes.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == MerkleTree.hashByteCount else { return nil }
        self.init(loading: bytes)
    }

    init(_ digest: SHA256Digest) { self = digest.withUnsafeBytes { Digest32(loading: $0) } }

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
