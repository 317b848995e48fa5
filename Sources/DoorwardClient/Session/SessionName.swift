/// The name of one of several sign-ins on a machine: 1 to 64 ASCII letters, digits, hyphens, underscores and dots.
package struct SessionName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The name as it is typed; upper and lower case differ.
    package let description: String

    /// The sign-in that commands use when no name is given.
    package static let `default` = SessionName(checked: "default")

    /// - Returns: `nil` for any other text, so that no name refers to a file in another folder.
    package init?(_ text: String) {
        let isAllowed = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
            default: false
            }
        }
        guard isAllowed, (1...64).contains(text.utf8.count) else { return nil }
        self.init(checked: text)
    }

    private init(checked: String) { description = checked }

    /// Compares the bytes of the names.
    package static func < (first: Self, second: Self) -> Bool { first.description < second.description }
}
