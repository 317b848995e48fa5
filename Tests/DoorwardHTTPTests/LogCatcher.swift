import Logging
import Synchronization

/// A value that callbacks of other tasks change and the test reads.
final class Seen<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }

    var value: Value { state.withLock { $0 } }

    func change(_ body: (inout sending Value) -> Void) { state.withLock { body(&$0) } }
}

/// Records every log line, at any level.
struct LogCatcher: Sendable {
    private let lines = Seen<[String]>([])

    var text: String { lines.value.joined(separator: "\n") }

    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(lines: lines) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let lines: Seen<[String]>
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = self.metadata.merging(event.metadata ?? [:]) { _, new in new }
            lines.change { $0.append("\(event.level) \(event.message) \(all)") }
        }
    }
}
