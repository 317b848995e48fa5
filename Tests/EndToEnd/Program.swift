import DoorwardTesting
import Foundation
import Synchronization

/// A program in its own process: the built `doorward`, or a tool that checks its files.
final class Program: Sendable {
    let processID: pid_t
    private let lines: LineReader
    private let ended: Latch<Int32>

    /// The built `doorward`, in the same folder as the tests' executable.
    static var doorward: String {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return URL(filePath: tests).deletingLastPathComponent().appending(component: "doorward").path
    }

    /// Starts the program. Standard error is written to the file `errors`, and standard output is read line by line.
    init(_ executable: String, _ arguments: [String], environment: [String: String] = [:], input: String = "", errors: String)
        throws
    {
        let process = Process()
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        var variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("DOORWARD_") }
        variables.merge(environment) { _, new in new }
        process.environment = variables
        _ = FileManager.default.createFile(atPath: errors, contents: nil)
        process.standardError = try FileHandle(forWritingTo: URL(filePath: errors))
        let (output, stdin) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardInput = stdin
        let ended = Latch<Int32>()
        process.terminationHandler = { process in
            ended.open(process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus)
        }
        // The input fits into the pipe's buffer. It is written before the start, because the program may exit without reading it.
        try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try Self.withSignalsUnblocked { try process.start() }
        try stdin.fileHandleForWriting.close()
        (processID, self.ended, lines) = (process.processIdentifier, ended, LineReader(output.fileHandleForReading))
    }

    /// Kills the process if a test ends early.
    deinit { if !ended.isOpen { kill(processID, SIGKILL) } }

    /// Runs `body` with no signal blocked. Threads of the test runner block signals, and a new
    /// process inherits the signal mask of the thread that starts it.
    private static func withSignalsUnblocked(_ body: () throws -> Void) rethrows {
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
    }

    /// The next line of standard output, or `nil` at its end.
    func nextLine() async -> String? { await Self.killing(processID) { await self.lines.next() } }

    /// Reads the rest of standard output.
    func rest() async -> String {
        var text = ""
        while let line = await nextLine() { text += line + "\n" }
        return text
    }

    var isRunning: Bool { !ended.isOpen }

    func signal(_ number: Int32) { kill(processID, number) }

    /// The exit code after the program has ended, or the negative number of the signal that ended it.
    var exitCode: Int32 { get async { await Self.killing(processID) { await self.ended.value } } }

    /// Waits for an event that comes at the latest when the program ends. Kills the program when the test's time limit is
    /// reached, so that no test waits for ever.
    static func killing<Value: Sendable>(_ processID: pid_t, _ wait: @Sendable () async -> Value) async -> Value {
        await withTaskCancellationHandler(operation: wait) { kill(processID, SIGKILL) }
    }

    /// Runs a program until it exits.
    static func run(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:], input: String = "",
        in folder: TemporaryFolder
    ) async throws -> (code: Int32, output: String, errors: String) {
        let errors = folder.file("errors-\(UUID().uuidString)")
        let program = try Program(executable, arguments, environment: environment, input: input, errors: errors)
        let output = await program.rest()
        return (await program.exitCode, output, try String(contentsOfFile: errors, encoding: .utf8))
    }
}

/// Reads the lines of a pipe on a thread that may block.
private final class LineReader: Sendable {
    private let handle: FileHandle
    private let queue = DispatchQueue(label: "doorward.tests.lines")
    private let pending = Mutex(Data())

    init(_ handle: FileHandle) { self.handle = handle }

    func next() async -> String? {
        await withCheckedContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: nextBlocking()) }
        }
    }

    private func nextBlocking() -> String? {
        pending.withLock { pending in
            while true {
                if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = String(decoding: pending[..<end], as: UTF8.self)
                    pending = Data(pending[(end + 1)...])
                    return line
                }
                let more = handle.nextBytes()
                guard !more.isEmpty else {
                    defer { pending = Data() }
                    return pending.isEmpty ? nil : String(decoding: pending, as: UTF8.self)
                }
                pending.append(contentsOf: more)
            }
        }
    }
}

/// A value that is set once, and the tasks that wait for it.
final class Latch<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiting: [CheckedContinuation<Value, Never>] = []
    }

    private let state = Mutex(State())

    func open(_ value: Value) {
        let waiting = state.withLock { state in
            if state.value == nil { state.value = value }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }

    var isOpen: Bool { state.withLock { $0.value != nil } }

    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let value = state.withLock { state in
                    if state.value == nil { state.waiting.append(continuation) }
                    return state.value
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }
}
