import DoorwardDomain
import HTTPTypes
import HummingbirdTesting
import NIOCore

@testable import DoorwardHTTP

/// A response as a client receives it.
struct Reply: Sendable {
    let status: Int
    let headers: HTTPFields
    let bytes: [UInt8]
    let text: String
    /// `null` for an empty body, for plain text and for a compressed body.
    let json: JSONValue

    init(_ response: TestResponse) throws {
        status = response.status.code
        headers = response.headers
        bytes = Array(response.body.readableBytesView)
        text = String(decoding: bytes, as: UTF8.self)
        let isText = ["text/", "application/x-ndjson"].contains { [headers] in headers[.contentType]?.hasPrefix($0) == true }
        let isJSON = !bytes.isEmpty && !isText && headers[.contentEncoding] == nil
        json = !isJSON ? .null : try JSONParser<JSONValue>.parse(bytes, maxDepth: 40, rejectsMarks: true)
    }

    /// The response to a request of a bulk, as the bulk's response has it.
    init(_ result: JSONValue) {
        status = Int(result["status"].number ?? 0)
        headers = [:]
        json = result["body"].text == nil ? result["body"] : .null
        text = result["body"].text ?? (json == .null ? "" : "\(json)")
        bytes = Array(text.utf8)
    }

    var data: JSONValue { json["data"] }
    var code: String? { json["code"].text }
    var details: JSONValue { json["details"] }

    /// `details.fields` as `field: problem`.
    var problems: [String] {
        details["fields"].elements.map { "\($0["field"].text ?? "?"): \($0["problem"].text ?? "?")" }
    }

    /// The whole response without the request id, which is always different.
    var withoutRequestID: String {
        var fields = headers
        fields[.requestID] = nil
        let id = json["requestId"].text
        let kept = fields.map { "\($0.name): \($0.value)" }.sorted().joined(separator: "\n")
        return "\(status)\n\(kept)\n\(id.map { text.replacing($0, with: "ID") } ?? text)"
    }
}

extension JSONValue {
    /// A member of an object; `null` for any other value.
    subscript(_ key: String) -> JSONValue {
        if case .object(let members) = self { members[key] ?? .null } else { .null }
    }

    subscript(_ index: Int) -> JSONValue {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { .null }
    }

    var text: String? { if case .string(let text) = self { text } else { nil } }
    var number: Int64? { if case .integer(let number) = self { number } else { nil } }
    var flag: Bool? { if case .bool(let flag) = self { flag } else { nil } }
    var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
    var keys: Set<String> { if case .object(let members) = self { Set(members.keys) } else { [] } }
}
