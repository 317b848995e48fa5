internal import HTTPTypes
internal import Hummingbird
internal import Logging

/// The first to see a request: gives it its id, finds its endpoint, and puts the id on the answer.
struct GatewayResponder: HTTPResponder {
    let router: RouterResponder<GatewayContext>
    let services: Services

    func respond(to request: Request, context: GatewayContext) async -> Response {
        let facts = RequestFacts(request.head, peer: context.peer, proxies: services.proxies)
        var context = context
        context.facts = facts
        let scope = RequestScope(facts)
        for (key, value) in scope.metadata { context.logger[metadataKey: key] = value }
        // The server's own number for the request: one request, one id.
        context.logger[metadataKey: "hb.request.id"] = nil
        var response = await RequestScope.$current.withValue(scope) { await answered(request, context, facts) }
        response.headers[.requestID] = facts.requestID
        return response
    }

    private func answered(_ request: Request, _ context: GatewayContext, _ facts: RequestFacts) async -> Response {
        do {
            return try await router.respond(to: request.withCommonMethod, context: context)
        } catch {
            context.logger.error("the router failed", metadata: ["error": "\(error)"])
            return ErrorAnswer.internal.answer(facts).response()
        }
    }
}

extension Request {
    /// The router knows paths by the common methods; any other is answered as OPTIONS is, which no path takes.
    fileprivate var withCommonMethod: Request {
        guard !RouteTable.commonMethods.contains(method) else { return self }
        var head = head
        head.method = .options
        return Request(head: head, body: body)
    }
}

/// Answers for every path that no endpoint has.
struct UnknownPath: RouterMiddleware {
    private let log: RequestLog

    init(_ log: RequestLog) { self.log = log }

    func handle(
        _ request: Request, context: GatewayContext, next: (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        guard let facts = context.facts else { return try await next(request, context) }
        log.end(404, since: log.begin(), facts, context)
        return ErrorAnswer.pathUnknown.answer(facts).response()
    }
}
