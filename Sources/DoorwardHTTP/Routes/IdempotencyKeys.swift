internal import Crypto
internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes

/// Reads `Idempotency-Key` and computes the fingerprint of its request.
struct IdempotencyKeys: Sendable {
    /// The gateway's HMAC key, so that stored fingerprints reveal nothing about a body.
    private let key: SymmetricKey

    init(key: SymmetricKey) { self.key = key }

    /// - Returns: `nil` for a request without a key.
    /// - Throws: `.invalid` for a key that is not 1 to 255 visible ASCII characters.
    func call(_ call: AuthenticatedRequest) throws(GatewayError) -> IdempotentCall? {
        guard let text = try Self.key(in: call.facts) else { return nil }
        return IdempotentCall(
            key: IdempotencyKey(principal: call.caller.principal.key, key: text), fingerprint: fingerprint(of: call))
    }

    /// Returns the idempotency key of a request; `nil` if the request has none. Every authenticated POST route checks the form of the
    /// key, also a route that stores no response.
    ///
    /// - Throws: `.invalid` for a key that is not 1 to 255 visible ASCII characters.
    static func key(in facts: RequestMetadata) throws(GatewayError) -> String? {
        guard let text = facts.headers[.idempotencyKey] else { return nil }
        guard WireLimits.idempotencyKeyCharacters.contains(text.utf8.count), text.isVisibleASCII else {
            throw .invalid("Idempotency-Key", FieldProblemCode.malformed.rawValue)
        }
        return text
    }

    /// HMAC-SHA-256 of method, path and body. Bodies that differ only in the order of keys have the same fingerprint.
    private func fingerprint(of call: AuthenticatedRequest) -> [UInt8] {
        var hmac = HMAC<SHA256>(key: key)
        var writer = JSONWriter()
        writer.array([call.facts.method.rawValue, call.facts.path]) { $1.write(into: &$0) }
        JSONValue.object(call.body).write(into: &writer)
        hmac.update(data: writer.bytes)
        return Array(hmac.finalize())
    }
}

extension AuthenticatedRequest {
    /// Creates an entity and responds with 201. A repeated request with the same key gets the entity that the first request
    /// created.
    ///
    /// - Parameters:
    ///   - make: calls the use case with the idempotency key; `nil` if the request has none.
    ///   - render: renders the created entity as the caller may see it.
    func create<Entity: Sendable>(
        _ make: (IdempotentCall?) async throws -> Answered<Entity>, render: (Entity, ProjectedRenderer) -> APIResponse
    ) async throws -> APIResponse {
        let made = try await make(try services.repeats.call(self))
        return render(made.value, view).marked(as: made)
    }
}

extension Principal {
    /// The text that identifies the principal in stored idempotency keys and in cursors.
    var key: String {
        switch self {
        case .user(let id): "user:\(id)"
        case .guestLink(let id): "guestLink:\(id)"
        case .apiKey(let id): "apiKey:\(id)"
        }
    }
}

extension APIResponse {
    /// Returns the same response; if it replays the response to an earlier request, adds the header that marks a replay.
    func marked<Value>(as answered: Answered<Value>) -> APIResponse {
        guard answered.isReplay else { return self }
        var answer = self
        answer.headers[.idempotentReplayed] = "true"
        return answer
    }
}
