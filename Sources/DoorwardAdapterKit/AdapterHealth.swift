/// The health of an adapter as a whole, not of single locks. The raw values are those of the API.
public enum AdapterHealth: String, CaseIterable, Sendable {
    /// The adapter is started, and all required connections are established.
    case ok
    /// The adapter is started, but cannot reach some locks because of a problem of the adapter or
    /// its transports, for example a broker that is offline.
    case degraded
    /// The adapter can reach no lock: it is not started, is stopped, or has no connection.
    case down
}
