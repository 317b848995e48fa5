import DoorwardDomain
import FoundationEssentials
import Glibc

/// The style of output: for a user at a terminal, or for a program that reads a pipe.
struct OutputStyle: Equatable, Sendable {
    /// Whether the output has aligned columns, headings and local times. If false, it is plain text
    /// with tabs, and times are in UTC.
    let isInteractive: Bool
    let hasColour: Bool
    /// Whether a printed line can be erased.
    let canRedraw: Bool
    /// The width that tables have to fit, in characters; `nil` if tables are shown in full.
    var columns: Int?

    /// - Parameters:
    ///   - environment: a non-empty `NO_COLOR`, and `TERM=dumb`, disable colour.
    ///   - columns: the width of the terminal.
    init(isTerminal: Bool, environment: [String: String], columns: Int? = nil) {
        isInteractive = isTerminal
        self.columns = isTerminal ? columns : nil
        canRedraw = isTerminal && environment["TERM"] != "dumb"
        hasColour = canRedraw && (environment["NO_COLOR"] ?? "").isEmpty
    }

    /// The style of standard output.
    static var output: OutputStyle {
        OutputStyle(
            isTerminal: isatty(1) == 1, environment: ProcessInfo.processInfo.environment,
            columns: TerminalSize.of(.output).columns)
    }

    /// The style of standard error.
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

    /// Converts an instant of the API to text: in local time on a terminal, unchanged in a pipe.
    func instant(_ text: String) -> String {
        guard isInteractive, let instant = try? Timestamp(rfc3339: text) else { return text }
        return LocalTime(instant).description
    }

    /// Converts an instant of the API to text in a sentence: on a terminal in local time, with the day of the week and the zone;
    /// unchanged in a pipe.
    func zonedInstant(_ text: String) -> String {
        guard isInteractive, let instant = try? Timestamp(rfc3339: text) else { return text.printable }
        return LocalTime.zoned(instant)
    }

    /// Returns a shorter form of `instant` for a table that does not fit: without the year if it is the year of `now`.
    func shortInstant(_ text: String, now: Timestamp, withSeconds: Bool) -> String {
        guard isInteractive, let instant = try? Timestamp(rfc3339: text) else { return text }
        return LocalTime(instant).short(in: LocalTime(now).year, withSeconds: withSeconds)
    }
}
