import DoorwardDomain
import FoundationEssentials
import Logging

/// Writes each log entry as one JSON object with `at`, `level`, `logger` and `message`, and the metadata under `metadata`.
struct JSONLogHandler: LogHandler {
    let label: String
    let write: @Sendable (String) -> Void
    let now: @Sendable () -> Timestamp
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    init(label: String, now: @escaping @Sendable () -> Timestamp, write: @escaping @Sendable (String) -> Void) {
        (self.label, self.now, self.write) = (label, now, write)
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var all = metadata
        all.merge(metadataProvider?.get() ?? [:]) { _, new in new }
        all.merge(event.metadata ?? [:]) { _, new in new }
        if let error = event.error { all["error"] = "\(error)" }
        let line = Line(
            at: now().description, level: event.level.rawValue, logger: label, message: event.message.description,
            metadata: all.isEmpty ? nil : all.mapValues(\.description))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(line) else { return }
        write(String(decoding: json, as: UTF8.self))
    }

    private struct Line: Encodable {
        let at: String
        let level: String
        let logger: String
        let message: String
        let metadata: [String: String]?
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
