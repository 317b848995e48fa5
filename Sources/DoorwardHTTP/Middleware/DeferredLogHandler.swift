internal import Logging

/// A log handler that passes metadata to another handler only when a line is logged.
///
/// Hummingbird adds metadata to a copy of its logger for every request, and other handlers may format it each time.
struct DeferredLogHandler: LogHandler {
    private let base: Logger
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level

    /// - Parameter base: the logger that the lines are passed to.
    init(_ base: Logger) { (self.base, logLevel) = (base, base.logLevel) }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var event = event
        event.metadata = metadata.merging(event.metadata ?? [:]) { _, ofLine in ofLine }
        base.handler.log(event: event)
    }
}
