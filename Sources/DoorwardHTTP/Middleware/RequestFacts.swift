internal import DoorwardAPI
internal import DoorwardDomain
internal import HTTPTypes

/// What is known of a request before anything of it is judged. A class, so that passing it on counts one reference.
final class RequestFacts: Sendable {
    let method: HTTPRequest.Method
    /// The path without the query, as it was sent: not decoded, any bytes. MUST NOT be compared unless `hasPlainPath`.
    let path: String
    /// As it was sent: not decoded, any bytes. `QueryReader` reads it.
    let query: String?
    let headers: RequestHeaders
    /// The caller's own id if it sent a sane one.
    let requestID: String
    let source: RecordSource
    /// The address of whoever is behind the trusted proxies; `nil` where the transport has none.
    let clientAddress: String?
    /// The address at the other end of the connection.
    let peer: PeerAddress
    /// The trace that the request is part of, if it says so.
    let trace: TraceContext?

    init(_ head: HTTPRequest, peer: PeerAddress, proxies: TrustedProxies, random: RandomSource) {
        let target = (head.path ?? "/").utf8.split(
            separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        method = head.method
        path = String(Substring(target[0]))
        query = target.count > 1 ? String(Substring(target[1].prefix { $0 != UInt8(ascii: "#") })) : nil
        headers = RequestHeaders(head.headerFields)
        requestID = Self.sane(headers[.requestID]) ?? random.hexadecimal(byteCount: 16)
        source =
            switch headers[.doorwardClient] {
            case "cli": .cli
            case "console": .console
            default: .api
            }
        self.peer = peer
        trace = TraceContext(head.headerFields)
        clientAddress = proxies.client(peer: peer, forwardedFor: headers[.forwardedFor])
    }

    /// Whether the path is visible ASCII, as every path of the API is (RFC 3986, section 3.3).
    var hasPlainPath: Bool { path.isVisibleASCII }

    /// Whether errors are wanted in the form of RFC 9457.
    var wantsProblem: Bool { headers[.accept]?.lowercased().contains("application/problem+json") ?? false }

    private static func sane(_ id: String?) -> String? {
        guard let id, WireLimits.requestIDCharacters.contains(id.utf8.count), id.isVisibleASCII else { return nil }
        return id
    }
}

extension String {
    /// Whether every character is one of ASCII that can be seen, so no space either.
    var isVisibleASCII: Bool { utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}
