internal import Crypto
internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes

/// Reads `Idempotency-Key` and makes the fingerprint of what it was sent with.
struct Repeats: Sendable {
    /// Of the gateway, so that what is kept tells nobody anything about a body.
    private let key: SymmetricKey

    init(key: SymmetricKey) { self.key = key }

    /// - Parameter render: the answer as a repeat gets it.
    /// - Returns: `nil` for a call without a key.
    /// - Throws: `.invalid` for a key that is not 1 to 255 visible ASCII characters.
    func call<Value>(
        _ call: Call, render: @escaping @Sendable (Value, TenancyDirectory) -> Answer
    ) throws(GatewayError) -> IdempotentCall<Value>? {
        guard let text = call.facts.headers[.idempotencyKey] else { return nil }
        guard WireLimits.idempotencyKeyCharacters.contains(text.utf8.count), text.isVisibleASCII else {
            throw .invalid("Idempotency-Key", FieldProblemWord.malformed.rawValue)
        }
        return IdempotentCall(
            key: IdempotencyKey(principal: "user:\(call.caller.userID)", key: text), fingerprint: fingerprint(of: call),
            render: { value, tenancy in render(value, tenancy).stored })
    }

    /// HMAC-SHA-256 of method, path and body; bodies that say the same in another order of keys are the same.
    private func fingerprint(of call: Call) -> [UInt8] {
        var hmac = HMAC<SHA256>(key: key)
        var writer = JSONWriter()
        writer.array([call.facts.method.rawValue, call.facts.path]) { $1.write(into: &$0) }
        JSONValue.object(call.body).write(into: &writer)
        hmac.update(data: writer.bytes)
        return Array(hmac.finalize())
    }
}

extension Call {
    /// Makes something and answers 201; a repeat of the call with the same key gets the answer of the first.
    ///
    /// - Parameters:
    ///   - make: hands the repeatable call to the use case; `nil` where the request names no key.
    ///   - render: the answer, as the caller may see what was made.
    func create<Entity: Sendable>(
        _ make: (IdempotentCall<Entity>?) async throws -> Answered<Entity>,
        render: @escaping @Sendable (Entity, View) -> Answer
    ) async throws -> Answer {
        let repeatable = try exchange.services.repeats.call(self) { (entity: Entity, tenancy) in
            render(entity, view(in: tenancy))
        }
        return try await make(repeatable).answer(self) { render($0, view) }
    }
}

extension Answered {
    /// The answer to give: `render`ed for a first call, the kept one for a repeat.
    func answer(_ call: Call, _ render: (Value) -> Answer) -> Answer {
        switch self {
        case .fresh(let value): render(value)
        case .replayed(let stored): Answer(replaying: stored, to: call.facts)
        }
    }
}
