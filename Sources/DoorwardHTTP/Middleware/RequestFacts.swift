internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import HTTPTypes
package import Logging

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
    /// The address is the one behind the trusted proxies; `nil` where the transport has none.
    let origin: RequestOrigin
    /// The address at the other end of the connection.
    let peer: PeerAddress
    /// The trace that the request is part of, if it says so.
    let trace: TraceContext?
    /// The gateway's own span of the trace.
    private let span: String?

    /// The request that a task works for, so that every line which is logged on its way says which one it was; `nil` outside a
    /// request.
    @TaskLocal static var current: RequestFacts?

    init(_ head: HTTPRequest, peer: PeerAddress, proxies: TrustedProxies, random: RandomSource) {
        let target = (head.path ?? "/").utf8.split(
            separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        method = head.method
        path = String(Substring(target[0]))
        query = target.count > 1 ? String(Substring(target[1].prefix { $0 != UInt8(ascii: "#") })) : nil
        headers = RequestHeaders(head.headerFields)
        requestID = Self.sane(headers[.requestID]) ?? random.hexadecimal(byteCount: 16)
        let source: RecordSource =
            switch headers[.doorwardClient] {
            case "cli": .cli
            case "console": .console
            default: .api
            }
        let clientAddress = proxies.client(peer: peer, forwardedFor: headers[.forwardedFor])
        origin = RequestOrigin(source: source, clientAddress: clientAddress, requestID: requestID)
        self.peer = peer
        trace = TraceContext(head.headerFields)
        span = trace.map { _ in TraceContext.newSpanID(random) }
    }

    /// Whether the path is visible ASCII, as every path of the API is (RFC 3986, section 3.3).
    var hasPlainPath: Bool { path.isVisibleASCII }

    /// Whether errors are wanted in the form of RFC 9457.
    var wantsProblem: Bool { headers[.accept]?.lowercased().contains("application/problem+json") ?? false }

    /// `request`; and of a request that is part of a trace, `trace`, `span` (this gateway's own) and `parent` (the caller's).
    /// Made only for a line that is logged.
    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["request": .string(requestID)]
        if let trace, let span {
            metadata["trace"] = .string(trace.traceID)
            metadata["parent"] = .string(trace.parentID)
            metadata["span"] = .string(span)
        }
        return metadata
    }

    private static func sane(_ id: String?) -> String? {
        guard let id, WireLimits.requestIDCharacters.contains(id.utf8.count), id.isVisibleASCII else { return nil }
        return id
    }
}

/// For the logging system of the program: adds the request to the lines of every module.
package enum RequestLogging {
    /// The metadata of the request that the task works for; empty outside a request.
    package static let metadataProvider = Logger.MetadataProvider { RequestFacts.current?.metadata ?? [:] }
}

extension String {
    /// Whether every character is one of ASCII that can be seen, so no space either.
    var isVisibleASCII: Bool { utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}
