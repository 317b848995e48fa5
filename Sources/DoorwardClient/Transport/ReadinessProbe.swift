internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL

/// Asks a gateway on this machine whether it is ready, for service managers and containers.
package enum ReadinessProbe {
    /// - Parameter server: scheme, host and port. The certificate is not verified: it is for the name that others use, the request
    ///   contains no secret, and a certificate that has expired does not make a gateway less ready.
    /// - Returns: the status of `/readyz`: 200 if the gateway is ready, 503 if not.
    /// - Throws: `ClientError.noConnection` or `.noResponse`.
    package static func status(of server: String, within timeout: Duration) async throws -> Int {
        do {
            let request = HTTPClientRequest(url: "\(server)/readyz")
            return Int(try await HTTPClients.unverified.execute(request, timeout: TimeAmount(timeout)).status.code)
        } catch {
            let failure = ConnectionFailure(error)
            throw failure.isBeforeSending
                ? ClientError.noConnection(server: server, why: failure.reason)
                : ClientError.noResponse(server: server, why: failure.reason)
        }
    }
}
