/// An error in the configuration: one sentence with the key, the place where it was set, and the allowed values.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The sentence, without a full stop at the end.
    public let description: String
    /// Whether the command line itself is invalid.
    package var isUsageError = false

    /// Creates an error with this sentence. `SectionSettings.mistake(at:_:)` creates one that begins with the file and line of a
    /// key.
    public init(_ sentence: String) { description = sentence }
}
