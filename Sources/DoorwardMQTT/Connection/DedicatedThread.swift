internal import Dispatch
internal import DoorwardDomain
internal import Glibc

/// Runs blocking work on a dedicated thread, so that many connections do not compete for a thread pool.
enum DedicatedThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs the body to its end. If no thread can be created, the body runs on a queue of Dispatch.
    static func run(_ body: @escaping @Sendable () -> Void) {
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        guard result != 0 else {
            pthread_detach(thread)
            return
        }
        work.release()
        DispatchQueue.global().async(execute: body)
    }
}

/// Wakes the thread that waits in `poll` for the socket of a connection. The thread also waits for a pipe, which `wake` writes
/// to.
final class WakeupPipe: Sendable {
    private let (readEnd, writeEnd): (Int32, Int32)

    init() {
        var ends: [Int32] = [-1, -1]
        // If no descriptors are free, `wake` has no effect, and `wait` returns only at its timeout.
        if pipe(&ends) == 0 {
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Wakes the waiting thread. If no thread is waiting, the next call of `wait` returns at once.
    func wake() {
        var byte: UInt8 = 1
        // A full pipe already wakes the reader.
        write(writeEnd, &byte, 1)
    }

    /// Blocks until `wake` is called, the socket is ready, or the timeout passes.
    func wait(for action: ConnectionStateMachine.NextAction, now: MonotonicInstant) -> ConnectionStateMachine.Readiness {
        var descriptors = [pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)]
        let until: MonotonicInstant
        switch action {
        case .createClient: return .init()
        case .sleep(let end): until = end
        case .poll(let socket, let forWriting, let end):
            descriptors.append(pollfd(fd: socket, events: Int16(POLLIN | (forWriting ? POLLOUT : 0)), revents: 0))
            until = end
        }
        // Rounded up, so that the deadline has passed when `poll` times out.
        let milliseconds = Int32(clamping: max(0, (until.nanoseconds - now.nanoseconds + 999_999) / 1_000_000))
        // The socket is also read after a timeout: `poll` does not show bytes that TLS has already read from the socket.
        guard poll(&descriptors, nfds_t(descriptors.count), milliseconds) > 0 else { return .init(isReadable: true) }
        if descriptors[0].revents != 0 { drain() }
        guard descriptors.count > 1 else { return .init() }
        let revents = Int32(descriptors[1].revents)
        // An error on the socket is reported by the next read.
        return .init(
            isReadable: revents & (POLLIN | POLLHUP | POLLERR) != 0, isWritable: revents & POLLOUT != 0,
            isClosed: revents & (POLLHUP | POLLERR) != 0)
    }

    private func drain() {
        var bytes = [UInt8](repeating: 0, count: 256)
        while read(readEnd, &bytes, bytes.count) == bytes.count {}
    }
}
