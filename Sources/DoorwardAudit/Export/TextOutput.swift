import Glibc

/// Receives the text of an export piece by piece.
protocol TextOutput {
    mutating func append(_ byte: UInt8)
    mutating func append(contentsOf bytes: UnsafeBufferPointer<UInt8>)
}

extension TextOutput {
    mutating func append(_ text: StaticString) { append(contentsOf: text.utf8) }

    mutating func append(string text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: $0) }
    }
}

extension [UInt8]: TextOutput {}

/// Compares a text with the one that is expected, and stores neither.
struct TextComparison: TextOutput {
    private let expected: UnsafeBufferPointer<UInt8>
    /// The number of bytes that were compared.
    private(set) var count = 0
    /// Whether the expected text begins with all bytes so far.
    private(set) var isSame = true

    init(with expected: UnsafeBufferPointer<UInt8>) { self.expected = expected }

    mutating func append(_ byte: UInt8) {
        guard isSame, count < expected.count, expected[count] == byte else {
            isSame = false
            return
        }
        count += 1
    }

    mutating func append(contentsOf bytes: UnsafeBufferPointer<UInt8>) {
        guard let new = bytes.baseAddress, !bytes.isEmpty else { return }
        guard isSame, let old = expected.baseAddress, bytes.count <= expected.count - count,
            memcmp(old + count, new, bytes.count) == 0
        else {
            isSame = false
            return
        }
        count += bytes.count
    }
}
