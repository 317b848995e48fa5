internal import DoorwardDomain
internal import Glibc

/// Wakes the thread that waits in `poll` for the socket of a connection. The thread also waits for a pipe, which `ring` writes
/// to.
final class WakeupPipe: Sendable {
    private let (toHear, toRing): (Int32, Int32)

    init() {
        var ends: [Int32] = [-1, -1]
        // If no descriptors are free, `ring` has no effect, and `wait` returns only at its timeout.
        if pipe(&ends) == 0 {
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
        }
        (toHear, toRing) = (ends[0], ends[1])
    }

    deinit {
        close(toHear)
        close(toRing)
    }

    /// Wakes the waiting thread. If no thread is waiting, the next call of `wait` returns at once.
    func ring() {
        var stroke: UInt8 = 1
        // A full pipe already wakes the reader.
        write(toRing, &stroke, 1)
    }

    /// Blocks until `ring` is called, the socket is ready, or the timeout passes.
    func wait(_ wait: ConnectionStateMachine.Wait, now: MonotonicInstant) -> ConnectionStateMachine.Readiness {
        var descriptors = [pollfd(fd: toHear, events: Int16(POLLIN), revents: 0)]
        let until: MonotonicInstant
        switch wait {
        case .make: return .init()
        case .pause(let end): until = end
        case .socket(let socket, let toWrite, let end):
            descriptors.append(pollfd(fd: socket, events: Int16(POLLIN | (toWrite ? POLLOUT : 0)), revents: 0))
            until = end
        }
        // Rounded up, so that the deadline has passed when `poll` times out.
        let milliseconds = Int32(clamping: max(0, (until.nanoseconds - now.nanoseconds + 999_999) / 1_000_000))
        // The socket is also read after a timeout: `poll` does not show bytes that TLS has already read from the socket.
        guard poll(&descriptors, nfds_t(descriptors.count), milliseconds) > 0 else { return .init(toRead: true) }
        if descriptors[0].revents != 0 { silence() }
        guard descriptors.count > 1 else { return .init() }
        let found = Int32(descriptors[1].revents)
        // An error on the socket is reported by the next read.
        return .init(
            toRead: found & (POLLIN | POLLHUP | POLLERR) != 0, toWrite: found & POLLOUT != 0,
            isOver: found & (POLLHUP | POLLERR) != 0)
    }

    private func silence() {
        var strokes = [UInt8](repeating: 0, count: 256)
        while read(toHear, &strokes, strokes.count) == strokes.count {}
    }
}
