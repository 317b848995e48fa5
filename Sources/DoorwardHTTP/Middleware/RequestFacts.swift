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
        clientAddress = proxies.client(peer: peer, forwardedFor: headers[.forwardedFor])
    }

    /// Whether errors are wanted in the form of RFC 9457.
    var wantsProblem: Bool { headers[.accept]?.lowercased().contains("application/problem+json") ?? false }

    /// The trace that the request is part of (W3C Trace Context, `traceparent`): 32 hexadecimal digits, not all zero.
    var traceID: String? {
        guard let parts = headers[.traceContext]?.split(separator: "-", omittingEmptySubsequences: false), parts.count >= 4,
            parts[0].count == 2, parts[1].count == 32, parts[2].count == 16,
            parts[1].allSatisfy({ $0.isHexDigit && !$0.isUppercase }), parts[1].contains(where: { $0 != "0" })
        else { return nil }
        return String(parts[1])
    }

    private static func sane(_ id: String?) -> String? {
        guard let id, WireLimits.requestIDCharacters.contains(id.utf8.count), id.isVisibleASCII else { return nil }
        return id
    }
}

extension String {
    /// Whether every character is one of ASCII that can be seen, so no space either.
    var isVisibleASCII: Bool { utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}
