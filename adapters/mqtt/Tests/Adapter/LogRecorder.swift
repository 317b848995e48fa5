import Logging
import Synchronization

/// Records every log line of an adapter, with its metadata.
final class LogRecorder: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    /// Returns the log lines that contain all of these texts.
    func containing(_ texts: String...) -> [String] { all.filter { line in texts.allSatisfy { line.contains($0) } } }

    var logger: Logger { Logger(label: "test") { [self] _ in Handler(recorded: self) } }

    private struct Handler: LogHandler {
        let recorded: LogRecorder
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = (event.metadata ?? [:]).map { "\($0)=\($1)" }.sorted().joined(separator: " ")
            recorded.lines.withLock { $0.append("\(event.level) \(event.message) \(metadata)") }
        }
    }
}
