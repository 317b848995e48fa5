internal import Foundation
import Glibc
import Synchronization

/// A mosquitto process for one test, on a free loopback port.
package final class MosquittoProcess: Sendable {
    /// The port on 127.0.0.1 that the broker listens on.
    package let port: Int
    private let folder: URL
    private let configuration: URL
    private let process: Mutex<Process?>

    /// - Parameters:
    ///   - lines: lines of the broker's configuration, without the listener; `FOLDER` is the placeholder for the folder of
    ///     `files`.
    ///   - files: the contents of files by name, such as an access control list.
    ///   - port: the port to listen on, such as the port of an earlier broker; `nil` for any free
    ///     port. If another process uses the port, the call waits until it is free.
    package static func start(
        _ lines: [String] = ["allow_anonymous true"], files: [String: String] = [:], port: Int? = nil
    ) async throws -> MosquittoProcess {
        if let port {
            let broker = try MosquittoProcess(port: port, lines, files)
            try await broker.restart()
            return broker
        }
        // Another process may take the free port before the broker starts. In this case, try another port.
        for _ in 0..<5 {
            let broker = try MosquittoProcess(port: LoopbackPort.free(), lines, files)
            if try await broker.run() { return broker }
        }
        throw BrokerError.neverListened
    }

    /// The reason why the broker did not start.
    package enum BrokerError: Error {
        /// The broker exited before it listened on its port. Its log contains the reason.
        case neverListened
    }

    private init(port: Int, _ lines: [String], _ files: [String: String]) throws {
        self.port = port
        folder = FileManager.default.temporaryDirectory.appending(path: "doorward-mqtt-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        configuration = folder.appending(path: "mosquitto.conf")
        let path = folder.path
        let resolvedLines = lines.map { $0.replacing("FOLDER", with: path) }
        try (["listener \(port) 127.0.0.1", "persistence false"] + resolvedLines).joined(separator: "\n")
            .write(to: configuration, atomically: true, encoding: .utf8)
        process = Mutex(nil)
        for (name, text) in files { try write(text, to: name) }
    }

    /// Replaces one of the broker's files. The broker reads it at its next start.
    package func write(_ text: String, to name: String) throws {
        try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Starts the broker again on the same port, after `kill`. Waits while another process uses the port.
    ///
    /// - Throws: `BrokerError.neverListened` if the broker exits for another reason.
    package func restart() async throws {
        while !(try await run()) { try Task.checkCancellation() }
    }

    /// - Returns: false if another process uses the broker's port.
    private func run() async throws -> Bool {
        let new = Process()
        new.executableURL = URL(filePath: "/usr/sbin/mosquitto")
        new.arguments = ["-c", configuration.path, "-v"]
        let log = Pipe()
        new.standardError = log
        new.standardOutput = FileHandle.nullDevice
        try new.start()
        process.withLock { $0 = new }
        // The broker logs a line when it is running. If it cannot start, it exits, which closes the pipe.
        let lines = Recorder(linesOf: log.fileHandleForReading)
        if await lines.first(where: { $0.contains("running") }) != nil { return true }
        kill()
        guard await lines.first(where: { $0.contains("Address already in use") }) != nil else { throw BrokerError.neverListened }
        return false
    }

    /// Sends a signal to the process, such as SIGSTOP.
    package func signal(_ number: Int32) { process.withLock { $0.map { _ = Glibc.kill($0.processIdentifier, number) } } }

    /// Kills the process at once, without an orderly shutdown.
    package func kill() {
        let ended = process.withLock { process in
            defer { process = nil }
            return process
        }
        guard let ended else { return }
        Glibc.kill(ended.processIdentifier, SIGKILL)
        // Blocks: the caller's thread, for the moment in which a killed process ends.
        ended.waitUntilExit()
    }
}

/// Functions for loopback ports: finding a free port, connecting, and waiting until sent bytes are acknowledged.
package enum LoopbackPort {
    /// Returns a port that was free at the time of the call.
    package static func free() throws -> Int {
        let listener = try Listener()
        defer { close(listener.descriptor) }
        return listener.port
    }

    fileprivate static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    /// Connects a new socket to a port. The caller must close the socket, connected or not.
    package static func connect(to port: Int) -> (socket: Int32, isConnected: Bool) {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = address(port: port)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return (socket, withSocketAddress(&address) { Glibc.connect(socket, $0, length) } == 0)
    }

    /// Waits until the receiving kernel has acknowledged all bytes that programs on this machine have sent to a port, or until
    /// no program is connected to the port any more.
    package static func waitUntilDrained(to port: Int) async {
        // The kernel returns its table in several parts, so a connection can be missing if the table changes between two parts. A
        // missing connection counts as not drained. After 200 consecutive reads without the connection, it counts as closed.
        var missing: [Substring: Int] = [:]
        var samples = 0
        while samples < 200 || !missing.isEmpty {
            samples += 1
            let unconfirmed = unconfirmedBytes(to: port)
            for connection in unconfirmed.keys { missing[connection] = 0 }
            for connection in missing.keys where unconfirmed[connection] == nil { missing[connection, default: 0] += 1 }
            missing = missing.filter { $0.value < 200 }
            let isDrained = missing.keys.allSatisfy { unconfirmed[$0] == "00000000" }
            if !missing.isEmpty, isDrained { return }
            await withCheckedContinuation { continuation in DispatchQueue.global().async { continuation.resume() } }
        }
    }

    /// Returns the number of unacknowledged bytes of each connection to a port, in hexadecimal, by the connection's local
    /// address. Reads the kernel's table of connections.
    private static func unconfirmedBytes(to port: Int) -> [Substring: Substring] {
        let table = (try? String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)) ?? ""
        let end = ":" + String(format: "%04X", port)
        var result: [Substring: Substring] = [:]
        for line in table.split(separator: "\n").dropFirst() {
            let columns = line.split(separator: " ")
            if columns.count > 4, columns[2].hasSuffix(end) { result[columns[1]] = columns[4].prefix(8) }
        }
        return result
    }
}

/// Passes an address of any family to a system call.
func withSocketAddress<Address, Result>(_ address: inout Address, _ body: (UnsafeMutablePointer<sockaddr>) -> Result) -> Result {
    withUnsafeMutablePointer(to: &address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
}

/// A socket that listens on a loopback port chosen by the kernel.
package struct Listener {
    /// The socket. The code that creates the listener must close it.
    package let descriptor: Int32
    /// The chosen port.
    package let port: Int

    /// - Parameter isListening: whether the socket listens. `false` only reserves the port: connections to it are refused.
    /// - Throws: `POSIXError` if no port can be bound.
    package init(isListening: Bool = true) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = LoopbackPort.address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isBound = withSocketAddress(&address) { address in
            bind(descriptor, address, length) == 0 && (!isListening || listen(descriptor, 16) == 0)
                && getsockname(descriptor, address, &length) == 0
        }
        guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        port = Int(address.sin_port.bigEndian)
    }

    /// Calls `body` with the socket of each client, on a thread of its own, until the listening socket is shut down.
    func accept(_ body: @escaping @Sendable (Int32) -> Void) {
        Thread.detachNewThread {
            while case let client = uninterrupted({ Glibc.accept(descriptor, nil, nil) }), client >= 0 {
                Thread.detachNewThread { body(client) }
            }
        }
    }
}

/// Makes a system call, and repeats it if a signal has interrupted it.
func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        guard result < 0, errno == EINTR else { return result }
    }
}

extension Recorder<String> {
    /// Records the lines of a pipe. A separate thread reads the pipe to its end, so that the writing process never blocks.
    fileprivate convenience init(linesOf handle: FileHandle) {
        self.init()
        Thread.detachNewThread { [self] in
            var rest = ""
            while case let bytes = handle.nextBytes(), !bytes.isEmpty {
                rest += String(decoding: bytes, as: UTF8.self)
                let parts = rest.split(separator: "\n", omittingEmptySubsequences: false)
                rest = String(parts.last ?? "")
                record(parts.dropLast().map(String.init))
            }
            record([], isLast: true)
        }
    }
}

/// Values that one thread records, and for which others wait.
final class Recorder<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var isAtEnd = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var elements: [Element] { state.withLock { $0.elements } }

    /// - Parameter isLast: whether nothing more will be recorded.
    func record(_ new: [Element], isLast: Bool = false) {
        let waiting = state.withLock { state in
            state.elements += new
            state.isAtEnd = isLast
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits for the first matching value at or after index `start`.
    ///
    /// - Returns: the value, and the index for the next search; `nil` at the end.
    func first(from start: Int = 0, where matches: (Element) -> Bool) async -> (value: Element, next: Int)? {
        while true {
            let (elements, isAtEnd) = state.withLock { ($0.elements, $0.isAtEnd) }
            if let index = elements.indices.dropFirst(start).first(where: { matches(elements[$0]) }) {
                return (elements[index], index + 1)
            }
            if isAtEnd { return nil }
            await withCheckedContinuation { continuation in
                let isOld = state.withLock { state in
                    guard state.elements.count == elements.count, !state.isAtEnd else { return true }
                    state.waiting.append(continuation)
                    return false
                }
                if isOld { continuation.resume() }
            }
        }
    }
}
