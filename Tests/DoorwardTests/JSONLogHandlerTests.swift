import DoorwardDomain
import Logging
import Synchronization
import Testing

@testable import doorward

@Suite("Log lines in JSON") struct JSONLogHandlerTests {
    /// Keeps what a handler writes.
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

    @Test("metadata of the line beats that of the logger, and nothing can break out of its text")
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

    @Test("what is below the level is not written")
    func level() {
        let lines = Lines()
        logger(lines).debug("detail")
        #expect(lines.all.isEmpty)
    }
}
