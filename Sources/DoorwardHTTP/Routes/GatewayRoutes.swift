internal import Crypto
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes

/// Liveness and readiness of the process, for monitoring. The paths are outside `/api/v1`.
enum HealthRoutes {
    static let all: [Route] = [
        .open(.get, "/healthz") { _ in .success { $0.field("alive", true) } },
        // The gateway is ready while the store can write and the adapters have been started.
        .open(.get, "/readyz") { request in
            guard await request.control.isReadyToServe else { throw GatewayError.unavailable }
            return .success { $0.field("ready", true) }
        },
    ]
}

/// The gateway's metrics, for Prometheus. The path is outside `/api/v1`.
enum MetricsRoutes {
    static let all: [Route] = [.open(.get, "/metrics", page)]

    /// Responds to programs on the gateway's own machine, to the configured token, and to a super admin with a token.
    private static func page(_ request: AnonymousRequest) async throws -> APIResponse {
        if !request.metadata.isOfThisMachine, !hasToken(request) {
            let caller = try await request.services.authenticator.caller(request.metadata)
            try request.control.directory.requireAdministration(by: caller)
        }
        try request.readNothing()
        guard let metrics = request.services.metrics else { throw GatewayError.unavailable }
        return APIResponse(body: Array(await metrics.text().utf8), type: PrometheusText.contentType)
    }

    /// Digests are compared in constant time.
    private static func hasToken(_ request: AnonymousRequest) -> Bool {
        guard let digest = request.services.metricsToken,
            let token = Authenticator.bearer(request.metadata.headers[.authorization])
        else { return false }
        return SHA256.hash(data: Array(token.utf8)) == digest
    }
}

extension RequestMetadata {
    /// Whether the request comes directly from a program on this machine, without a proxy. A proxy may run on this machine too, so
    /// a request from a trusted proxy or with a forwarding header is never direct, regardless of the peer's address and of the
    /// header's value. Neither is a request with the `Host` of another machine: a browser sends one if an attacker's host name resolves to
    /// this machine.
    var isOfThisMachine: Bool {
        guard !peer.isTrustedProxy, peer.address?.isLoopback == true,
            [HTTPField.Name.forwardedFor, .forwarded, .realIP].allSatisfy({ headers[$0] == nil }),
            let host = authority?.hostOfAuthority
        else { return false }
        return host == "localhost" || IPAddress(host)?.isLoopback == true
    }
}

/// The gateway's clock: whether it is trusted, and its acceptance.
enum ClockRoutes {
    static let all: [Route] = [
        .read("/clock", "Reads whether the gateway's clock is trusted.", .object("clock", "Clock")) {
            answer(try $0.control.clockWatch.status(for: $0.caller))
        },
        .post(
            "/clock/accept", "Accepts the time of the gateway's clock after a step forward.", .object("clock", "Clock")
        ) { request in
            let loweringMark = try request.readBody { $0.bool("lowerMark") ?? false }
            return answer(try await request.control.clockWatch.accept(request.caller, loweringMark: loweringMark))
        },
    ]

    private static func answer(_ status: ClockStatus) -> APIResponse {
        .success { $0.field("clock", status) }
    }
}

extension ClockStatus: ResponseObject {
    static let fields: [ResponseField<Self>] = [
        .init("isTrusted") { $0.distrust == nil },
        .init("reason", .nullable(.words(ClockDistrust.allCases.map(\.rawValue))), \.distrust?.rawValue), .init("at", \.at),
        .init("mark", \.highWaterMark), .init("isSynchronised", \.isSynchronised),
        .init("maxStepSeconds", .count, \.maxStep.components.seconds), .init("lastStep", \.lastStep),
    ]
}

extension ClockStep: ResponseObject {
    static let fields: [ResponseField<Self>] = [
        .init("before", \.before), .init("after", \.after), .init("stepMs", \.size.wholeMilliseconds),
    ]
}

/// Backs up the database while the gateway runs.
enum StoreRoutes {
    static let all: [Route] = [
        .post("/store/backup", "Copies the database to a file on the gateway's machine.", .object("backup", "Backup")) {
            request in
            let file = try request.readBody { $0.require("file", $0.string("file", .absolutePath)) ?? "" }
            let backup = try await request.control.backupService.create(request.caller, to: file)
            return .success { $0.field("backup", backup) }
        }
    ]
}

extension StoreBackup: ResponseObject {
    static let fields: [ResponseField<Self>] = [
        .init("file", \.path), .init("bytes", .count, \.bytes), .init("at", \.at), .init("logs", \.logs),
    ]
}

extension LogSize: ResponseObject {
    static let fields: [ResponseField<Self>] = [.init("id", \.log.description), .init("size", .count, \.size)]
}

extension StringSchema {
    /// The absolute path of a file.
    fileprivate static let absolutePath = StringSchema(pattern: #"^/[^\u0000]*$"#)
}
