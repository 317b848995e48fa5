internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Reads the body of a request, up to its limit, and parses it as one JSON object.
enum BodyCollector {
    /// The reason for which a body is rejected before it is parsed as JSON.
    enum BodyError: Error {
        case tooLarge
        case notJSONType

        var error: ErrorResponse {
            switch self {
            case .tooLarge: .payloadTooLarge
            case .notJSONType: .unsupportedMediaType
            }
        }

        /// The error of a route that reads a form.
        var formError: ErrorResponse {
            switch self {
            case .tooLarge: .payloadTooLarge
            case .notJSONType: .formExpected
            }
        }
    }

    /// The body of a request. An absent body is an empty object.
    ///
    /// - Throws: `BodyError`, or `GatewayError.invalid` for a body that is not a JSON object.
    static func body(of request: Request) async throws -> [String: JSONValue] {
        guard let content = try await bytes(of: request, where: isJSON) else { return [:] }
        return try object(content)
    }

    /// The fields of a form. An absent body has none.
    ///
    /// - Throws: `BodyError`, or `GatewayError.invalid` for a body that is not the encoding of a form.
    static func form(of request: Request) async throws -> [String: JSONValue] {
        guard let content = try await bytes(of: request, where: isForm) else { return [:] }
        let mistakes = FieldErrors()
        // The reader decodes the fields, and rejects texts that are not stream-safe.
        let reader = QueryReader(String(decoding: content, as: UTF8.self), mistakes: mistakes)
        reader.rejectRepetitions()
        let fields = reader.allItems
        try mistakes.finish()
        return fields.mapValues { .string($0) }
    }

    /// The bytes of a body with a media type that `isExpected` accepts; `nil` if there is no body.
    private static func bytes(of request: Request, where isExpected: (String?) -> Bool) async throws -> [UInt8]? {
        let headers = RequestHeaders(request.headers)
        let declared = headers[.contentLength].flatMap { Int($0) }
        // A request with neither Content-Length nor Transfer-Encoding has no body (RFC 9112, section 6.3).
        if declared == 0 || (declared == nil && headers[.transferEncoding] == nil) { return nil }
        if let declared, declared > WireLimits.bodyBytes { throw BodyError.tooLarge }
        let bytes = try await collect(request)
        // If the connection closes early, Hummingbird ends the body without an error. A body shorter than its Content-Length is
        // rejected here.
        if let declared, bytes.count < declared { throw GatewayError.invalid("body", FieldProblemCode.notJSON.rawValue) }
        guard !bytes.isEmpty else { return nil }
        guard isExpected(headers[.contentType]) else { throw BodyError.notJSONType }
        return bytes
    }

    private static func collect(_ request: Request) async throws -> [UInt8] {
        do {
            let buffer = try await request.body.collect(upTo: WireLimits.bodyBytes)
            return Array(buffer.readableBytesView)
        } catch is NIOTooManyBytesError {
            throw BodyError.tooLarge
        } catch {
            // The connection ended, or the framing broke, before the body was complete.
            throw GatewayError.invalid("body", FieldProblemCode.notJSON.rawValue)
        }
    }

    private static func isJSON(_ contentType: String?) -> Bool { isUTF8(contentType, "application/json") }

    private static func isForm(_ contentType: String?) -> Bool { isUTF8(contentType, "application/x-www-form-urlencoded") }

    private static func isUTF8(_ contentType: String?, _ type: String) -> Bool {
        guard let contentType else { return false }
        let parts = contentType.lowercased().split(separator: ";").map { String($0).trimmed }
        guard parts.first == type else { return false }
        return parts.dropFirst().allSatisfy { !$0.hasPrefix("charset=") || $0 == "charset=utf-8" || $0 == "charset=\"utf-8\"" }
    }

    private static func object(_ bytes: [UInt8]) throws(GatewayError) -> [String: JSONValue] {
        let value: JSONValue
        do throws(JSONFailure) {
            value = try JSONValue.parse(bytes)
        } catch {
            switch error {
            case .notJSON: throw .invalid("body", FieldProblemCode.notJSON.rawValue)
            case .tooManyMarks: throw .invalid("body", FieldProblemCode.tooManyMarks.rawValue)
            case .duplicateKey(let key): throw .invalid(key.truncated(toBytes: 64), FieldProblemCode.duplicateKey.rawValue)
            }
        }
        guard case .object(let members) = value else { throw .invalid("body", FieldProblemCode.wrongType.rawValue) }
        return members
    }
}
