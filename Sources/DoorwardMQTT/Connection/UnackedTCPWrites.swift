internal import DoorwardDomain

/// Messages that the socket has accepted and the broker's machine has not acknowledged in TCP, each with its deadline.
///
/// While the broker does not read, such a message stays in the kernel's send buffer. When its deadline passes,
/// `ConnectionStateMachine` resets the connection, so that the message does not arrive late. If the thread does not run in time,
/// the kernel resets the connection.
struct UnackedTCPWrites {
    private struct Write {
        /// The count of acknowledged bytes at which the other side has received all of this message.
        let end: UInt64
        let deadline: MonotonicInstant
        let lifetime: Duration
    }

    /// A limit in milliseconds. A kernel timeout shorter than this is cleared once no message is unacknowledged, so that a short
    /// network outage does not end an idle connection.
    private static let minIdleTimeout: Int32 = 5000

    private var writes: [Write] = []
    /// The current TCP user timeout in milliseconds; 0 for the system's default.
    private var userTimeout: Int32 = 0

    /// Records that a message has been handed to the socket.
    ///
    /// - Returns: false if the message's progress cannot be determined or its deadline cannot be passed to the kernel, so that it
    ///   could arrive at any time.
    mutating func record(on socket: Int32, at now: MonotonicInstant, lifetime: Duration) -> Bool {
        guard let tcp = TCPInfo(socket) else { return false }
        guard tcp.unacked > 0 else { return true }
        writes.append(
            Write(end: tcp.acked + tcp.unacked, deadline: now.advanced(by: lifetime), lifetime: lifetime))
        return updateUserTimeout(socket)
    }

    /// Whether a message's deadline has passed and the other side has not acknowledged it.
    mutating func hasExpired(on socket: Int32, at now: MonotonicInstant) -> Bool {
        guard !writes.isEmpty else { return false }
        guard let tcp = TCPInfo(socket) else { return true }
        writes.removeAll { $0.end <= tcp.acked }
        if writes.isEmpty, userTimeout < Self.minIdleTimeout {
            userTimeout = 0
            _ = TCPInfo.setUserTimeout(socket, milliseconds: 0)
        }
        return writes.contains { $0.deadline <= now }
    }

    /// Sets the TCP user timeout to the shortest lifetime. The kernel counts from the oldest unacknowledged byte, so this timeout
    /// is early enough for every message.
    private mutating func updateUserTimeout(_ socket: Int32) -> Bool {
        guard let shortest = writes.map(\.lifetime).min() else { return true }
        let milliseconds = max(1, Int32(min(shortest, .seconds(86_400)) / .milliseconds(1)))
        guard milliseconds != userTimeout else { return true }
        userTimeout = milliseconds
        return TCPInfo.setUserTimeout(socket, milliseconds: milliseconds)
    }

    /// The earliest deadline, at which `hasExpired` must be checked.
    var nextDeadline: MonotonicInstant? { writes.map(\.deadline).min() }
}
