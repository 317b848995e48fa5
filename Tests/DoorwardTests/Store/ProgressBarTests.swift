import Synchronization
import Testing

@testable import doorward

@Suite struct ProgressBarTests {
    private final class Written: Sendable {
        private let texts = Mutex<[String]>([])
        var all: [String] { texts.withLock { $0 } }
        func add(_ text: String) { texts.withLock { $0.append(text) } }
    }

    private let terminal = OutputStyle(isTerminal: true, environment: ["TERM": "xterm"])

    @Test("the bar shows how much is done")
    func fills() {
        let written = Written()
        var bar = ProgressBar(style: terminal, write: written.add)
        bar.show("Checking", 0, of: 48)
        bar.show("Checking", 24, of: 48)
        bar.show("Checking", 48, of: 48)
        let (full, empty) = (String(repeating: "█", count: 12), String(repeating: "░", count: 12))
        #expect(
            written.all == [
                "\r\u{1B}[KChecking \(empty)\(empty) 0 %", "\r\u{1B}[KChecking \(full)\(empty) 50 %",
                "\r\u{1B}[KChecking \(full)\(full) 100 %",
            ])
    }

    @Test("an unchanged bar is not written again, and the line is erased once")
    func once() {
        let written = Written()
        var bar = ProgressBar(style: terminal, write: written.add)
        for done in 0..<1000 { bar.show("Checking", UInt64(done), of: 100_000) }
        #expect(written.all.count == 1)
        bar.clear()
        bar.clear()
        #expect(written.all.count == 2)
        #expect(written.all.last == "\r\u{1B}[K")
    }

    @Test(
        "in a narrow window first the bar and then the text is shortened, so that a line never takes two rows",
        arguments: [(38, "Checking 50 %"), (14, "Checking 50 %"), (13, "Checking 50…"), (5, "Che…")])
    func narrow(columns: Int, line: String) {
        let written = Written()
        var bar = ProgressBar(style: terminal, columns: { columns }, write: written.add)
        bar.show("Checking", 1, of: 2)
        #expect(written.all == ["\r\u{1B}[K\(line)"])
    }

    @Test("a task without steps is shown as complete")
    func nothing() {
        let written = Written()
        var bar = ProgressBar(style: terminal, write: written.add)
        bar.show("Checking", 0, of: 0)
        #expect(written.all.count == 1)
        #expect(written.all[0].hasSuffix("100 %"))
    }

    @Test(
        "in a pipe, and on a terminal that cannot erase a line, nothing is written",
        arguments: [(false, "xterm"), (true, "dumb")])
    func silent(isTerminal: Bool, term: String) {
        let written = Written()
        var bar = ProgressBar(style: OutputStyle(isTerminal: isTerminal, environment: ["TERM": term]), write: written.add)
        bar.show("Checking", 1, of: 2)
        bar.clear()
        #expect(written.all.isEmpty)
    }
}
