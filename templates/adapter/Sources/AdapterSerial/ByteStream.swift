/// A byte stream to the locks' controller: a serial port, a TCP connection, or a simulated one in tests. It connects by itself, and
/// reconnects after the connection is lost.
public protocol ByteStream: Sendable {
    /// Starts to connect. Events are delivered one at a time, on any thread, possibly before this returns.
    func open(_ onEvent: @escaping @Sendable (ByteStreamEvent) -> Void)

    /// Closes the connection. No event follows.
    func close()

    /// Hands all of the bytes to the operating system at once, or none. Does not block.
    func write(_ bytes: [UInt8]) throws(ByteStreamError)
}

/// The events of a byte stream.
public enum ByteStreamEvent: Hashable, Sendable {
    /// The connection is established.
    case connected
    /// Bytes from the controller; they may begin and end anywhere in a line.
    case received([UInt8])
    /// The connection is lost.
    case disconnected
}

/// The reason why no byte was written.
public enum ByteStreamError: Error, Hashable, Sendable {
    /// There is no connection.
    case disconnected
    /// The operating system's buffer is full.
    case full
}
