extension Diagnostic {
    /// A sentence for the gateway's log.
    var sentence: String {
        switch self {
        case .malformedPayload: "a message of a lock could not be read"
        case .unmappedValue: "a lock said a word that its profile does not know; its state counts as unknown"
        case .outOfRange: "a lock said a number that cannot be"
        case .retainedEventIgnored: "the broker kept an event; it was not taken for one of now"
        case .retainedCommandFound:
            "somebody left a retained command for this lock on the broker: the lock may obey it whenever it connects; remove it"
        case .unexpectedAck: "a lock or bridge answered a command that nobody sent"
        }
    }
}
