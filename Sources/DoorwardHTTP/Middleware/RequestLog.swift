internal import DoorwardControl
internal import DoorwardDomain
internal import Hummingbird
internal import Logging

/// Counts and logs the responses of one method of one route.
///
/// A line contains the method, the route's pattern, the status and the time; never a path, a body, a header or a name. Responses
/// below 400 are logged at `debug`: a line costs more than a decision, and each command is in the access log anyway.
struct RequestLog: Sendable {
    private let clock: any GatewayClock
    private let metrics: EndpointMetrics
    private let method: String
    private let route: String

    init(_ services: Services, method: String, route: String) {
        clock = services.control.clock
        metrics = EndpointMetrics(method, route, services.metricsFactory)
        (self.method, self.route) = (method, route)
    }

    func begin() -> MonotonicInstant { clock.monotonicNow() }

    /// - Parameter streamed: for a streamed body, the number of bytes that the connection accepted, and how the body ended.
    func end(
        _ status: Int, since begun: MonotonicInstant, _ request: RequestMetadata, _ context: GatewayContext,
        streamed: (bytes: Int, end: StreamLog.End)? = nil
    ) {
        let time = clock.monotonicNow().duration(since: begun)
        metrics.count(status, time)
        let level = Self.level(of: status, streamed?.end)
        guard context.logger.logLevel <= level else { return }
        var metadata: Logger.Metadata = [
            "method": .string(method), "route": .string(route), "status": .stringConvertible(status),
            "durationMs": .string(Self.milliseconds(time)),
        ]
        if let streamed {
            metadata["bytes"] = .stringConvertible(streamed.bytes)
            metadata["body"] = .string(streamed.end.word)
            if case .failed(let cause) = streamed.end { metadata["cause"] = .string(cause) }
        }
        context.requestLogger.log(level: level, "request completed", metadata: metadata)
    }

    /// The log level of a response: 4xx are errors of the client, 5xx of the gateway or a lock.
    private static func level(of status: Int, _ end: StreamLog.End?) -> Logger.Level {
        if case .failed = end { return .error }
        return switch status {
        case ..<400: .debug
        case ..<500: .info
        default: .warning
        }
    }

    /// The time in milliseconds, with three decimals.
    static func milliseconds(_ time: Duration) -> String {
        let microseconds = max(0, time.nanoseconds / 1000)
        let rest = String(microseconds % 1000)
        return "\(microseconds / 1000).\(String(repeating: "0", count: 3 - rest.utf8.count))\(rest)"
    }
}

extension StreamLog.End {
    /// The value of `body` in the log line: whether the client got the whole body.
    fileprivate var word: String {
        switch self {
        case .complete: "complete"
        case .cut: "cut"
        case .failed: "failed"
        }
    }
}

/// A log handler that passes metadata to another handler only when a line is logged.
///
/// Hummingbird adds metadata to a copy of its logger for every request, and other log handlers may format the metadata each time.
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
