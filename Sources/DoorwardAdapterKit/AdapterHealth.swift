/// Whether an adapter can do its work at this moment. Says nothing of single locks. Raw values are the wire's.
public enum AdapterHealth: String, CaseIterable, Sendable {
    /// Started, and every connection that it needs stands.
    case ok
    /// Started, and some of its locks cannot be reached for a reason of the adapter's: a broker is away, say.
    case degraded
    /// Not started, stopped, or without any connection: it reaches no lock.
    case down
}
