internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// Carries out the requests of one bulk by the same endpoints as requests that are sent by themselves. A class, so that a request that is
/// no bulk has room for one reference only.
final class BulkDispatcher: Sendable {
    /// Responds with `BulkRoutes.items`.
    private let responder: GatewayResponder
    /// The context of the call.
    private let context: GatewayContext
    /// The metadata of the call.
    private let call: RequestMetadata

    /// The headers of the call that hold for each of its requests. No other header does: neither a cookie, nor a precondition on one
    /// object.
    private static let headers: [HTTPField.Name] = [.authorization, .accept, .prefer]

    init(_ responder: GatewayResponder, _ context: GatewayContext, of call: RequestMetadata) {
        (self.responder, self.context, self.call) = (responder, context, call)
    }

    /// Carries out a request, with the credentials of the call: they are checked again, so that a session that ends meanwhile ends the
    /// requests that have not begun.
    ///
    /// - Parameter number: the position in the bulk, from 0.
    func result(of item: BulkItem, _ number: Int, _ memory: BulkMemory) async -> BulkResult {
        var fields = HTTPFields()
        for name in Self.headers { fields[name] = call.headers[name] }
        fields[.idempotencyKey] = item.idempotencyKey
        var content = ByteBuffer()
        if let body = item.body {
            var writer = JSONWriter()
            body.write(into: &writer)
            content.writeBytes(writer.bytes)
            (fields[.contentType], fields[.contentLength]) = ("application/json", "\(writer.bytes.count)")
        }
        // A text that is no method gets the response for a method that no path supports.
        let method = HTTPRequest.Method(item.method) ?? .options
        let head = HTTPRequest(method: method, scheme: nil, authority: call.authority, path: item.target, headerFields: fields)
        let metadata = RequestMetadata(head, number: number, of: call)
        let response = await responder.respond(
            toItem: Request(head: head, body: RequestBody(buffer: content)), context, metadata)
        if let result = await BulkResult(response), memory.take(result.body.count) { return result }
        // What the request did stands, so its status does, too.
        guard method == .get else { return BulkResult(status: response.status.code, body: .none) }
        let error = ErrorResponse(.invalid("limit", FieldProblemCode.pageTooLarge.rawValue)).answer(metadata)
        return BulkResult(status: error.status, body: .json(error.body))
    }
}

/// The response to a request of a bulk.
struct BulkResult: Sendable {
    enum Body: Sendable {
        /// No body, or one that has no room; then the request is not a GET request.
        case none
        case json([UInt8])
        /// A body of plain text, which is a JSON string in the response to the bulk.
        case text([UInt8])

        func write(into writer: inout JSONWriter) {
            switch self {
            case .none: writer.null()
            case .json(let bytes): writer.rendered(bytes)
            // A text that the gateway itself has written: it is stream-safe.
            case .text(let bytes): writer.string(String(decoding: bytes, as: UTF8.self))
            }
        }

        /// The number of bytes.
        var count: Int {
            switch self {
            case .none: 0
            case .json(let bytes), .text(let bytes): bytes.count
            }
        }
    }

    let status: Int
    let body: Body

    init(status: Int, body: Body) { (self.status, self.body) = (status, body) }

    /// Keeps the body of a response. Returns `nil` for one with more than `BulkMemory.maxBytes`, or that breaks off.
    init?(_ response: Response) async {
        let kept = KeptBody()
        guard (try? await response.body.write(KeptBody.Writer(body: kept))) != nil else { return nil }
        let bytes = kept.bytes
        let isText = response.headers[.contentType]?.hasPrefix("text/") ?? false
        self.init(status: response.status.code, body: bytes.isEmpty ? .none : isText ? .text(bytes) : .json(bytes))
    }
}

/// The memory for the bodies of the responses of one bulk. Each has room for what every response but a large list or a large lockdown
/// needs; the large ones share the rest.
final class BulkMemory: Sendable {
    /// The bytes of a body that are not counted.
    static let smallBytes = 32 * 1024
    /// Maximum bytes of all counted bodies, and of one body.
    static let maxBytes = WireLimits.pageBytes + smallBytes

    private let rest = Mutex(maxBytes)

    /// - Returns: whether there is room for a body with so many bytes.
    func take(_ bytes: Int) -> Bool {
        guard bytes > Self.smallBytes else { return true }
        return rest.withLock { rest in
            guard bytes <= rest else { return false }
            rest -= bytes
            return true
        }
    }
}

/// Receives the body of a response, as a connection would.
private final class KeptBody: Sendable {
    struct TooLarge: Error {}

    struct Writer: ResponseBodyWriter {
        let body: KeptBody

        mutating func write(_ buffer: ByteBuffer) async throws {
            try body.stored.withLock { bytes in
                guard bytes.count + buffer.readableBytes <= BulkMemory.maxBytes else { throw TooLarge() }
                bytes.append(contentsOf: buffer.readableBytesView)
            }
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    private let stored = Mutex<[UInt8]>([])
    var bytes: [UInt8] { stored.withLock { $0 } }
}
