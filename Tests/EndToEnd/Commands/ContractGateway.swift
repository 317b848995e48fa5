import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A server that gives the responses of the API contract for one small portfolio, whatever was asked before. It serves commands
/// whose calls cannot be prepared or repeated on a real gateway in every order, such as deletions.
final class ContractGateway: Sendable {
    static let portfolioID = "01990000-0000-7000-8000-00000000000a"
    static let propertyID = "01990000-0000-7000-8000-00000000000b"
    static let unitID = "01990000-0000-7000-8000-00000000000c"
    static let userID = "01990000-0000-7000-8000-00000000000d"
    static let lockID = "01990000-0000-7000-8000-00000000000e"
    static let keyID = "01990000-0000-7000-8000-00000000000f"
    static let sessionID = "01990000-0000-7000-8000-000000000010"

    let address: String
    private let received: Received
    private let channel: any NIOCore.Channel

    /// The requests that changed something, or would have, as `METHOD PATH BODY`.
    var changes: [String] { received.changes.withLock { $0 } }

    init() async throws {
        let received = Received()
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
                    try channel.pipeline.syncOperations.addHandler(ContractResponder(received))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        self.received = received
        address = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)"
    }

    deinit { channel.close(promise: nil) }

    fileprivate final class Received: Sendable {
        let changes = Mutex<[String]>([])
    }

    /// Returns status and body of a response.
    fileprivate static func respond(_ method: HTTPMethod, _ path: String, query: String) -> (Int, String) {
        let isDryRun = query.contains("dryRun=true")
        if method == .DELETE, path != "/properties/\(propertyID)/lockdown" {
            if path == "/properties/\(propertyID)", !query.contains("cascade=true") {
                return error(409, "has_dependents", "It contains other objects.", #"{"dependents":{"units":1,"devices":2}}"#)
            }
            return isDryRun ? data(#""preview":\#(preview)"#) : (204, "")
        }
        guard let members = responses["\(method) \(path)"] else {
            return error(404, "not_found", "There is no such path.", "{}")
        }
        return data(members)
    }

    private static func data(_ members: String) -> (Int, String) { (200, #"{"status":"success","data":{\#(members)}}"#) }

    private static func error(_ status: Int, _ code: String, _ message: String, _ details: String) -> (Int, String) {
        (
            status,
            #"{"status":"error","code":"\#(code)","message":"\#(message)","details":\#(details),"requestId":"r-1"}"#
        )
    }

    private static let time = #""2030-01-01T00:00:00.000Z""#
    private static let page = #""pagination":{"totalItems":1,"totalPages":1,"currentPage":1,"pageSize":200}"#
    private static let preview =
        #"{"removed":[{"type":"Unit","id":"\#(unitID)","name":"1A"}],"#
        + #""ended":[{"type":"UserRoleAssociation","id":"r"},{"type":"GuestAccess","id":"g"},"#
        + #"{"type":"LockDevice","id":"\#(lockID)"}]}"#
    private static let portfolio = #"{"id":"\#(portfolioID)","name":"Harbour","propertyIds":["\#(propertyID)"]}"#
    private static let property =
        #"{"id":"\#(propertyID)","name":"Quay 1","portfolioId":"\#(portfolioID)","unitIds":["\#(unitID)"],"#
        + #""defaultTimeZone":"Europe/Berlin","lockdown":{"active":false}}"#
    private static let unit = #"{"id":"\#(unitID)","name":"1A","propertyId":"\#(propertyID)","tenantUserIds":["\#(userID)"]}"#
    private static let user =
        #"{"id":"\#(userID)","firstName":"Tom","lastName":"Example","email":"tom@doors.example","isEnabled":true,"#
        + #""roleAssociations":[{"id":"r","userId":"\#(userID)","associatedEntityType":"UNIT","associatedEntityId":"\#(unitID)","#
        + #""roleWithinEntity":"TENANT","createdAt":\#(time),"updatedAt":\#(time)}]}"#
    private static let invitation =
        #""invitation":{"id":"i","email":"tom@doors.example","role":"TENANT","token":"k","#
        + #""url":"https://doors.example/invitation#token=k","expiresAt":\#(time)}"#
    private static let key =
        #"{"id":"\#(keyID)","name":"Display","entityType":"PROPERTY","entityId":"\#(propertyID)","role":"AUDITOR","#
        + #""userId":"\#(userID)","createdAt":\#(time),"expiresAt":\#(time)}"#
    private static let subscription =
        #""subscription":{"tier":"standard","modules":{"guestAccess":true,"complianceReport":false},"#
        + #""limits":{"maxUnits":5},"usage":{"properties":1,"units":1}}"#
    private static let result =
        #"{"deviceId":"\#(lockID)","command":{"id":"c","deviceId":"\#(lockID)","operation":"LOCK","state":"CONFIRMED"},"#
        + #""decision":null}"#

    /// The members of `data` for each request, by method and path.
    private static let responses = [
        "GET /portfolios": #""portfolios":[\#(portfolio)],\#(page)"#, "GET /properties": #""properties":[\#(property)],\#(page)"#,
        "GET /units": #""units":[\#(unit)],\#(page)"#, "GET /users": #""users":[\#(user)],\#(page)"#,
        "GET /devices": #""devices":[{"id":"\#(lockID)","name":"Front"}],\#(page)"#,
        "GET /units/\(unitID)/tenants": #""users":[\#(user)],\#(page)"#,
        "PUT /portfolios/\(portfolioID)": #""portfolio":{"id":"\#(portfolioID)","name":"Hills"}"#,
        "PUT /properties/\(propertyID)": #""property":{"id":"\#(propertyID)","name":"Quay 2"}"#,
        "PUT /units/\(unitID)": #""unit":{"id":"\#(unitID)","name":"1B"}"#,
        "POST /users": #""user":\#(user),\#(invitation)"#, "POST /units/\(unitID)/tenants": invitation,
        "GET /api-keys": #""apiKeys":[\#(key)],\#(page)"#, "POST /api-keys": #""apiKey":\#(key),"secret":"dw_secret""#,
        "GET /users/me/sessions":
            #""sessions":[{"id":"\#(sessionID)","createdAt":\#(time),"expiresAt":\#(time),"isCurrent":true}]"#,
        "GET /portfolios/\(portfolioID)/subscription": subscription, "PUT /portfolios/\(portfolioID)/subscription": subscription,
        "POST /properties/\(propertyID)/lockdown": #""property":\#(property),"results":[\#(result)]"#,
        "DELETE /properties/\(propertyID)/lockdown": #""property":\#(property)"#,
    ]
}

private final class ContractResponder: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let received: ContractGateway.Received
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()

    init(_ received: ContractGateway.Received) { self.received = received }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (self.head, body) = (head, ByteBuffer())
        case .body(var part): body.writeBuffer(&part)
        case .end:
            guard let head else { return }
            if head.method != .GET {
                let change = "\(head.method) \(head.uri.replacing("/api/v1", with: "")) \(String(buffer: body))"
                received.changes.withLock { $0.append(change) }
            }
            respond(to: head, context)
        }
    }

    private func respond(to request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let parts = request.uri.replacing("/api/v1", with: "").split(separator: "?", maxSplits: 1).map(String.init)
        let (status, text) = ContractGateway.respond(request.method, parts[0], query: parts.count > 1 ? parts[1] : "")
        var head = HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(statusCode: status))
        if status != 204 { head.headers.replaceOrAdd(name: "Content-Length", value: String(text.utf8.count)) }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !text.isEmpty { context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
