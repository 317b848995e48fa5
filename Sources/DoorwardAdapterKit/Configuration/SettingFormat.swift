/// A format of texts that a section has of its own.
public struct SettingFormat: Sendable {
    /// What the value must be, to follow "must be": `a broker's address such as mqtt://127.0.0.1:1883`.
    public let demand: String
    /// Whether a text has the format.
    public let accepts: @Sendable (String) -> Bool
    /// The reason for which a text may not be repeated in a message, as it may hold a secret: what follows the key in the message.
    /// `nil` for a text that is only malformed, or right.
    public let secretProblem: @Sendable (String) -> String?

    /// - Parameter secretProblem: asked before `accepts`.
    public init(
        _ demand: String, secretProblem: @escaping @Sendable (String) -> String? = { _ in nil },
        accepts: @escaping @Sendable (String) -> Bool
    ) {
        (self.demand, self.accepts, self.secretProblem) = (demand, accepts, secretProblem)
    }
}
