/// A topic, or one of its levels, compared byte by byte. Swift's own comparison treats the composed and the decomposed `é` as
/// equal; a broker does not, and the names of two locks could differ only by that.
package struct TopicText: Hashable, Sendable {
    /// The text as given.
    package let text: Substring

    /// Takes any text; does not check whether it is a valid topic.
    package init(_ text: some StringProtocol) { self.text = Substring(text) }

    /// Wildcard that matches one level of a topic.
    package static let singleLevelWildcard = TopicText("+")
    /// Wildcard that matches all further levels of a topic.
    package static let multiLevelWildcard = TopicText("#")

    /// The text between the slashes.
    package var levels: [TopicText] {
        text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { TopicText(Substring($0)) }
    }

    /// Compares bytes.
    package static func == (one: Self, other: Self) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    /// Hashes the bytes.
    package func hash(into hasher: inout Hasher) {
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        if isDone == nil { Array(text.utf8).withUnsafeBytes { hasher.combine(bytes: $0) } }
    }
}
