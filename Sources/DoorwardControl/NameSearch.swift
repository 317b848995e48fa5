/// A search for names that contain a text, ignoring case.
package struct NameSearch: Hashable, Sendable {
    private let text: String
    private let bytes: [UInt8]
    private let isASCII: Bool

    /// - Parameter text: not empty.
    package init(_ text: String) {
        self.text = text.lowercased()
        bytes = Array(self.text.utf8)
        isASCII = bytes.allSatisfy { $0 < 0x80 }
    }

    /// Whether a name contains the text. Canonically equivalent texts are equal, such as a letter with an accent and the letter
    /// followed by a combining accent.
    package func matches(_ name: String) -> Bool {
        let name = name.lowercased()
        // Comparing bytes is much faster, and sufficient unless both texts may have combining characters.
        return isASCII || name.utf8.allSatisfy { $0 < 0x80 } ? Self.contains(name.utf8, bytes) : name.contains(text)
    }

    private static func contains(_ name: String.UTF8View, _ bytes: [UInt8]) -> Bool {
        var rest = name[...]
        while rest.count >= bytes.count {
            if rest.starts(with: bytes) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
