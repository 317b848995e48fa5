internal import DoorwardDomain

/// Frames that the socket has accepted and the broker's machine has not acknowledged in TCP, each with its deadline.
///
/// While the broker does not read, such a frame stays in the kernel's send buffer. When its deadline passes,
/// `ConnectionStateMachine` resets the connection, so that the frame does not arrive late. If the thread does not run in time,
/// the kernel resets the connection.
struct UnackedTCPWrites {
    private struct Frame {
        /// The count of acknowledged bytes at which the other side has received all of this frame.
        let end: UInt64
        let until: MonotonicInstant
        let lifetime: Duration
    }

    /// A limit in milliseconds. A kernel timeout shorter than this is cleared once no frame is unacknowledged, so that a short
    /// network outage does not end an idle connection.
    private static let harmless: Int32 = 5000

    private var frames: [Frame] = []
    /// The current TCP user timeout in milliseconds; 0 for the system's default.
    private var limit: Int32 = 0

    /// Records that a frame has been handed to the socket.
    ///
    /// - Returns: false if the frame's progress cannot be determined or its deadline cannot be passed to the kernel, so that it
    ///   could arrive at any time.
    mutating func note(on socket: Int32, at now: MonotonicInstant, lifetime: Duration) -> Bool {
        guard let flow = TCPInfo(socket) else { return false }
        guard flow.unconfirmed > 0 else { return true }
        frames.append(
            Frame(end: flow.confirmed + flow.unconfirmed, until: now.advanced(by: lifetime), lifetime: lifetime))
        return limitKernel(socket)
    }

    /// Whether a frame's deadline has passed and the other side has not acknowledged it.
    mutating func isOneStuck(on socket: Int32, at now: MonotonicInstant) -> Bool {
        guard !frames.isEmpty else { return false }
        guard let flow = TCPInfo(socket) else { return true }
        frames.removeAll { $0.end <= flow.confirmed }
        if frames.isEmpty, limit < Self.harmless {
            limit = 0
            _ = TCPInfo.limit(socket, milliseconds: 0)
        }
        return frames.contains { $0.until <= now }
    }

    /// Sets the TCP user timeout to the shortest lifetime. The kernel counts from the oldest unacknowledged byte, so this timeout
    /// is early enough for every frame.
    private mutating func limitKernel(_ socket: Int32) -> Bool {
        guard let shortest = frames.map(\.lifetime).min() else { return true }
        let milliseconds = max(1, Int32(min(shortest, .seconds(86_400)) / .milliseconds(1)))
        guard milliseconds != limit else { return true }
        limit = milliseconds
        return TCPInfo.limit(socket, milliseconds: milliseconds)
    }

    /// The earliest deadline, at which `isOneStuck` must be checked.
    var next: MonotonicInstant? { frames.map(\.until).min() }
}
