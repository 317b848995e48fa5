internal import DoorwardAPI
internal import FoundationEssentials

/// An HTTP response, not yet decoded.
struct TransportResponse: Sendable {
    let status: Int
    let body: [UInt8]
    /// `Retry-After`, in seconds.
    let retryAfter: Int?
    let server: ServerAddress
    var etag: String?

    /// What proxies answer that cannot reach the gateway, or have no response of it.
    private static let proxyStatuses: Set<Int> = [502, 503, 504]

    /// - Throws: `ClientError.refused` for an error response of the gateway, `.noResponse` for one of a proxy without a connection to
    ///   the gateway, `.notAGateway` for any other error response.
    func successful() throws(ClientError) -> TransportResponse {
        guard !(200..<300).contains(status) else { return self }
        guard let envelope = try? JSONDecoder().decode(Wire.ErrorEnvelope.self, from: Data(body)) else {
            guard Self.proxyStatuses.contains(status) else { throw .notAGateway(server: server.description) }
            throw .noResponse(server: server.description, why: "a proxy in front of the gateway answered \(status)")
        }
        throw .refused(
            APIError(
                status: status, code: envelope.code, message: envelope.message,
                denial: envelope.details?.denial.reason == nil ? nil : envelope.details?.denial,
                fields: envelope.details?.fields ?? [], command: envelope.details?.command,
                dependents: envelope.details?.dependents ?? [:], requestID: envelope.requestId, retryAfter: retryAfter))
    }

    /// Decodes `data` of a successful response.
    func decoded<Content: Decodable & Sendable>(from server: ServerAddress) throws(ClientError) -> Response<Content> {
        guard let json = JSONScanner.member("data", of: body),
            let content = try? JSONDecoder().decode(Content.self, from: Data(json))
        else { throw .notAGateway(server: server.description) }
        return Response(content: content, json: Array(json), etag: etag)
    }
}
