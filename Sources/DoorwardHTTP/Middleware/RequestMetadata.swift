internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import HTTPTypes
package import Logging

/// The metadata of a request, read before any of it is checked. A class, so that passing it on retains one reference.
final class RequestMetadata: Sendable {
    let method: HTTPRequest.Method
    /// The path without the query, as sent: not decoded, any bytes. MUST NOT be compared unless `hasPlainPath`.
    let path: String
    /// The query as sent: not decoded, any bytes. `QueryReader` decodes it.
    let query: String?
    let headers: RequestHeaders
    /// The id that the client sent if it is valid, else a generated one.
    let requestID: String
    /// The origin for records. The client's address in it is that of the peer or, behind a trusted proxy, the forwarded one; `nil`
    /// if the transport has none.
    let origin: RequestOrigin
    /// The address of the peer.
    let peer: PeerAddress
    /// The trace that the request is part of, if it has a valid `traceparent`.
    let trace: TraceContext?
    /// The gateway's own span of the trace.
    private let span: String?

    /// The request that the current task handles, with which every log line of the request is marked; `nil` outside a request.
    @TaskLocal static var current: RequestMetadata?

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

    /// Whether the client asks for errors in the format of RFC 9457.
    var wantsProblem: Bool { headers[.accept]?.lowercased().contains("application/problem+json") ?? false }

    /// The log metadata: `request`; for a request that is part of a trace also `trace`, `span` (this gateway's own) and `parent` (the
    /// caller's). Created only for a line that is logged.
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

/// Adds the metadata of the request to the log lines of every module, as part of the program's logging system.
package enum RequestLogging {
    /// The metadata of the request that the current task handles; empty outside a request.
    package static let metadataProvider = Logger.MetadataProvider { RequestMetadata.current?.metadata ?? [:] }
}

extension String {
    /// Whether all characters are visible ASCII; a space is not.
    var isVisibleASCII: Bool { utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}
