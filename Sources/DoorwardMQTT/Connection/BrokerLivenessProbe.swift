internal import DoorwardDomain
internal import Glibc

/// Liveness probe: shows whether the broker itself processes packets. TCP acknowledgements show only that the broker's host
/// receives them. A stalled broker leaves received packets in its socket buffer, and processes them late when it resumes.
///
/// The probe is an UNSUBSCRIBE from a topic without a subscription. Every broker answers it (MQTT 5.0, section 3.10.4), no access
/// control list forbids it, and it has no effect.
struct BrokerLivenessProbe {
    /// If a probe is unanswered for this long, `publish` is rejected, as a message could be processed late.
    static let slowThreshold = Duration.seconds(1)
    /// If a probe is unanswered for this long, the connection is reported as stalled.
    static let livenessTimeout = Duration.seconds(5)

    private var outstanding: (packetID: Int32, at: MonotonicInstant, after: MQTTPublishNumber)?
    /// When the newest answered probe was sent, and the last message that was sent before the probe. The broker has processed
    /// this message, as it answers in order.
    private var deliveredProbe: (at: MonotonicInstant, after: MQTTPublishNumber)?
    /// The same values for a probe whose answer was read while messages received before that answer were still undelivered.
    private var answeredProbe: (at: MonotonicInstant, after: MQTTPublishNumber)?
    private var lastReceived: MonotonicInstant?

    /// Whether no probe is outstanding, so that one may be sent.
    var isAnswered: Bool { outstanding == nil }

    /// - Parameter number: the last message sent before the probe.
    mutating func recordSent(_ packetID: Int32, after number: MQTTPublishNumber, at now: MonotonicInstant) {
        outstanding = (packetID, now, number)
    }

    mutating func recordResponse(_ packetID: Int32) {
        guard let outstanding, outstanding.packetID == packetID else { return }
        (answeredProbe, self.outstanding) = ((outstanding.at, outstanding.after), nil)
    }

    /// Records that all messages received before the last answer have been delivered.
    mutating func confirmDelivered() { deliveredProbe = answeredProbe ?? deliveredProbe }

    /// When the newest answered probe was sent; `nil` before the first answer.
    var lastAnswered: MonotonicInstant? { (answeredProbe ?? deliveredProbe)?.at }

    /// Whether the broker has processed the message with this number, and has answered a probe that was sent within the last two
    /// seconds.
    func isResponsive(since number: MQTTPublishNumber, at now: MonotonicInstant) -> Bool {
        deliveredProbe.map { number <= $0.after && now.duration(since: $0.at) <= Self.slowThreshold * 2 } ?? false
    }

    /// Records that messages were received. The answer may be queued behind them, so `livenessTimeout` starts again. The messages
    /// do not prove that the broker processes packets now.
    mutating func recordReceived(at now: MonotonicInstant) { lastReceived = now }

    func isSlow(at now: MonotonicInstant) -> Bool {
        outstanding.map { now.duration(since: $0.at) >= Self.slowThreshold } ?? false
    }

    func hasTimedOut(at now: MonotonicInstant) -> Bool {
        outstanding.map { now.duration(since: max($0.at, lastReceived ?? $0.at)) >= Self.livenessTimeout } ?? false
    }
}

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
        writes.append(Write(end: tcp.acked + tcp.unacked, deadline: now.advanced(by: lifetime), lifetime: lifetime))
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
