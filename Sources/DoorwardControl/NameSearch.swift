import Glibc

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

    /// The numbers of the names that contain the text, ascending; `nil` for a text that is not ASCII, which is compared with each
    /// name.
    func matches(in names: () -> SearchableNames) -> [Int]? { isASCII ? names().numbers(containing: bytes) : nil }

    private static func contains(_ name: String.UTF8View, _ bytes: [UInt8]) -> Bool {
        var rest = name[...]
        while rest.count >= bytes.count {
            if rest.starts(with: bytes) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}

/// The names of a list in lower case, one after the other, so that a search reads memory in order.
struct SearchableNames: Sendable {
    /// A byte that no UTF-8 text contains.
    private static let separator: UInt8 = 0xFF

    /// Each name, followed by the separator.
    private let bytes: [UInt8]
    /// The index of the separator after each name.
    private let ends: [Int]

    /// - Parameter names: `nil` for an object without a name, which no search selects.
    init(_ names: [String?]) {
        var (bytes, ends): ([UInt8], [Int]) = ([], [])
        for name in names {
            bytes += (name ?? "").lowercased().utf8
            ends.append(bytes.count)
            bytes.append(Self.separator)
        }
        (self.bytes, self.ends) = (bytes, ends)
    }

    /// The numbers of the names that contain a text in lower case, ascending.
    func numbers(containing text: [UInt8]) -> [Int] {
        guard let first = text.first else { return [] }
        var (found, number): ([Int], Int) = ([], 0)
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            var start = 0
            // `memchr` finds candidates many bytes at a time.
            while start + text.count <= bytes.count, let hit = memchr(base + start, Int32(first), bytes.count - start) {
                let index = UnsafeRawPointer(hit) - base
                guard index + text.count <= bytes.count, memcmp(hit, text, text.count) == 0 else {
                    start = index + 1
                    continue
                }
                while ends[number] <= index { number += 1 }
                found.append(number)
                start = ends[number] + 1
            }
        }
        return found
    }
}
