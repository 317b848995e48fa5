import Foundation
import Synchronization

/// A program on a pseudo-terminal, as somebody sits before it: reads what it shows, types, and changes the window's size.
final class TerminalProgram: Sendable {
    /// What the terminal shows of keys that are no characters.
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
    ///   - environment: beside that of the tests, of which nothing that would change a program's manners is handed on.
    ///   - folder: where the program starts.
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

    /// A test that ends early leaves no process behind.
    deinit { if !ended.isOpen { kill(processID, SIGKILL) } }

    /// Waits until the program has shown the text.
    ///
    /// - Returns: all that it showed since the last call, up to the text and with it.
    /// - Throws: `NotShown` when it ended, or the test's time was over, before.
    @discardableResult
    func read(until text: String) async throws -> String {
        try await read(until: text) { shown in shown.range(of: text)?.upperBound }
    }

    /// Waits until what was shown since the last call matches.
    ///
    /// - Parameters:
    ///   - what: what is waited for, for whoever reads the failure.
    ///   - end: where the match ends in what was shown; `nil` while it does not match.
    func read(until what: String, where end: @escaping @Sendable (String) -> String.Index?) async throws -> String {
        let shown = await endedByTime { await self.transcript.take(until: end) }
        guard let shown else { throw NotShown(awaited: what, transcript: transcript.all) }
        return shown
    }

    /// All that it shows until its end.
    func rest() async -> String { await endedByTime { await self.transcript.rest() } }

    /// All that it has shown since it began, whether or not somebody has read it.
    var shown: String { transcript.all }

    func type(_ text: String) { terminal.write(text) }

    func press(_ key: Key) { terminal.write(key.rawValue) }

    func resize(to size: PseudoTerminal.Size) { terminal.resize(to: size) }

    func signal(_ number: Int32) { kill(processID, number) }

    /// Its exit code once it has ended, or the negative number of the signal that ended it.
    var exitCode: Int32 { get async { await endedByTime { await self.ended.value } } }

    /// Waits; when the test's time is over the program is killed, so that whatever is waited for comes or never will.
    private func endedByTime<Value: Sendable>(_ wait: @Sendable () async -> Value) async -> Value {
        await Program.killing(processID, wait)
    }

    /// A program ended without having shown what was waited for.
    struct NotShown: Error, CustomStringConvertible {
        let awaited: String
        /// All that it showed from its start.
        let transcript: String

        var description: String {
            "the program ended before it showed \(awaited.debugDescription):\n\(transcript.debugDescription)"
        }
    }
}
