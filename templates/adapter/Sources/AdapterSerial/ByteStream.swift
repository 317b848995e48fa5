/// The bytes to and from the locks' controller: a serial port, a TCP connection, a played one in tests. It connects by itself, and
/// again after a loss.
public protocol ByteStream: Sendable {
    /// Begins to connect. What happens is told one event at a time, on any thread, perhaps before this returns.
    func open(_ onEvent: @escaping @Sendable (ByteStreamEvent) -> Void)

    /// Ends the connection; no event follows.
    func close()

    /// Hands all of the bytes to the operating system now, or none; waits for nothing.
    func write(_ bytes: [UInt8]) throws(ByteStreamError)
}

/// What happens on a byte stream.
public enum ByteStreamEvent: Hashable, Sendable {
    /// The connection is there.
    case connected
    /// Some bytes of the controller, cut anywhere.
    case received([UInt8])
    /// The connection is lost.
    case disconnected
}

/// Why no byte was written.
public enum ByteStreamError: Error, Hashable, Sendable {
    /// There is no connection.
    case disconnected
    /// The buffer of the operating system is full.
    case full
}
