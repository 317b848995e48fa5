internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore

/// The endpoint of one path: finds the route of a method, and runs the checks in a fixed order: method, sign-in, rate limit, size,
/// media type, JSON, then the route's own checks. The first failure determines the response.
struct Endpoint: Sendable {
    private let services: Services
    private let routes: [HTTPRequest.Method: (route: Route, log: RequestLog)]
    private let allowed: String
    /// The log for methods that the path does not support.
    private let otherLog: RequestLog
    /// Responds to the requests of a bulk; `nil` for every endpoint but that of bulks.
    private let bulkResponder: GatewayResponder?

    init(services: Services, routes: [Route], bulkResponder: GatewayResponder? = nil) {
        (self.services, self.bulkResponder) = (services, bulkResponder)
        self.routes = Dictionary(
            uniqueKeysWithValues: routes.map {
                ($0.method, ($0, RequestLog(services, method: $0.method.rawValue, route: $0.label ?? $0.path)))
            })
        otherLog = RequestLog(services, method: "other", route: routes.first.map { $0.label ?? $0.path } ?? "unknown")
        let methods = routes.map(\.method.rawValue) + (self.routes[.get] == nil ? [] : ["HEAD"])
        allowed = methods.sorted().joined(separator: ", ")
    }

    func respond(to request: Request, context: GatewayContext) async -> Response {
        let metadata =
            context.metadata
            ?? RequestMetadata(
                request.head, peer: context.peer(services.proxies), proxies: services.proxies, random: services.control.random)
        let method = request.method == .head ? .get : request.method
        let known = routes[method]
        let log = known?.log ?? otherLog
        let begun = log.begin()
        guard let route = known?.route else {
            log.end(405, since: begun, metadata, context)
            return ErrorResponse.methodNotAllowed(allowed).answer(metadata).response()
        }
        let answer = await execute(route, request, metadata, context, since: begun)
        if let stream = answer.stream, request.method != .head {
            let status = answer.status
            let streamLog = StreamLog { log.end(status, since: begun, metadata, context, streamed: $0) }
            return answer.response(stream.responseBody(to: context, log: streamLog))
        }
        log.end(answer.status, since: begun, metadata, context)
        let response = answer.response()
        return request.method == .head ? response.createHeadResponse() : response
    }

    /// Executes a route. A route that may take long is executed on the global executor instead of the event loop.
    private func execute(
        _ route: Route, _ request: Request, _ metadata: RequestMetadata, _ context: GatewayContext, since begun: MonotonicInstant
    ) async -> APIResponse {
        guard !route.runsOnEventLoop else { return await answer(route, request, metadata, context, since: begun) }
        return await withTaskExecutorPreference(globalConcurrentExecutor) {
            await answer(route, request, metadata, context, since: begun)
        }
    }

    private func answer(
        _ route: Route, _ request: Request, _ metadata: RequestMetadata, _ context: GatewayContext, since begun: MonotonicInstant
    ) async -> APIResponse {
        do {
            var caller: Caller?
            try route.precondition(metadata)
            if case .signedIn = route.handler { caller = try await signedIn(metadata, context) }
            try await route.limit(services.control, caller, metadata)
            let body =
                try await route.readsForm
                ? BodyCollector.form(of: request) : BodyCollector.body(of: request, maxBytes: route.maxBodyBytes)
            func readRequest<Requester>(of requester: Requester) -> ReadRequest<Requester> {
                ReadRequest(
                    services: services, metadata: metadata, parameters: context.parameters, body: body, client: context.client,
                    caller: requester, bulk: bulkResponder.map { BulkDispatcher($0, context, of: metadata, since: begun) })
            }
            switch route.handler {
            case .open(let handler): return try admit(try await handler(readRequest(of: ())), metadata, for: nil)
            case .signedIn(let handler):
                guard let caller else { throw GatewayError.unauthenticated }
                if route.method == .post { _ = try IdempotencyKeys.key(in: metadata) }
                return try admit(try await handler(readRequest(of: caller)), metadata, for: caller.principal)
            }
        } catch {
            let response =
                error as? ErrorResponse ?? errorResponse(error as? GatewayError ?? .internalFailure("\(error)"), context)
            return route.errorPage(response, metadata) ?? response.answer(metadata)
        }
    }

    /// Reserves memory for a large response. That of a bulk is reserved before its first request, so that no response is lost.
    private func admit(
        _ answer: APIResponse, _ metadata: RequestMetadata, for principal: Principal?
    ) throws(GatewayError) -> APIResponse {
        metadata.isItem ? answer : try services.responseMemory.admit(answer, for: principal)
    }

    private func signedIn(_ metadata: RequestMetadata, _ context: GatewayContext) async throws(GatewayError) -> Caller {
        do {
            let caller = try await services.authenticator.caller(metadata)
            setSignedIn(true, context)
            return caller
        } catch {
            setSignedIn(false, context)
            throw error
        }
    }

    /// Changes the table of connections only if the state differs from the state after the connection's last request.
    private func setSignedIn(_ isSignedIn: Bool, _ context: GatewayContext) {
        guard context.connection?.isSignedIn != isSignedIn else { return }
        services.connections.setSignedIn(context.connectionID, isSignedIn)
    }

    private func errorResponse(_ error: GatewayError, _ context: GatewayContext) -> ErrorResponse {
        if case .internalFailure(let cause) = error {
            context.requestLogger.error("a request failed with an internal error", metadata: ["cause": "\(cause)"])
        }
        return ErrorResponse(error)
    }
}

/// Reads the body of a request, up to its limit, and parses it as one JSON object.
enum BodyCollector {
    /// The body of a request. An absent body is an empty object.
    ///
    /// - Throws: `ErrorResponse` for a body that is rejected before it is parsed; `GatewayError.invalid` if it is not a JSON object.
    static func body(of request: Request, maxBytes: Int) async throws -> [String: JSONValue] {
        let content = try await bytes(of: request, "application/json", maxBytes: maxBytes, orElse: .unsupportedMediaType)
        return try content.map(object) ?? [:]
    }

    /// The fields of a form. An absent body has none.
    ///
    /// - Throws: as `body`; `GatewayError.invalid` for a body that is not the encoding of a form.
    static func form(of request: Request) async throws -> [String: JSONValue] {
        let type = "application/x-www-form-urlencoded"
        guard let content = try await bytes(of: request, type, maxBytes: WireLimits.bodyBytes, orElse: .formExpected) else {
            return [:]
        }
        let errors = FieldErrors()
        // The reader decodes the fields, and rejects texts that are not stream-safe.
        let reader = QueryReader(String(decoding: content, as: UTF8.self), errors: errors)
        reader.rejectRepetitions()
        let fields = reader.allItems
        try errors.finish()
        return fields.mapValues { .string($0) }
    }

    /// The bytes of a body with a media type, in UTF-8; `nil` if there is no body.
    ///
    /// - Parameter error: the error for a body with another media type.
    private static func bytes(
        of request: Request, _ mediaType: String, maxBytes: Int, orElse error: ErrorResponse
    ) async throws -> [UInt8]? {
        let headers = RequestHeaders(request.headers)
        let declared = headers[.contentLength].flatMap { Int($0) }
        // A request with neither Content-Length nor Transfer-Encoding has no body (RFC 9112, section 6.3).
        if declared == 0 || (declared == nil && headers[.transferEncoding] == nil) { return nil }
        if let declared, declared > maxBytes { throw ErrorResponse.payloadTooLarge(maxBytes) }
        let bytes = try await collect(request, maxBytes)
        // If the connection closes early, Hummingbird ends the body without an error. A body shorter than its Content-Length is
        // rejected here.
        if let declared, bytes.count < declared { throw GatewayError.invalid("body", FieldProblemCode.notJSON.rawValue) }
        guard !bytes.isEmpty else { return nil }
        guard isUTF8(headers[.contentType], mediaType) else { throw error }
        return bytes
    }

    private static func collect(_ request: Request, _ maxBytes: Int) async throws -> [UInt8] {
        do {
            let buffer = try await request.body.collect(upTo: maxBytes)
            return Array(buffer.readableBytesView)
        } catch is NIOTooManyBytesError {
            throw ErrorResponse.payloadTooLarge(maxBytes)
        } catch {
            // The connection ended, or the framing broke, before the body was complete.
            throw GatewayError.invalid("body", FieldProblemCode.notJSON.rawValue)
        }
    }

    private static func isUTF8(_ contentType: String?, _ type: String) -> Bool {
        guard let contentType else { return false }
        let parts = contentType.lowercased().split(separator: ";").map { String($0).trimmed }
        guard parts.first == type else { return false }
        return parts.dropFirst().allSatisfy { !$0.hasPrefix("charset=") || $0 == "charset=utf-8" || $0 == "charset=\"utf-8\"" }
    }

    private static func object(_ bytes: [UInt8]) throws(GatewayError) -> [String: JSONValue] {
        let value: JSONValue
        do throws(JSONFailure) {
            value = try JSONValue.parse(bytes)
        } catch {
            switch error {
            case .notJSON: throw .invalid("body", FieldProblemCode.notJSON.rawValue)
            case .tooManyMarks: throw .invalid("body", FieldProblemCode.tooManyMarks.rawValue)
            case .duplicateKey(let key): throw .invalid(key.truncated(toBytes: 64), FieldProblemCode.duplicateKey.rawValue)
            }
        }
        guard case .object(let members) = value else { throw .invalid("body", FieldProblemCode.wrongType.rawValue) }
        return members
    }
}

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
