internal import Foundation
import Glibc
import Synchronization

/// A TCP proxy between an MQTT client and its broker. A test can use it to stall or cut the connection between two packets.
package final class Proxy: Sendable {
    /// The direction of the bytes.
    package enum Direction: Hashable, Sendable {
        /// From the client to the broker.
        case toBroker
        /// From the broker to the client.
        case toClient
    }

    fileprivate struct State {
        var stalled: Set<Direction> = []
        /// The sockets of all connections so far. They are closed only in `deinit`, when no thread uses them any more.
        var sockets: [Int32] = []
        var isClosed = false
        /// The number of clients that may still send.
        var openClients = 0
        /// All forwarded bytes of each direction.
        var forwarded: [Direction: [UInt8]] = [:]
        /// The byte sequence after which a direction is stalled again.
        var stallMarkers: [Direction: [UInt8]] = [:]
        /// Called with each chunk for the broker before the chunk is forwarded. If it returns
        /// false, the connection is closed instead.
        var accepts: (@Sendable ([UInt8]) -> Bool)?
    }

    /// The approximate maximum number of bytes that are forwarded at once.
    private static let maxChunkBytes = 65_536

    /// The port on 127.0.0.1 for clients to connect to.
    package let port: Int
    private let listener: Int32
    private let broker: Int
    private let state = Mutex(State())
    /// Signalled after each change of the state.
    private let changed = NSCondition()

    /// - Parameter broker: the port of the broker.
    package init(to broker: Int) throws {
        let listener = try Listener()
        (port, self.listener, self.broker) = (listener.port, listener.descriptor, broker)
        listener.accept { [self] client in connect(client) }
    }

    deinit { for socket in state.withLock({ $0.sockets }) { Glibc.close(socket) } }

    /// Stops reading in one direction. This simulates a stalled machine.
    package func stall(_ direction: Direction) { state.withLock { _ = $0.stalled.insert(direction) } }

    /// Resumes one direction, and stalls it again directly after the bytes `end`. These bytes must not have been forwarded yet.
    package func resume(_ direction: Direction, until end: [UInt8]) {
        state.withLock { state in
            state.stallMarkers[direction] = end
            state.stalled.remove(direction)
        }
        changed.withLock { changed.broadcast() }
    }

    /// Resumes one direction, or both if none is given.
    package func resume(_ direction: Direction? = nil) {
        state.withLock { state in
            state.stalled = state.stalled.filter { direction != nil && $0 != direction }
            state.stallMarkers = state.stallMarkers.filter { direction != nil && $0.key != direction }
        }
        changed.withLock { changed.broadcast() }
    }

    /// Closes the connection before forwarding the first chunk for the broker for which `gate` returns true.
    package func cut(at matches: @escaping @Sendable ([UInt8]) -> Bool) { state.withLock { $0.accepts = { !matches($0) } } }

    /// Returns all bytes that were forwarded in this direction.
    package func forwarded(_ direction: Direction = .toBroker) -> [UInt8] { state.withLock { $0.forwarded[direction] ?? [] } }

    /// Resumes both directions, and waits until no client can send any more.
    ///
    /// - Returns: all bytes that were forwarded to the broker, as text.
    package func end() async -> String {
        resume()
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                wait { $0.openClients == 0 }
                continuation.resume()
            }
        }
        return String(decoding: forwarded(), as: UTF8.self)
    }

    /// Closes all connections, and accepts no more.
    package func close() {
        let sockets = state.withLock { state in
            (state.isClosed, state.stalled) = (true, [])
            return state.sockets
        }
        changed.withLock { changed.broadcast() }
        for socket in sockets + [listener] { shutdown(socket, Int32(SHUT_RDWR)) }
        Glibc.close(listener)
    }

    private func wait(until isTrue: (State) -> Bool) {
        // Blocks: the proxy's own threads.
        changed.withLock { while !state.withLock({ isTrue($0) }) { changed.wait() } }
    }

    private func connect(_ client: Int32) {
        let (server, isConnected) = LoopbackPort.connect(to: broker)
        guard isConnected else {
            for socket in [client, server] { Glibc.close(socket) }
            return
        }
        // Use small buffers, so that a stall takes effect soon.
        var size: Int32 = 4096
        for end in [client, server] { setsockopt(end, SOL_SOCKET, SO_RCVBUF, &size, 4) }
        state.withLock { state in
            state.sockets += [client, server]
            state.openClients += 1
        }
        Thread.detachNewThread { [self] in forward(from: client, to: server, .toBroker) }
        forward(from: server, to: client, .toClient)
    }

    /// Forwards the bytes of one direction. At the end of the stream, shuts both sockets down, but
    /// does not close them, because the other direction may still use them.
    private func forward(from: Int32, to: Int32, _ direction: Direction) {
        defer {
            for end in [from, to] { shutdown(end, Int32(SHUT_RDWR)) }
            if direction == .toBroker { state.withLock { $0.openClients -= 1 } }
            changed.withLock { changed.broadcast() }
        }
        var buffer = [UInt8](repeating: 0, count: 2048)
        while true {
            wait { !$0.stalled.contains(direction) || $0.isClosed }
            let count = uninterrupted { recv(from, &buffer, buffer.count, 0) }
            guard count > 0 else { return }
            var bytes = buffer[..<count]
            // Hold bytes that were read just before a stall. They are forwarded together with the
            // bytes that arrive during the stall.
            wait { !$0.stalled.contains(direction) || $0.isClosed }
            while bytes.count < Self.maxChunkBytes, case let more = recv(from, &buffer, buffer.count, Int32(MSG_DONTWAIT)),
                more > 0
            { bytes += buffer[..<more] }
            while !bytes.isEmpty {
                wait { !$0.stalled.contains(direction) || $0.isClosed }
                guard let part = state.withLock({ $0.next(of: bytes, direction) }) else { return }
                let sent = uninterrupted { part.withUnsafeBytes { send(to, $0.baseAddress, part.count, Int32(MSG_NOSIGNAL)) } }
                guard sent == part.count else { return }
                bytes = bytes.dropFirst(part.count)
            }
        }
    }
}

extension Proxy.State {
    /// Records and returns the bytes to forward now: all bytes that were read, or those up to the next stall.
    ///
    /// - Returns: `nil` if the connection must be closed.
    fileprivate mutating func next(of bytes: ArraySlice<UInt8>, _ direction: Proxy.Direction) -> [UInt8]? {
        guard !stalled.contains(direction) || isClosed else { return [] }
        var part = Array(bytes)
        if let end = stallMarkers[direction], let found = part.firstRange(of: end) {
            part = Array(part[..<found.upperBound])
            stallMarkers[direction] = nil
            stalled.insert(direction)
        }
        guard direction == .toClient || accepts?(part) ?? true else { return nil }
        forwarded[direction, default: []] += part
        return part
    }
}
