internal import Crypto
internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes

/// The page behind a guest link, and its buttons. They act with the link alone: cookies and `Authorization` are ignored.
///
/// Only POST sends commands, so that previews and prefetching of links move no lock.
enum GuestPageRoutes {
    static let all: [Route] =
        [
            page(.get, "/g/:token", show), page(.post, "/g/:token/devices/:deviceId/:operation", move),
        ] + [GuestPageAssets.style, GuestPageAssets.script].map(\.route)

    private static func page(
        _ method: HTTPRequest.Method, _ path: String,
        _ handler: @escaping @Sendable (AnonymousRequest) async throws -> APIResponse
    ) -> Route {
        var route = Route.open(method, path, errorPage: { GuestPageView.message(for: $0, $1) }, handler)
        route.readsForm = true
        return route
    }

    // MARK: - GET

    private static func show(_ request: AnonymousRequest) async throws -> APIResponse {
        if let token = GuestLinks.cleanToken(of: request.text("token")) {
            return .redirection(302, to: "/g/\(token)").asPage(GuestPageAssets.page.policy)
        }
        guard let holder = try await holder(request) else { return GuestPageView.gone(request.metadata) }
        // Ignore any other part of the query: services that forward links add parameters to them.
        var query = QueryReader(request.metadata.query, errors: FieldErrors())
        let id = query.string("command").flatMap { CommandID($0) }
        let stored: StoredCommand? =
            if let id { try await request.control.guestLinks.command(id, of: holder.access.id) } else { nil }
        guard request.metadata.wantsJSON, id != nil else {
            return GuestPageView(holder, request.text("token"), request.services, command: stored?.command).response(200)
        }
        guard let stored else { return ErrorResponse.pathUnknown.answer(request.metadata) }
        let view = ProjectedRenderer(holder.caller.principal, control: request.control)
        return .success { writer in writer.field("command") { view.command(stored, into: &$0) } }
    }

    private static func holder(_ request: AnonymousRequest) async throws(GatewayError) -> GuestLinkHolder? {
        try await request.control.guestLinks.holder(of: Secret(request.text("token")), request.metadata.origin)
    }

    // MARK: - POST

    private static func move(_ request: AnonymousRequest) async throws -> APIResponse {
        guard let holder = try await holder(request),
            let operation = GuestButtons.words.first(where: { $0.path == request.text("operation") })?.operation,
            let digest = holder.caller.linkDigest
        else { return GuestPageView.gone(request.metadata) }
        let deviceID = request.text("deviceId")
        let commandRequest = CommandRequest(
            caller: holder.caller, deviceID: DeviceID(deviceID), attemptedID: deviceID, operation: operation,
            timeout: request.services.settings.commandTimeout)
        let button = GuestButton(linkDigest: digest, deviceID: deviceID, operation: operation)
        do {
            return try await send(commandRequest, button, holder, request)
        } catch let error as GatewayError {
            if case .internalFailure = error { throw error }
            guard !request.metadata.wantsJSON else { throw error }
            let response = ErrorResponse(error)
            // The link may have ended meanwhile.
            guard let current = try await self.holder(request) else { return GuestPageView.gone(request.metadata) }
            return GuestPageView(current, request.text("token"), request.services, error: error).response(response.status)
                .with(.retryAfter, response.headers[.retryAfter])
        }
    }

    private static func send(
        _ commandRequest: CommandRequest, _ button: GuestButton, _ holder: GuestLinkHolder, _ request: AnonymousRequest
    ) async throws -> APIResponse {
        let (control, nonces) = (request.control, request.services.guestNonces)
        guard case .string(let nonce) = request.body["nonce"], nonces.isValid(nonce, for: button, at: control.clock.now()) else {
            // A command that would be denied is denied with or without a nonce, and recorded.
            try await control.locks.requireAllowed(commandRequest)
            throw GatewayError.invalid("nonce", FieldProblemCode.malformed.rawValue)
        }
        let begun = try await control.locks.begin(
            commandRequest, repeatable: nonces.call(nonce, for: button, by: holder.caller.principal))
        guard request.metadata.wantsJSON else {
            return .redirection(303, to: "/g/\(request.text("token"))?command=\(begun.value.accepted.id)")
                .asPage(GuestPageAssets.page.policy)
        }
        let view = ProjectedRenderer(holder.caller.principal, control: control)
        guard !LockCommandRoutes.isAsynchronous(request.metadata) else {
            return LockCommandRoutes.accepted(begun.value.accepted, view, location: nil).addingReplayHeader(for: begun)
        }
        return LockCommandRoutes.answer(await begun.value.finished, view, request.metadata).addingReplayHeader(for: begun)
    }
}

extension RequestMetadata {
    /// Whether the client asks for JSON rather than for a page.
    var wantsJSON: Bool {
        guard let accept = headers[.accept]?.lowercased() else { return false }
        return (accept.contains("application/json") || accept.contains("application/problem+json"))
            && !accept.contains("text/html")
    }
}

/// The one-use nonces of the buttons on guest pages.
///
/// A nonce is not stored: it authenticates the link, the device, the operation and its own expiry with an HMAC. It is used once
/// because it is the idempotency key of its command, which outlives it: a second request with it gets the same command.
struct GuestNonces: Sendable {
    /// The time for which a rendered button can be used; shorter than the lifetime of idempotency keys.
    static let lifetime = Duration.seconds(3600)
    private static let (expiryBytes, randomBytes, tagBytes) = (8, 12, 16)

    private let key: SymmetricKey
    private let random: RandomSource

    init(key: SymmetricKey, random: RandomSource) { (self.key, self.random) = (key, random) }

    /// A new nonce for one button of a page.
    func nonce(for button: GuestButton, at now: Timestamp) -> String {
        let expiry = UInt64(bitPattern: now.advanced(by: Self.lifetime).milliseconds)
        let content = withUnsafeBytes(of: expiry.bigEndian, Array.init) + random.bytes(Self.randomBytes)
        return Base64URL.encode(content + tag(content, button))
    }

    /// Whether a nonce was issued for this button and has not expired.
    func isValid(_ nonce: String, for button: GuestButton, at now: Timestamp) -> Bool {
        guard nonce.utf8.count < 100, let bytes = Base64URL.decode(nonce.utf8),
            bytes.count == Self.expiryBytes + Self.randomBytes + Self.tagBytes
        else { return false }
        let content = Array(bytes.prefix(Self.expiryBytes + Self.randomBytes))
        let difference = zip(bytes.dropFirst(content.count), tag(content, button)).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
        let expiry = content.prefix(Self.expiryBytes).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return difference == 0 && now.milliseconds < Int64(bitPattern: expiry)
    }

    /// The idempotency key and fingerprint of the command that a nonce sends.
    func call(_ nonce: String, for button: GuestButton, by principal: Principal) -> IdempotentCall {
        IdempotentCall(
            key: IdempotencyKey(principal: principal.key, key: nonce),
            fingerprint: Array(HMAC<SHA256>.authenticationCode(for: button.bytes, using: key)))
    }

    private func tag(_ content: [UInt8], _ button: GuestButton) -> [UInt8] {
        Array(Array(HMAC<SHA256>.authenticationCode(for: button.bytes + content, using: key)).prefix(Self.tagBytes))
    }
}

/// A button of a guest page: an operation on a device, by the holder of one link.
struct GuestButton {
    /// The digest of the link's token.
    let linkDigest: [UInt8]
    /// The device's id as it is in the URL.
    let deviceID: String
    let operation: LockOperation

    /// An encoding without ambiguity: the digest has a fixed length, and no operation contains a zero byte.
    fileprivate var bytes: [UInt8] { linkDigest + Array(operation.rawValue.utf8) + [0] + Array(deviceID.utf8) + [0] }
}
