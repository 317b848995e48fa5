internal import DoorwardControl
internal import DoorwardDomain
internal import Hummingbird
internal import Logging

/// Counts and logs the answers of one method of one route.
///
/// A line holds the method, the route's pattern, the status and the time; never a path, a body, a header or a name. Answers
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

    /// - Parameter streamed: of a body that was produced while it was sent, how many bytes the connection took, and how it ended.
    func end(
        _ status: Int, since begun: MonotonicInstant, _ facts: RequestFacts, _ context: GatewayContext,
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
        context.requestLogger.log(level: level, "answered", metadata: metadata)
    }

    /// 4xx is the caller's doing and 5xx the gateway's or a lock's.
    private static func level(of status: Int, _ end: StreamLog.End?) -> Logger.Level {
        if case .failed = end { return .error }
        return switch status {
        case ..<400: .debug
        case ..<500: .info
        default: .warning
        }
    }

    /// With three digits after the point.
    static func milliseconds(_ time: Duration) -> String {
        let microseconds = max(0, time.nanoseconds / 1000)
        let rest = String(microseconds % 1000)
        return "\(microseconds / 1000).\(String(repeating: "0", count: 3 - rest.utf8.count))\(rest)"
    }
}

extension StreamLog.End {
    /// `body` in the line: whether the client got all of it.
    fileprivate var word: String {
        switch self {
        case .complete: "complete"
        case .cut: "cut"
        case .failed: "failed"
        }
    }
}
