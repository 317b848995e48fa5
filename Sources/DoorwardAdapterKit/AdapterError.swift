/// Why an adapter did not hand an order over, sorted by what to do next. Nothing has left when one is thrown.
public enum AdapterError: Error, Hashable, Sendable {
    /// The lock or its broker is known to be away: try again when it is back.
    case offline
    /// The transport cannot take more at this moment: try again shortly.
    case transportBusy
    /// The lock cannot do this at all: never try again.
    case unsupported
    /// The adapter does not know this lock: attach it first.
    case notAttached
    /// The lock takes no command without its code, and none is set: set it first.
    case codeRequired
}
