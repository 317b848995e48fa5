import DoorwardDomain
import FoundationEssentials
import Glibc

/// How output looks: for a person at a terminal, or for a program at the other end of a pipe.
struct OutputStyle: Equatable, Sendable {
    /// Aligned columns, headings and local times; without it plain text with tabs, and times in UTC.
    let isInteractive: Bool
    let hasColour: Bool
    /// Whether a line that was written can be taken back.
    let canRedraw: Bool
    /// How many characters of a table fit on a line; `nil` where tables are shown in full.
    var columns: Int?

    /// - Parameters:
    ///   - environment: `NO_COLOR` with any text in it, and `TERM=dumb`, mean no colour.
    ///   - columns: the width of the terminal.
    init(isTerminal: Bool, environment: [String: String], columns: Int? = nil) {
        isInteractive = isTerminal
        self.columns = isTerminal ? columns : nil
        canRedraw = isTerminal && environment["TERM"] != "dumb"
        hasColour = canRedraw && (environment["NO_COLOR"] ?? "").isEmpty
    }

    /// That of standard output.
    static var output: OutputStyle {
        OutputStyle(
            isTerminal: isatty(1) == 1, environment: ProcessInfo.processInfo.environment,
            columns: TerminalSize.of(.output).columns)
    }

    /// That of standard error.
    static var error: OutputStyle { OutputStyle(isTerminal: isatty(2) == 1, environment: ProcessInfo.processInfo.environment) }

    enum Colour: String {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
    }

    func paint(_ text: String, _ colour: Colour?) -> String {
        guard hasColour, let colour else { return text }
        return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }

    /// An instant of the wire: in local time for a person, as it came for a program.
    func instant(_ text: String) -> String {
        guard isInteractive, let instant = try? Timestamp(rfc3339: text) else { return text }
        return LocalTime(instant).description
    }

    /// The same in fewer characters, as a table shows it that does not fit: without the year if that is the year of `now`.
    func shortInstant(_ text: String, now: Timestamp, withSeconds: Bool) -> String {
        guard isInteractive, let instant = try? Timestamp(rfc3339: text) else { return text }
        return LocalTime(instant).short(in: LocalTime(now).year, withSeconds: withSeconds)
    }
}
