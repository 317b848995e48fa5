/// A mistake in the configuration: one sentence that names the key, where it was set, and what would be right.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The sentence, without a full stop at its end.
    public let description: String
    /// Whether the command line itself is wrong.
    package var isWrongUsage = false

    /// `SectionSettings.mistake(at:_:)` makes one that begins with the file and line of a key.
    public init(_ sentence: String) { description = sentence }
}
