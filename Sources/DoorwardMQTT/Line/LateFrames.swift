internal import DoorwardDomain

/// Frames that the socket has taken and the broker's machine has not confirmed, and until when each means anything.
///
/// What the socket has taken lies in the kernel while the broker does not read. It is cut off with the connection when its
/// time is over, so that it does not arrive late: by the line, and should nobody turn it in time, by the kernel.
struct LateFrames {
    private struct Frame {
        /// The count of bytes that the other side has confirmed once it has all of this frame.
        let end: UInt64
        let until: MonotonicInstant
        let lifetime: Duration
    }

    /// A limit of the kernel below this is taken back when nothing is under way, so that a short pause of the network ends no
    /// connection that is idle.
    private static let harmless: Int32 = 5000

    private var frames: [Frame] = []
    /// What the kernel was told, in milliseconds.
    private var limit: Int32 = 0

    /// Notes that a frame has been handed to the socket.
    ///
    /// - Returns: false when nobody can say how far it got, so that it could arrive at any time.
    mutating func note(on socket: Int32, at now: MonotonicInstant, lifetime: Duration) -> Bool {
        guard let flow = TCPFlow(socket) else { return false }
        guard flow.unconfirmed > 0 else { return true }
        frames.append(
            Frame(end: flow.confirmed + flow.unconfirmed, until: now.advanced(by: lifetime), lifetime: lifetime))
        return limitKernel(socket)
    }

    /// Whether a frame's time is over and the other side does not have it.
    mutating func isOneStuck(on socket: Int32, at now: MonotonicInstant) -> Bool {
        guard !frames.isEmpty else { return false }
        guard let flow = TCPFlow(socket) else { return true }
        frames.removeAll { $0.end <= flow.confirmed }
        if frames.isEmpty, limit < Self.harmless {
            limit = 0
            _ = TCPFlow.limit(socket, milliseconds: 0)
        }
        return frames.contains { $0.until <= now }
    }

    /// The kernel counts from the oldest byte that is under way, so the shortest lifetime is right for all of them.
    private mutating func limitKernel(_ socket: Int32) -> Bool {
        guard let shortest = frames.map(\.lifetime).min() else { return true }
        let milliseconds = max(1, Int32(min(shortest, .seconds(86_400)) / .milliseconds(1)))
        guard milliseconds != limit else { return true }
        limit = milliseconds
        return TCPFlow.limit(socket, milliseconds: milliseconds)
    }

    /// When it must be looked at next.
    var next: MonotonicInstant? { frames.map(\.until).min() }
}
