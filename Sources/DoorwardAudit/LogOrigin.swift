import DoorwardDomain

/// The name of a log in its checkpoints, unique among all logs of all gateways: `<gateway name>/logs/<log id>`, followed by
/// `/<generation>` from the second generation on.
///
/// A generation ends when an operator accepts that a log has lost records, for example with a restored backup. The checkpoints of
/// the next one then do not contradict those that were signed before.
package struct LogOrigin: Hashable, Sendable, CustomStringConvertible {
    /// The name of the gateway; also the name of the key that signs the checkpoints.
    package let gateway: String
    /// The log on that gateway.
    package let log: LogID
    /// The generation, from 1.
    package let generation: Int

    package init(gateway: String, log: LogID, generation: Int = 1) {
        (self.gateway, self.log, self.generation) = (gateway, log, generation)
    }

    /// Parses an origin.
    ///
    /// - Returns: `nil` if the text is not the one spelling of an origin.
    package init?(parsing text: some StringProtocol) {
        var parts = text.split(separator: "/", omittingEmptySubsequences: false)
        var generation = 1
        if parts.count > 3, parts[parts.count - 3] == "logs", let number = Int(parts[parts.count - 1]), number > 1 {
            generation = number
            parts.removeLast()
        }
        guard parts.count >= 3, parts[parts.count - 2] == "logs", let log = LogID(String(parts[parts.count - 1])) else {
            return nil
        }
        self.init(gateway: parts.dropLast(2).joined(separator: "/"), log: log, generation: generation)
        guard description == text, SignedNote.isKeyName(gateway) else { return nil }
    }

    /// The text in the first line of a checkpoint.
    package var description: String { "\(gateway)/logs/\(log)" + (generation > 1 ? "/\(generation)" : "") }
}
