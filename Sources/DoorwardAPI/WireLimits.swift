/// How much a request may hold. What is beyond is refused before it costs anything.
package enum WireLimits {
    /// Bytes of a body; more is 413.
    package static let bodyBytes = 64 * 1024
    /// Characters of a name, a label, a manufacturer or a model, after trimming.
    package static let nameCharacters = 200
    /// Characters of a stated reason.
    package static let reasonCharacters = 500
    /// Bytes of an email address (RFC 5321, section 4.5.3.1.3, without the angle brackets).
    package static let emailBytes = 254
    /// Bytes of a device's `address`, and of its `metadata`, as JSON without white space.
    package static let freeObjectBytes = 8 * 1024
    /// Elements of a list of ids in a body.
    package static let listElements = 200
    /// Milliseconds that a command may take.
    package static let timeoutMs = 100...60_000
    /// Items of a page.
    package static let pageSize = 1...200
    /// Items of a page where the request names no `limit`.
    package static let defaultPageSize = 20
    /// Bytes of a page's items: a page of access records ends sooner for them, any other that has more is refused.
    package static let pageBytes = 4 * 1024 * 1024
    /// Access records of a page.
    package static let recordPageSize = 1...500
    /// Access records of a page where the request names no `limit`.
    package static let defaultRecordPageSize = 50
    /// Characters of an `Idempotency-Key`.
    package static let idempotencyKeyCharacters = 1...255
    /// Characters of an `X-Request-Id`; another is replaced by one that the gateway makes.
    package static let requestIDCharacters = 1...128
}
