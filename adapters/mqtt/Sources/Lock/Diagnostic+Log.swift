extension Diagnostic {
    /// The message for the gateway's log.
    var logMessage: String {
        switch self {
        case .malformedPayload: "a message of a lock could not be read"
        case .unmappedValue: "a lock reported a value that its profile does not know; its state counts as unknown"
        case .outOfRange: "a lock reported a number that is out of range"
        case .retainedEventIgnored: "the broker retained an event; it is not treated as a new one"
        case .retainedCommandFound:
            "a retained command for this lock is on the broker: the lock may execute it whenever it connects; remove it"
        case .unexpectedAck: "a lock or bridge acknowledged a command that was not sent"
        }
    }
}
