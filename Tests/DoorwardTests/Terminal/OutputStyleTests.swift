import DoorwardClient
import DoorwardDomain
import Testing

@testable import doorward

@Suite("Output style") struct OutputStyleTests {
    @Test(
        "colour is used on terminals that support it, unless NO_COLOR is set",
        arguments: [
            (true, ["TERM": "xterm"], true), (true, [:], true), (false, ["TERM": "xterm"], false),
            (true, ["TERM": "xterm", "NO_COLOR": "1"], false), (true, ["NO_COLOR": "0"], false), (true, ["NO_COLOR": ""], true),
            (true, ["TERM": "dumb"], false),
        ])
    func colour(_ isTerminal: Bool, _ environment: [String: String], _ hasColour: Bool) {
        let style = OutputStyle(isTerminal: isTerminal, environment: environment)
        #expect(style.hasColour == hasColour)
        #expect(style.paint("x", .red) == (hasColour ? "\u{1B}[31mx\u{1B}[0m" : "x"))
        #expect(style.paint("x", nil) == "x")
    }

    @Test("a line can be redrawn on a terminal that supports it, with or without colours")
    func takingBack() {
        #expect(OutputStyle(isTerminal: true, environment: ["NO_COLOR": "1"]).canRedraw)
        #expect(!OutputStyle(isTerminal: true, environment: ["TERM": "dumb"]).canRedraw)
        #expect(!OutputStyle(isTerminal: false, environment: [:]).canRedraw)
    }

    @Test("only a terminal has a width that tables must fit")
    func columns() {
        #expect(OutputStyle(isTerminal: true, environment: [:], columns: 80).columns == 80)
        #expect(OutputStyle(isTerminal: false, environment: [:], columns: 80).columns == nil)
    }

    @Test("a short instant contains the year only if it is another year, and is unchanged in a pipe")
    func shortInstants() throws {
        let (text, person): (Doorward.Instant, _) = ("2030-06-15T12:34:56.000Z", OutputStyle(isTerminal: true, environment: [:]))
        let (same, later) = (try Timestamp(rfc3339: "2030-06-20T00:00:00Z"), try Timestamp(rfc3339: "2031-06-20T00:00:00Z"))
        #expect(
            person.shortInstant(text, now: same, withSeconds: true).wholeMatch(of: #/Jun 1[456] [0-9]{2}:[0-9]{2}:56/#) != nil)
        #expect(person.shortInstant(text, now: same, withSeconds: false).count == 12)
        #expect(person.shortInstant(text, now: later, withSeconds: false).hasPrefix("2030-06-1"))
        #expect(OutputStyle(isTerminal: false, environment: [:]).shortInstant(text, now: same, withSeconds: true) == "\(text)")
    }

    @Test("in a pipe an instant is as in the API, and on a terminal on the clock there")
    func instants() {
        let pipe = OutputStyle(isTerminal: false, environment: [:])
        #expect(pipe.instant("2030-01-01T00:00:00.000Z") == "2030-01-01T00:00:00.000Z")
        let shown = OutputStyle(isTerminal: true, environment: [:]).instant("2030-01-01T12:34:56.000Z")
        #expect(shown.wholeMatch(of: #/20(29|30)-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:56/#) != nil, "\(shown)")
    }
}
