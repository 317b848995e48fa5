/// The reason why an adapter did not hand a command over. Each case states the caller's next step.
/// If `send` throws an error, nothing was sent.
public enum AdapterError: Error, Hashable, Sendable {
    /// The lock or its broker is known to be offline: try again when it is online.
    case offline
    /// The transport cannot accept more at the moment: try again shortly.
    case transportBusy
    /// The lock does not support this command: never try again.
    case unsupported
    /// The lock is not attached: attach it first.
    case notAttached
    /// The lock executes commands only with a code, and no code is set: set the code first.
    case codeRequired
}
