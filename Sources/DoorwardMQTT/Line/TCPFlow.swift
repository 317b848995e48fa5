internal import Glibc

/// How far a TCP connection has got, as the kernel counts.
struct TCPFlow {
    /// Bytes that the other side's kernel has confirmed since the beginning.
    let confirmed: UInt64
    /// Bytes that were handed to the socket and are not confirmed.
    let unconfirmed: UInt64
    /// How long a byte and its confirmation take, as measured so far.
    let roundTrip: Duration

    /// Where `tcpi_bytes_acked` lies in `struct tcp_info` of <linux/tcp.h>, which only ever grows at its end.
    private static let confirmedOffset = 120
    /// Where `tcpi_rtt` lies, in microseconds.
    private static let roundTripOffset = 68

    /// How often the two counts are read until no confirmation came between them. Each time takes about a microsecond.
    private static let attempts = 64

    /// The counts are of one moment: a confirmation that comes between reading the one and the other has both read again. After
    /// the last attempt `confirmed` can be ahead of `unconfirmed`, so that a frame seems to end later than it does, never earlier.
    ///
    /// - Returns: `nil` for what is no TCP socket, or a kernel before 4.1 that does not count.
    init?(_ socket: Int32) {
        guard var (confirmed, roundTrip) = Self.information(socket) else { return nil }
        var waiting: Int32 = 0
        for _ in 0..<Self.attempts {
            let before = confirmed
            guard ioctl(socket, UInt(TIOCOUTQ), &waiting) == 0, let after = Self.information(socket) else { return nil }
            (confirmed, roundTrip) = after
            if confirmed == before { break }
        }
        (self.confirmed, self.roundTrip) = (confirmed, roundTrip)
        unconfirmed = UInt64(max(0, waiting))
    }

    private static func information(_ socket: Int32) -> (confirmed: UInt64, roundTrip: Duration)? {
        var info = [UInt8](repeating: 0, count: 256)
        var length = socklen_t(info.count)
        guard getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0,
            Int(length) >= Self.confirmedOffset + 8
        else { return nil }
        return info.withUnsafeBytes { bytes in
            (
                bytes.loadUnaligned(fromByteOffset: confirmedOffset, as: UInt64.self),
                .microseconds(Int64(bytes.loadUnaligned(fromByteOffset: roundTripOffset, as: UInt32.self)))
            )
        }
    }

    /// Whether the other end has ever accepted the connection, also one that it has reset since: the SYN counts as a byte, which
    /// its kernel has confirmed.
    static func wasAccepted(_ socket: Int32) -> Bool { information(socket).map { $0.confirmed > 0 } ?? false }

    /// Has the kernel end the connection by itself when the other side has taken nothing for so long, whatever has become of
    /// this process; 0 for the system's own patience.
    ///
    /// - Returns: whether it will.
    static func limit(_ socket: Int32, milliseconds: Int32) -> Bool {
        var milliseconds = milliseconds
        return setsockopt(socket, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, socklen_t(MemoryLayout<Int32>.size)) == 0
    }

    /// Has what lies in the kernel dropped when the socket is closed, and the other side told so.
    static func dropOnClose(_ socket: Int32) {
        var reset = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
    }
}
