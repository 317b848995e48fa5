import DoorwardDomain
import Logging

/// Writes each log entry as one JSON object with `at`, `level`, `logger` and `message`, and the metadata under `metadata`.
struct JSONLogHandler: LogHandler {
    let label: String
    let now: @Sendable () -> Timestamp
    let write: @Sendable (String) -> Void
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var all = metadata
        all.merge(metadataProvider?.get() ?? [:]) { _, new in new }
        all.merge(event.metadata ?? [:]) { _, new in new }
        if let error = event.error { all["error"] = "\(error)" }
        var line: [String: JSONValue] = [
            "at": .string(now().description), "level": .string(event.level.rawValue), "logger": .string(label),
            "message": .string(event.message.description),
        ]
        if !all.isEmpty { line["metadata"] = .object(all.mapValues { .string($0.description) }) }
        write(String(decoding: JSONOutput.document(line), as: UTF8.self))
    }
}

extension Logger {
    /// Logs only errors, to standard error, for commands that print everything else themselves.
    static var errorsOnly: Logger {
        var logger = Logger(label: "doorward") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .error
        return logger
    }
}
