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
    /// When requests that have not begun are no longer carried out.
    private let deadline: MonotonicInstant

    /// The headers of the call that hold for each of its requests. No other header does: neither a cookie, nor a precondition on one
    /// object.
    private static let headers: [HTTPField.Name] = [.authorization, .accept, .prefer]

    /// - Parameter arrival: when the call arrived.
    init(
        _ responder: GatewayResponder, _ context: GatewayContext, of call: RequestMetadata, since arrival: MonotonicInstant
    ) {
        (self.responder, self.context, self.call) = (responder, context, call)
        deadline = arrival.advanced(by: .seconds(WireLimits.bulkSeconds))
    }

    /// Carries out a request, unless its turn comes too late. It has the credentials of the call: they are checked again, so that a session
    /// that ends meanwhile ends the requests that have not begun.
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
        guard responder.services.control.clock.monotonicNow() < deadline else {
            return BulkResult(ErrorResponse.notBegunInTime.answer(metadata))
        }
        let response = await responder.respond(
            toItem: Request(head: head, body: RequestBody(buffer: content)), context, metadata)
        let isRead = [.get, .head].contains(method)
        let share: BulkMemory.Share = isRead ? .reads : response.status == .created ? .creations : .changes
        if let result = await BulkResult(response, memory, share) { return result }
        // What the request did stands, so its status does, too.
        guard isRead else { return BulkResult(status: response.status.code) }
        return BulkResult(ErrorResponse(.invalid("limit", FieldProblemCode.pageTooLarge.rawValue)).answer(metadata))
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
    }

    let status: Int
    let body: Body

    init(status: Int, body: Body = .none) { (self.status, self.body) = (status, body) }

    /// A small response.
    init(_ answer: APIResponse) { self.init(status: answer.status, body: .json(answer.body)) }

    /// Keeps the body of a response. Returns `nil` for one that has no room, or that breaks off.
    init?(_ response: Response, _ memory: BulkMemory, _ share: BulkMemory.Share) async {
        let isText = response.headers[.contentType]?.hasPrefix("text/") ?? false
        // A byte of a text can be escaped as `\u000a`.
        let kept = KeptBody(memory, share, bytesOfOne: isText ? 6 : 1)
        guard (try? await response.body.write(KeptBody.Writer(body: kept))) != nil else {
            kept.drop()
            return nil
        }
        let bytes = kept.bytes
        self.init(status: response.status.code, body: bytes.isEmpty ? .none : isText ? .text(bytes) : .json(bytes))
    }
}

/// The memory for the response to one bulk. The response to each request has room of its own, which is enough for everything but a large
/// list, a large object or a large lockdown. What is larger shares the rest, and takes it while it arrives.
final class BulkMemory: Sendable {
    /// What shares memory beyond its own room.
    enum Share {
        case reads, changes
        /// Changes whose response can contain what no other one does. They always have room: a created object is not much larger than
        /// its request, and a bulk has `WireLimits.bulkBytes`.
        case creations
    }

    /// The bytes of a body that has room of its own.
    static let smallBytes = 32 * 1024
    /// The bytes that large responses of each kind share.
    static let sharedBytes = (reads: WireLimits.pageBytes, changes: 3 * 1024 * 1024)
    /// The part of `sharedBytes.changes` that only creations use.
    static let creationBytes = 8 * WireLimits.bulkBytes
    /// The bytes around a body, and around all of them.
    private static let frameBytes = 64

    private let rest = Mutex(sharedBytes)

    /// Maximum bytes of the response to a bulk of so many requests.
    static func bytes(of requests: Int) -> Int {
        requests * (smallBytes + frameBytes) + frameBytes + sharedBytes.reads + sharedBytes.changes
    }

    /// - Returns: whether there is room for so many shared bytes.
    func take(_ bytes: Int, of share: Share) -> Bool {
        rest.withLock { rest in
            let free =
                switch share {
                case .reads: rest.reads
                case .changes: rest.changes - Self.creationBytes
                case .creations: rest.changes
                }
            guard bytes <= free else { return bytes == 0 }
            Self.add(-bytes, share, to: &rest)
            return true
        }
    }

    func giveBack(_ bytes: Int, of share: Share) { rest.withLock { Self.add(bytes, share, to: &$0) } }

    private static func add(_ bytes: Int, _ share: Share, to rest: inout (reads: Int, changes: Int)) {
        switch share {
        case .reads: rest.reads += bytes
        case .changes, .creations: rest.changes += bytes
        }
    }
}

/// Receives the body of a response, as a connection would, and takes memory for it before it is kept.
private final class KeptBody: Sendable {
    struct TooLarge: Error {}

    struct Writer: ResponseBodyWriter {
        let body: KeptBody

        mutating func write(_ buffer: ByteBuffer) async throws { try body.keep(buffer) }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    private let memory: BulkMemory
    private let share: BulkMemory.Share
    /// The bytes of the bulk's response for each byte of the body.
    private let bytesOfOne: Int
    private let stored = Mutex<[UInt8]>([])

    init(_ memory: BulkMemory, _ share: BulkMemory.Share, bytesOfOne: Int) {
        (self.memory, self.share, self.bytesOfOne) = (memory, share, bytesOfOne)
    }

    var bytes: [UInt8] { stored.withLock { $0 } }

    private func keep(_ buffer: ByteBuffer) throws {
        try stored.withLock { bytes in
            let more = sharedBytes(bytes.count + buffer.readableBytes) - sharedBytes(bytes.count)
            guard memory.take(more, of: share) else { throw TooLarge() }
            bytes.append(contentsOf: buffer.readableBytesView)
        }
    }

    /// Drops what was kept, and gives its memory back.
    func drop() {
        stored.withLock { bytes in
            memory.giveBack(sharedBytes(bytes.count), of: share)
            bytes = []
        }
    }

    /// The bytes that a body of this size takes beyond its own room.
    private func sharedBytes(_ count: Int) -> Int { max(0, count * bytesOfOne - BulkMemory.smallBytes) }
}

/// The bulks in progress. Each keeps its responses until it ends, also after its client has gone.
final class RunningBulks: Sendable {
    private let counts = Mutex<[Principal: Int]>([:])

    /// Runs a bulk.
    ///
    /// - Throws: `.rateLimited` while too many are in progress; what `body` throws.
    func run<Value: Sendable>(for principal: Principal, _ body: () async throws -> Value) async throws -> Value {
        guard begin(principal) else { throw GatewayError.rateLimited(retryAfterSeconds: 5) }
        defer { end(principal) }
        return try await body()
    }

    private func begin(_ principal: Principal) -> Bool {
        let max = WireLimits.bulksInProgress
        return counts.withLock { counts in
            let (ofOne, inAll) = (counts[principal, default: 0], counts.values.reduce(0, +))
            guard ofOne < max.ofOne, inAll < max.inAll else { return false }
            counts[principal] = ofOne + 1
            return true
        }
    }

    private func end(_ principal: Principal) {
        counts.withLock { counts in
            let rest = counts[principal, default: 1] - 1
            counts[principal] = rest > 0 ? rest : nil
        }
    }
}
