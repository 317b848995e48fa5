/// A format of texts that a section defines.
public struct SettingFormat: Sendable {
    /// A description of valid values, which follows "must be", such as `a broker's address such as mqtt://127.0.0.1:1883`.
    public let expectation: String
    /// Returns whether a text has the format.
    public let accepts: @Sendable (String) -> Bool
    /// Detects a text that must not appear in a message, because it may contain a secret. Returns
    /// the problem, which follows the key in the message; `nil` for other texts, valid or not.
    public let secretProblem: @Sendable (String) -> String?

    /// - Parameter secretProblem: called before `accepts`.
    public init(
        _ expectation: String, secretProblem: @escaping @Sendable (String) -> String? = { _ in nil },
        accepts: @escaping @Sendable (String) -> Bool
    ) {
        (self.expectation, self.accepts, self.secretProblem) = (expectation, accepts, secretProblem)
    }
}
