import DoorwardTesting
import Foundation
import Glibc
import Synchronization

/// A child process of a test, with access to its standard input and its output lines.
final class ChildProcess: Sendable {
    private struct State {
        var lines: [String] = []
        var isAtEnd = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    let processID: pid_t
    private let state = Mutex(State())
    private let input: Mutex<FileHandle>
    private let process: Mutex<Process>

    /// - Parameter readsErrors: whether to read standard error instead of standard output.
    init(_ executable: String, _ arguments: [String], readsErrors: Bool = false) throws {
        let process = Process()
        let (output, stdin) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        process.standardInput = stdin
        process.standardOutput = readsErrors ? FileHandle.nullDevice : output
        process.standardError = readsErrors ? output : FileHandle.nullDevice
        try process.start()
        processID = process.processIdentifier
        input = Mutex(stdin.fileHandleForWriting)
        self.process = Mutex(process)
        let handle = output.fileHandleForReading
        Thread.detachNewThread { [weak self] in Self.read(handle) { self?.append($0, isAtEnd: $1) } }
    }

    deinit { Glibc.kill(processID, SIGKILL) }

    func write(_ line: String) { input.withLock { try? $0.write(contentsOf: Data((line + "\n").utf8)) } }

    /// Kills the process at once, like a power failure.
    func kill() {
        Glibc.kill(processID, SIGKILL)
        // Blocks: the caller's thread, for the moment in which a killed process ends.
        process.withLock { $0.waitUntilExit() }
    }

    /// Waits until the process has exited by itself, and returns its exit code.
    func waitForExit() async -> Int32 { await process.withLock { $0 }.exitCode() }

    /// Waits for the first line that matches; returns `nil` at the end of the output.
    func line(where matches: (String) -> Bool) async -> String? {
        while true {
            let (lines, isAtEnd) = state.withLock { ($0.lines, $0.isAtEnd) }
            if let found = lines.first(where: matches) { return found }
            if isAtEnd { return nil }
            await withCheckedContinuation { continuation in
                let isOld = state.withLock { state in
                    guard state.lines.count == lines.count, !state.isAtEnd else { return true }
                    state.waiting.append(continuation)
                    return false
                }
                if isOld { continuation.resume() }
            }
        }
    }

    private func append(_ lines: [String], isAtEnd: Bool) {
        let waiting = state.withLock { state in
            state.lines += lines
            state.isAtEnd = isAtEnd
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    private static func read(_ handle: FileHandle, _ take: ([String], Bool) -> Void) {
        var rest = ""
        while case let bytes = handle.nextBytes(), !bytes.isEmpty {
            rest += String(decoding: bytes, as: UTF8.self)
            let parts = rest.split(separator: "\n", omittingEmptySubsequences: false)
            rest = String(parts.last ?? "")
            take(parts.dropLast().map(String.init), false)
        }
        take([], true)
    }
}

/// A folder that is deleted with this object.
final class TemporaryFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "doorward-locks-\(UUID().uuidString)").path

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A mosquitto for one test, on a free loopback port.
struct Mosquitto {
    let port: Int
    let process: ChildProcess

    enum Failure: Error { case neverListened }

    static func start(in folder: TemporaryFolder, port: Int? = nil) async throws -> Mosquitto {
        // Another process may take the chosen port before the broker does. Then another port is tried, or the same one again if
        // it is required.
        for attempt in 0... {
            let chosen = try port ?? free()
            let configuration = folder.path + "/mosquitto.conf"
            try "listener \(chosen) 127.0.0.1\npersistence false\nallow_anonymous true\n"
                .write(toFile: configuration, atomically: true, encoding: .utf8)
            let process = try ChildProcess("/usr/sbin/mosquitto", ["-c", configuration, "-v"], readsErrors: true)
            if await process.line(where: { $0.contains("running") }) != nil { return Mosquitto(port: chosen, process: process) }
            let isTaken = await process.line { $0.contains("Address already in use") } != nil
            guard isTaken, port != nil || attempt < 4 else { break }
            try Task.checkCancellation()
        }
        throw Failure.neverListened
    }

    /// Returns a port chosen by the kernel, which was free at that moment.
    private static func free() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        return Int(address.sin_port.bigEndian)
    }
}
