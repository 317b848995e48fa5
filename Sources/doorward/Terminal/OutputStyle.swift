import DoorwardClient
import DoorwardDomain
import FoundationEssentials
import Glibc
import Synchronization

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

    /// Converts an instant to text: in local time on a terminal, as the API writes it in a pipe.
    func instant(_ instant: Doorward.Instant) -> String {
        isInteractive ? TimeZoneRules.user.local(at: Timestamp(instant)).shown : instant.description
    }

    /// Converts an instant to text in a sentence: on a terminal in local time, with the day of the week and the zone; as the API
    /// writes it in a pipe.
    func zonedInstant(_ instant: Doorward.Instant) -> String {
        isInteractive ? TimeZoneRules.zoned(Timestamp(instant)) : instant.description
    }

    /// Returns a shorter form of `instant` for a table that does not fit: without the year if it is the year of `now`.
    func shortInstant(_ instant: Doorward.Instant, now: Timestamp, withSeconds: Bool) -> String {
        guard isInteractive else { return instant.description }
        let (zone, time) = (TimeZoneRules.user, Timestamp(instant))
        return zone.local(at: time).short(in: zone.local(at: now).date.year, withSeconds: withSeconds)
    }

    /// The cell of an instant in a table, with its shorter form.
    func cell(_ instant: Doorward.Instant?, now: Timestamp) -> Table.Cell {
        Table.Cell(instant.map(self.instant), short: instant.map { shortInstant($0, now: now, withSeconds: false) })
    }
}

extension Timestamp {
    /// An instant of the API.
    init(_ instant: Doorward.Instant) { self.init(milliseconds: instant.milliseconds) }
}

extension Doorward.Instant {
    init(_ timestamp: Timestamp) { self.init(milliseconds: timestamp.milliseconds) }
}

/// A standard stream of the process, written without a buffer.
enum StandardStream: Int32 {
    case output = 1
    case error = 2

    /// Writes the text and a line break; a closed stream is not an error.
    ///
    /// - Returns: whether the text could be written.
    @discardableResult
    func line(_ text: String) -> Bool { write(text + "\n") }

    /// Prints a sentence on a terminal, or values in a pipe.
    static func tell(_ sentence: String, values: String...) {
        output.line(OutputStyle.output.isInteractive ? sentence : values.map(\.printable).joined(separator: "\t"))
    }

    @discardableResult
    func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(rawValue, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else {
                if self == .output { _ = Self.firstError.compareExchange(expected: 0, desired: errno, ordering: .relaxed) }
                return false
            }
            rest = rest.dropFirst(written)
        }
        return true
    }

    /// The number of the first error of writing to standard output; 0 for none.
    private static let firstError = Atomic<Int32>(0)

    /// Why standard output is not complete; `nil` if it is, or if its reader has closed it, as `head` does.
    static var outputFailure: CommandFailure? {
        switch firstError.load(ordering: .relaxed) {
        case 0, EPIPE: nil
        case let number: CommandFailure("The output could not be written: \(SystemFailure(number)).")
        }
    }
}

/// Uses the whole terminal as a screen that is redrawn in place, and reads single keys. `end` restores the previous content.
final class FullScreen {
    /// The previous settings of the terminal; `nil` if standard input is not a terminal.
    private var before: termios?
    private var shown: [String] = []
    private var shownSize: TerminalSize?

    init() {
        var manners = termios()
        if tcgetattr(0, &manners) == 0 {
            before = manners
            // Read single keys without echo; Ctrl-C still sends a signal.
            manners.c_lflag &= ~tcflag_t(ICANON | ECHO)
            // Disable Ctrl-Z (`VSUSP`, 10): a shell would draw on this screen.
            manners.c_cc.10 = 0
            tcsetattr(0, TCSANOW, &manners)
        }
        // Switch to the alternate screen, hide the cursor, and disable line wrapping.
        StandardStream.output.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
    }

    func end() {
        StandardStream.output.write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
        if var before { tcsetattr(0, TCSAFLUSH, &before) }
    }

    /// Draws the lines that have changed.
    func draw(_ lines: [String], _ size: TerminalSize) {
        var text = ""
        if size != shownSize {
            text += "\u{1B}[2J"
            shown = []
        }
        for (row, line) in lines.enumerated() where row >= shown.count || shown[row] != line {
            // Erase first: after a line that fills the row, the cursor is still on its last character.
            text += "\u{1B}[\(row + 1);1H\u{1B}[K\(line)"
        }
        (shown, shownSize) = (lines, size)
        if !text.isEmpty { StandardStream.output.write(text) }
    }

    /// Returns the keys pressed since the last call. Does not wait.
    func keys() -> [UInt8] {
        guard before != nil else { return [] }
        var waiting = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, 0) == 1, waiting.revents & Int16(POLLIN) != 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(0, &bytes, bytes.count)
        return count > 0 ? Array(bytes[..<count]) : []
    }
}
