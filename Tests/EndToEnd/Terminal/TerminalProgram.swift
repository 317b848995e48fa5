import Foundation
import Synchronization

/// A program on a pseudo-terminal. A test reads its output, types, and changes the window's size.
final class TerminalProgram: Sendable {
    /// The bytes that a terminal sends for special keys.
    enum Key: String {
        case enter = "\r"
        case tab = "\t"
        case controlC = "\u{3}"
        case controlD = "\u{4}"
        case controlU = "\u{15}"
        case controlBackslash = "\u{1C}"
    }

    let processID: pid_t
    let terminal: PseudoTerminal
    private let transcript: Transcript
    private let ended: Latch<Int32>

    /// - Parameters:
    ///   - environment: Variables added to those of the test process. `DOORWARD_*` and variables that change terminal output
    ///     (`NO_COLOR`, `COLUMNS`, …) are not passed on.
    ///   - folder: The working directory.
    init(
        _ executable: String, _ arguments: [String], size: PseudoTerminal.Size = .init(), environment: [String: String] = [:],
        in folder: TemporaryFolder
    ) throws {
        let manners = ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES"]
        var variables = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("DOORWARD_") && !manners.contains($0.key)
        }
        variables["TERM"] = "xterm-256color"
        variables.merge(environment) { _, new in new }
        let terminal = try PseudoTerminal(size)
        let processID = try ControllingTerminal.spawn(
            executable, arguments, environment: variables, in: folder.path, on: terminal)
        let (transcript, ended) = (Transcript(), Latch<Int32>())
        Thread.detachNewThread {
            while let bytes = terminal.read() { transcript.append(bytes) }
            transcript.finish()
        }
        Thread.detachNewThread { ended.open(ControllingTerminal.wait(for: processID)) }
        (self.processID, self.terminal, self.transcript, self.ended) = (processID, terminal, transcript, ended)
    }

    /// Kills the process if a test ends early.
    deinit { if !ended.isOpen { kill(processID, SIGKILL) } }

    /// Waits until the program has shown the text.
    ///
    /// - Returns: All output since the last call, up to and including the text.
    /// - Throws: `NotShown` if the program ended or the test's time limit was reached before the text was shown.
    @discardableResult
    func read(until text: String) async throws -> String {
        try await read(until: text) { shown in shown.range(of: text)?.upperBound }
    }

    /// Waits until the output since the last call matches.
    ///
    /// - Parameters:
    ///   - what: A description of the awaited output, for the failure message.
    ///   - end: Returns the end of the match in the output, or `nil` if it does not match.
    func read(until what: String, where end: @escaping @Sendable (String) -> String.Index?) async throws -> String {
        let shown = await endedByTime { await self.transcript.take(until: end) }
        guard let shown else { throw NotShown(awaited: what, transcript: transcript.all) }
        return shown
    }

    /// Waits until the program ends, and returns the output that was not read yet.
    func rest() async -> String { await endedByTime { await self.transcript.rest() } }

    /// All output since the start, whether or not a test has read it.
    var shown: String { transcript.all }

    func type(_ text: String) { terminal.write(text) }

    func press(_ key: Key) { terminal.write(key.rawValue) }

    func resize(to size: PseudoTerminal.Size) { terminal.resize(to: size) }

    func signal(_ number: Int32) { kill(processID, number) }

    /// The exit code after the program has ended, or the negative number of the signal that ended it.
    var exitCode: Int32 { get async { await endedByTime { await self.ended.value } } }

    /// Runs `wait`. Kills the program when the test's time limit is reached, so that the wait ends.
    private func endedByTime<Value: Sendable>(_ wait: @Sendable () async -> Value) async -> Value {
        await Program.killing(processID, wait)
    }

    /// A program ended before it showed the awaited text.
    struct NotShown: Error, CustomStringConvertible {
        let awaited: String
        /// All output since the start.
        let transcript: String

        var description: String {
            "the program ended before it showed \(awaited.debugDescription):\n\(transcript.debugDescription)"
        }
    }
}
