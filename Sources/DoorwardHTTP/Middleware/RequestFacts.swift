internal import DoorwardAPI
internal import DoorwardDomain
internal import HTTPTypes

/// What is known of a request before anything of it is judged.
struct RequestFacts: Sendable {
    let method: HTTPRequest.Method
    /// The path without the query, as it was sent.
    let path: String
    let query: String?
    let headers: HTTPFields
    /// The caller's own id if it sent a sane one.
    let requestID: String
    let source: RecordSource
    /// The address of whoever is behind the trusted proxies; `nil` where the transport has none.
    let clientAddress: String?
    /// The address at the other end of the connection, without its port; `nil` where the transport has none.
    let peer: String?
    /// The trace that the request is part of, if it says so.
    let trace: TraceContext?

    init(_ head: HTTPRequest, peer: String?, proxies: TrustedProxies) {
        let target = (head.path ?? "/").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        method = head.method
        path = String(target[0])
        query = target.count > 1 ? String(target[1].prefix { $0 != "#" }) : nil
        headers = head.headerFields
        requestID = Self.sane(headers[.requestID]) ?? RandomToken.hexadecimal()
        source =
            switch headers[.doorwardClient] {
            case "cli": .cli
            case "console": .console
            default: .api
            }
        self.peer = peer
        trace = TraceContext(headers)
        clientAddress = proxies.client(peer: peer, forwardedFor: headers[.forwardedFor])
    }

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
