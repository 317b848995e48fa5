/// A topic, or one of its levels, compared byte by byte. Swift's own comparison takes an `é` of one character and one of two for
/// the same text; a broker does not, and two locks could be named so.
package struct TopicText: Hashable, Sendable {
    /// The text as it was given.
    package let text: Substring

    /// Any text: whether it may be a topic is asked elsewhere.
    package init(_ text: some StringProtocol) { self.text = Substring(text) }

    /// What stands for one level in a filter.
    package static let anyLevel = TopicText("+")
    /// What stands for all further levels in a filter.
    package static let anyRest = TopicText("#")

    /// The parts between the slashes.
    package var levels: [TopicText] {
        text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { TopicText(Substring($0)) }
    }

    /// By bytes.
    package static func == (one: Self, other: Self) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    /// By bytes.
    package func hash(into hasher: inout Hasher) {
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        if isDone == nil { Array(text.utf8).withUnsafeBytes { hasher.combine(bytes: $0) } }
    }
}
