internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes

/// Several requests in one call. Each is carried out as if it had been sent by itself: with its own checks, decision, records and
/// response.
enum BulkRoutes {
    /// The path of a bulk.
    static let path = "/api/v1/bulk"
    static let all: [Route] = [route]

    private static let route: Route = {
        var route = Route.post(
            "/bulk",
            """
            Carries out at most 200 requests of this API, each as if it had been sent by itself, and lists their responses in the order of \
            the requests. A request begins when the earlier ones have begun, and at most 16 are in progress. Commands to different locks \
            do not wait for each other, and neither do GET requests; every other request waits until the earlier ones have ended. One that \
            has not begun after 60 s is not carried out: `not_sent_in_time`. A repeated bulk is carried out again: give each command its own \
            `idempotencyKey`. Streams, exports, reports, sign-ins, changes and resets of passwords, and other bulks are refused.
            """, .data(["results": .array(result, maxItems: WireLimits.bulkRequests)]), answer)
        route.maxBodyBytes = WireLimits.bulkBytes
        route.description?.passesPreference = true
        return route
    }()

    /// A body is the one that the request gets by itself: an object, or a text; `null` for none.
    private static let result = JSONSchema.fields([
        "status": .integer(in: 200...599), "body": .nullable(.oneOf([.map(.any), .string()])),
    ])

    private static func answer(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let items = try request.readBody { body in
            let items = body.require("requests", body.objects("requests", maxItems: WireLimits.bulkRequests) { BulkItem(&$0) })
            if items?.isEmpty == true, body.errors.problems.isEmpty { body.reject("requests", .empty) }
            return items ?? []
        }
        try request.control.portfolios.requireBulkOperations(for: request.caller)
        guard let bulk = request.bulk else { throw GatewayError.internalFailure("the endpoint of bulks has no dispatcher") }
        let (services, principal) = (request.services, request.caller.principal)
        return try await services.runningBulks.run(for: principal) {
            // Reserved before the first request, so that the response cannot be refused after the last.
            guard let memory = services.responseMemory.reserve(BulkMemory.bytes(of: items.count), for: principal) else {
                throw GatewayError.unavailable
            }
            let results = await run(items, bulk)
            var answer = APIResponse.success { writer in
                writer.objects("results", results) { writer, result in
                    writer.field("status", result.status)
                    writer.field("body") { result.body.write(into: &$0) }
                }
            }
            answer.reservation = memory
            return answer
        }
    }

    /// Carries out the requests, and returns their responses in the same order. They begin in this order: one that has to wait makes
    /// those after it wait, too.
    private static func run(_ items: [BulkItem], _ bulk: BulkDispatcher) async -> [BulkResult] {
        let memory = BulkMemory()
        return await withTaskGroup(of: (Int, BulkResult).self) { group in
            var results: [Int: BulkResult] = [:]
            var running: Set<Int> = []
            for (number, item) in items.enumerated() {
                while running.count >= WireLimits.bulkAtOnce || running.contains(where: { item.waits(for: items[$0]) }) {
                    guard let (ended, result) = await group.next() else { break }
                    running.remove(ended)
                    results[ended] = result
                }
                running.insert(number)
                group.addTask { (number, await bulk.result(of: item, number, memory)) }
            }
            for await (ended, result) in group { results[ended] = result }
            return items.indices.compactMap { results[$0] }
        }
    }

    // MARK: - What a bulk can contain

    /// Routes with a sign-in whose requests are sent by themselves: they take a password, issue what replaces one, concern a stream, or
    /// are the bulk itself. A bulk must not be a way around the limits on guesses.
    static let separate: Set<String> = [
        path, "/api/v1/users/me/password", "/api/v1/users/me/recovery-codes", "/api/v1/users/:id/password-reset",
        "/api/v1/stream/:streamId/subscriptions/:name",
    ]

    /// The routes for the requests of a bulk: those of the API. One that a bulk cannot contain refuses each request.
    static func items(of routes: [Route]) -> [Route] {
        routes.filter { $0.path.hasPrefix(BulkItem.prefix) }.map { route in
            guard !isItem(route) else { return route }
            return .open(route.method, route.path) { _ in
                throw GatewayError.invalid("path", FieldProblemCode.notInBulk.rawValue)
            }
        }
    }

    /// Whether a bulk can contain requests of a route: not if it needs no sign-in, as the sign-in itself, or answers with a file or a
    /// stream.
    static func isItem(_ route: Route) -> Bool {
        guard case .signedIn = route.handler, !separate.contains(route.path) else { return false }
        return route.description?.answers.allSatisfy { $0.mediaTypes.allSatisfy { $0 == "text/plain" } } ?? false
    }

    /// The paths of commands to one lock, with `:id` for the id of the lock.
    static let commandPaths = Set(RouteTable.routes.filter { $0.description?.sendsCommand == true }.map(\.path))
}

/// A request of a bulk.
struct BulkItem: Sendable {
    /// What the paths of the API begin with. A path of a bulk can leave it out.
    static let prefix = "/api/v1/"

    /// When a request begins.
    private enum Turn: Hashable {
        /// Beside other reads.
        case read
        /// Beside commands to other locks.
        case command(DeviceID)
        /// After all earlier requests have ended.
        case change
    }

    /// The method, exactly as sent.
    let method: String
    /// The path with its query, from `/api/v1/`; `/` for a text that cannot be in a request, so that no route has it.
    let target: String
    /// `nil` for a request without a body.
    let body: JSONValue?
    let idempotencyKey: String?
    private let turn: Turn

    init(_ reader: inout BodyReader) {
        method = reader.require("method", reader.string("method")) ?? ""
        let path = reader.require("path", reader.string("path", StringSchema(maxLength: WireLimits.bulkPathBytes))) ?? ""
        if path.utf8.count > WireLimits.bulkPathBytes { reader.reject("path", .tooLong) }
        body = reader.value("body", as: .map(.any))
        idempotencyKey = reader.string("idempotencyKey", IdempotencyKeys.schema)
        if let key = idempotencyKey, !IdempotencyKeys.isKey(key) { reader.reject("idempotencyKey", .malformed) }
        let isSendable = path.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
        target = !isSendable ? "/" : path.hasPrefix(Self.prefix) ? path : Self.prefix.dropLast() + path
        turn = Self.turn(method, target)
    }

    /// Only an id that is written as in every response names a lock here; any other request is one that waits for all.
    private static func turn(_ method: String, _ target: String) -> Turn {
        if ["GET", "HEAD"].contains(method) { return .read }
        var parts = target.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let place = 4
        guard parts.indices.contains(place), let device = DeviceID(parts[place]) else { return .change }
        parts[place] = ":id"
        return BulkRoutes.commandPaths.contains(parts.joined(separator: "/")) ? .command(device) : .change
    }

    /// Whether this request begins only after an earlier one has ended. Two requests with one idempotency key wait for each other, so that
    /// the first is the one whose response is stored.
    func waits(for earlier: BulkItem) -> Bool {
        if let idempotencyKey, idempotencyKey == earlier.idempotencyKey { return true }
        return switch (turn, earlier.turn) {
        case (.read, .read): false
        case (.command(let device), .command(let other)): device == other
        default: true
        }
    }
}
