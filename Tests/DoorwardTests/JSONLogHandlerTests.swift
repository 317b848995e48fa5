import DoorwardDomain
import Logging
import Synchronization
import Testing

@testable import doorward

@Suite("Log lines in JSON") struct JSONLogHandlerTests {
    /// Records the lines that a handler writes.
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private func logger(_ lines: Lines) -> Logger {
        Logger(label: "doorward") { label in
            JSONLogHandler(label: label, now: { Timestamp(milliseconds: 0) }, write: { lines.add($0) })
        }
    }

    @Test("a line is one object with time, level, logger and message")
    func plain() {
        let lines = Lines()
        logger(lines).info("the gateway starts")
        #expect(
            lines.all == [#"{"at":"1970-01-01T00:00:00.000Z","level":"info","logger":"doorward","message":"the gateway starts"}"#]
        )
    }

    @Test("metadata of a line overrides that of the logger, and all text is escaped")
    func metadata() {
        let lines = Lines()
        var logger = logger(lines)
        logger[metadataKey: "device"] = "a"
        logger[metadataKey: "port"] = "8080"
        logger.warning("odd \"text\"\n", metadata: ["device": "b"])
        #expect(
            lines.all == [
                #"{"at":"1970-01-01T00:00:00.000Z","level":"warning","logger":"doorward","message":"odd \"text\"\n","#
                    + #""metadata":{"device":"b","port":"8080"}}"#
            ])
    }

    @Test("a line below the log level is not written")
    func level() {
        let lines = Lines()
        logger(lines).debug("detail")
        #expect(lines.all.isEmpty)
    }
}
