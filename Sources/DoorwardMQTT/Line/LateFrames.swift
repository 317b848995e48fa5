internal import DoorwardDomain
internal import Glibc

/// Frames that the socket has taken and the broker's machine has not confirmed, and until when each means anything.
///
/// What the socket has taken lies in the kernel while the broker does not read. It is cut off with the connection when its
/// time is over, so that it does not arrive late.
struct LateFrames {
    private struct Frame {
        /// The count of bytes that the other side has confirmed once it has all of this frame.
        let end: UInt64
        let until: MonotonicInstant
    }

    private var frames: [Frame] = []

    /// Notes that a frame has been handed to the socket.
    mutating func note(on socket: Int32, until: MonotonicInstant) {
        guard let flow = TCPFlow(socket), flow.unconfirmed > 0 else { return }
        frames.append(Frame(end: flow.confirmed + flow.unconfirmed, until: until))
    }

    /// Whether a frame's time is over and the other side does not have it.
    mutating func isOneStuck(on socket: Int32, at now: MonotonicInstant) -> Bool {
        guard !frames.isEmpty, let flow = TCPFlow(socket) else { return false }
        frames.removeAll { $0.end <= flow.confirmed }
        return frames.contains { $0.until <= now }
    }

    /// When it must be looked at next.
    var next: MonotonicInstant? { frames.map(\.until).min() }

    mutating func forget() { frames = [] }
}

/// How far a TCP connection has got, as the kernel counts.
struct TCPFlow {
    /// Bytes that the other side's kernel has confirmed since the beginning.
    let confirmed: UInt64
    /// Bytes that were handed to the socket and are not confirmed.
    let unconfirmed: UInt64

    /// Where `tcpi_bytes_acked` lies in `struct tcp_info` of <linux/tcp.h>, which only ever grows at its end.
    private static let confirmedOffset = 120

    /// - Returns: `nil` for what is no TCP socket, or a kernel before 4.1 that does not count.
    init?(_ socket: Int32) {
        var waiting: Int32 = 0
        guard ioctl(socket, UInt(TIOCOUTQ), &waiting) == 0 else { return nil }
        var info = [UInt8](repeating: 0, count: 256)
        var length = socklen_t(info.count)
        guard getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0,
            Int(length) >= Self.confirmedOffset + 8
        else { return nil }
        confirmed = info.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: Self.confirmedOffset, as: UInt64.self) }
        unconfirmed = UInt64(max(0, waiting))
    }
}
