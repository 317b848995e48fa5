/// Whether an adapter can work at the moment. It does not describe single locks. The raw values are those of the API.
public enum AdapterHealth: String, CaseIterable, Sendable {
    /// The adapter is started, and all connections that it needs are established.
    case ok
    /// The adapter is started, but cannot reach some of its locks for a reason of its own, for example because a broker is offline.
    case degraded
    /// The adapter is not started, is stopped, or has no connection: it reaches no lock.
    case down
}
