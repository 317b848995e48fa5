internal import Crypto
internal import DoorwardControl
internal import DoorwardDomain
internal import HTTPTypes

/// The gateway's metrics, for Prometheus. The path is outside `/api/v1`.
enum MetricsRoutes {
    static let all: [Route] = [.open(.get, "/metrics", page)]

    /// Responds to programs on the gateway's own machine, to the configured token, and to a super admin with a token.
    private static func page(_ call: OpenCall) async throws -> APIResponse {
        if !call.facts.isOfThisMachine, !hasToken(call) {
            let caller = try await call.services.authenticator.caller(call.facts)
            try call.control.adapterStates.requireReading(by: caller)
        }
        try call.readNothing()
        guard let metrics = call.services.metrics else { throw GatewayError.unavailable }
        var answer = APIResponse(status: 200, body: Array(await metrics.text().utf8))
        answer.headers[.contentType] = PrometheusText.contentType
        return answer
    }

    /// Digests are compared in constant time.
    private static func hasToken(_ call: OpenCall) -> Bool {
        guard let digest = call.services.metricsToken, let token = Authenticator.bearer(call.facts.headers[.authorization])
        else { return false }
        return SHA256.hash(data: Array(token.utf8)) == digest
    }
}

extension RequestMetadata {
    /// Whether the request comes directly from a program on this machine, without a proxy. A proxy may run on this machine too, so
    /// a request from a trusted proxy or with a forwarding header is never direct, regardless of the peer's address and of the
    /// header's value. Nor is a request with the `Host` of another machine: a browser sends it if a name of an attacker's leads to
    /// this machine.
    var isOfThisMachine: Bool {
        let forwarding: [HTTPField.Name] = [.forwardedFor, .forwarded, .realIP]
        guard !peer.isTrustedProxy, forwarding.allSatisfy({ headers[$0] == nil }) else { return false }
        return isLoopback(authority) && peer.address?.isLoopback ?? false
    }

    /// Whether a `Host`, with or without its port, names the machine itself.
    private func isLoopback(_ authority: String?) -> Bool {
        guard let authority else { return false }
        let isBracketed = authority.hasPrefix("[")
        let host = isBracketed ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        return host.lowercased() == "localhost" || IPAddress(host)?.isLoopback ?? false
    }
}
