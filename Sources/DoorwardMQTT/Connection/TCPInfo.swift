internal import Glibc

/// Counters of a TCP connection, as the kernel reports them.
struct TCPInfo {
    /// Bytes that the other side's kernel has acknowledged since the connection began.
    let acked: UInt64
    /// Bytes that were written to the socket and are not acknowledged.
    let unacked: UInt64
    /// The smoothed round-trip time.
    let roundTrip: Duration

    /// Offset of `tcpi_bytes_acked` in `struct tcp_info` of <linux/tcp.h>, which only ever grows at its end.
    private static let ackedOffset = 120
    /// Offset of `tcpi_rtt`, in microseconds.
    private static let roundTripOffset = 68

    /// Maximum attempts to read both counters without an acknowledgement in between. Each takes about a microsecond.
    private static let maxAttempts = 64

    /// Reads both counters as of one moment: they are read again if an acknowledgement arrives in between. After the last attempt
    /// `acked` can be newer than `unacked`. The computed end of a message is then too late, but never too early.
    ///
    /// - Returns: `nil` if this is not a TCP socket, or the kernel is older than 4.1 and lacks the counter.
    init?(_ socket: Int32) {
        guard var (acked, roundTrip) = Self.read(socket) else { return nil }
        var outstanding: Int32 = 0
        for _ in 0..<Self.maxAttempts {
            let before = acked
            guard ioctl(socket, UInt(TIOCOUTQ), &outstanding) == 0, let after = Self.read(socket) else { return nil }
            (acked, roundTrip) = after
            if acked == before { break }
        }
        (self.acked, self.roundTrip) = (acked, roundTrip)
        unacked = UInt64(max(0, outstanding))
    }

    private static func read(_ socket: Int32) -> (acked: UInt64, roundTrip: Duration)? {
        var info = [UInt8](repeating: 0, count: 256)
        var length = socklen_t(info.count)
        guard getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0,
            Int(length) >= Self.ackedOffset + 8
        else { return nil }
        return info.withUnsafeBytes { bytes in
            (
                bytes.loadUnaligned(fromByteOffset: ackedOffset, as: UInt64.self),
                .microseconds(Int64(bytes.loadUnaligned(fromByteOffset: roundTripOffset, as: UInt32.self)))
            )
        }
    }

    /// Whether the other side has ever accepted the connection, even if the connection was reset
    /// since: the SYN counts as one acknowledged byte.
    static func wasAccepted(_ socket: Int32) -> Bool { read(socket).map { $0.acked > 0 } ?? false }

    /// Sets the TCP user timeout: the kernel ends the connection when the other side acknowledges nothing for this long, even if
    /// this process does not run. 0 restores the system's default.
    ///
    /// - Returns: whether it was set.
    static func setUserTimeout(_ socket: Int32, milliseconds: Int32) -> Bool {
        var milliseconds = milliseconds
        return setsockopt(socket, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, socklen_t(MemoryLayout<Int32>.size)) == 0
    }

    /// Makes closing the socket discard unsent bytes and send a RST.
    static func resetOnClose(_ socket: Int32) {
        var reset = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
    }
}
