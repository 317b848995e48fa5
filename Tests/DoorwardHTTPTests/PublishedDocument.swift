import DoorwardDomain
import HTTPTypes
import Synchronization
import Testing

@testable import DoorwardHTTP

/// The OpenAPI document as a client reads it, which every response of the tests is compared with.
struct PublishedDocument: Sendable {
    let json: JSONValue
    /// Read once, as every response of the tests is looked up here.
    let operations: [Operation]

    init(json: JSONValue) {
        self.json = json
        operations = json["paths"].members.flatMap { path, operations in
            operations.members.map { Operation(method: $0.uppercased(), path: path, json: $1) }
        }
    }

    /// The document, which is the same for all gateways of these tests.
    private static let published = Mutex<PublishedDocument?>(nil)

    /// - Parameter read: requests the document from a gateway; called for the first response only.
    static func shared(_ read: () async throws -> JSONValue) async throws -> PublishedDocument {
        if let document = published.withLock({ $0 }) { return document }
        let document = PublishedDocument(json: try await read())
        published.withLock { $0 = document }
        return document
    }

    /// An operation with its method and path.
    struct Operation: Sendable {
        let method: String
        let path: String
        let json: JSONValue
        /// The parts of the path between slashes.
        let parts: [Substring]

        init(method: String, path: String, json: JSONValue) {
            (self.method, self.path, self.json) = (method, path, json)
            parts = path.split(separator: "/", omittingEmptySubsequences: false)
        }
    }

    /// The operation of a request; `nil` if the document has none.
    ///
    /// - Parameter path: the path with or without a query.
    func operation(_ method: String, _ path: String) -> Operation? {
        let parts = path.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        let matching = operations.filter { operation in
            operation.method == method && operation.parts.count == parts.count
                && zip(operation.parts, parts).allSatisfy { $0.hasPrefix("{") && !$1.isEmpty || $0 == $1 }
        }
        // A path without parameters precedes one with them, as in the router.
        return matching.min { $0.path.count { $0 == "{" } < $1.path.count { $0 == "{" } }
    }

    /// How a response differs from the document, one sentence each; empty if the document has no such operation.
    func differences(_ method: HTTPRequest.Method, _ path: String, _ reply: Reply) -> [String] {
        // The responses to a method that a path does not have, and to a path that no operation has, are not of an operation.
        guard let operation = operation(method.rawValue, path), reply.status != 405 else { return [] }
        // A body is rejected for its size and type before the operation is known to have none.
        if [413, 415].contains(reply.status), operation.json["requestBody"] == .null { return [] }
        let response = resolved(operation.json["responses"]["\(reply.status)"])
        guard response != .null else { return ["status \(reply.status) is not documented"] }
        for name in response["headers"].keys where HTTPField.Name(name).map({ reply.headers[$0] == nil }) ?? true {
            return ["the header \(name) is missing"]
        }
        guard reply.headers[.contentType]?.hasPrefix("application/problem+json") != true else { return [] }
        let mediaTypes = response["content"].keys.subtracting(["application/json", "application/problem+json"])
        if !mediaTypes.isEmpty {
            let type = reply.headers[.contentType] ?? ""
            return mediaTypes.contains { type == $0 || type.hasPrefix($0 + "; charset=utf-8") }
                ? [] : ["the media type is \(type)"]
        }
        let schema = response["content"]["application/json"]["schema"]
        if schema == .null { return reply.text.isEmpty ? [] : ["the response has a body"] }
        return problems(of: reply.json, schema)
    }

    // MARK: - JSON Schema

    func resolved(_ schema: JSONValue) -> JSONValue {
        guard let reference = schema["$ref"].text else { return schema }
        return reference.split(separator: "/").dropFirst().reduce(json) { $0[String($1)] }
    }

    /// How a value differs from a schema, with the keywords that the document uses. `pattern` is left out.
    func problems(of value: JSONValue, _ schema: JSONValue, at path: String = "") -> [String] {
        let schema = resolved(schema)
        for keyword in ["oneOf", "anyOf"] where schema[keyword] != .null {
            let results = schema[keyword].elements.map { problems(of: value, $0, at: path) }
            let fitting = results.count(where: \.isEmpty)
            if keyword == "oneOf" ? fitting == 1 : fitting > 0 { return [] }
            return ["\(path): \(fitting) forms fit: \(results)"]
        }
        let types = schema["type"].text.map { [$0] } ?? schema["type"].elements.compactMap(\.text)
        if !types.isEmpty, !types.contains(where: { value.hasType($0) }) {
            return ["\(path): \(value) instead of \(types.joined(separator: " or "))"]
        }
        if schema["enum"] != .null, !schema["enum"].elements.contains(value) { return ["\(path): \(value) is not listed"] }
        switch value {
        case .object(let members): return problems(of: members, schema, at: path)
        case .array(let elements):
            if let max = schema["maxItems"].number, elements.count > max { return ["\(path): \(elements.count) elements"] }
            return elements.indices.flatMap { problems(of: elements[$0], schema["items"], at: "\(path)[\($0)]") }
        case .string(let text): return problems(of: text, schema, at: path)
        case .integer(let number):
            let isWithin = (schema["minimum"].number ?? .min)...(schema["maximum"].number ?? .max) ~= number
            return isWithin ? [] : ["\(path): \(number) is out of range"]
        default: return []
        }
    }

    private func problems(of members: [String: JSONValue], _ schema: JSONValue, at path: String) -> [String] {
        let properties = schema["properties"].members
        let missing = schema["required"].elements.compactMap(\.text).filter { members[$0] == nil }.map {
            "\(path).\($0): missing"
        }
        return missing
            + members.flatMap { name, value -> [String] in
                if let property = properties[name] { return problems(of: value, property, at: "\(path).\(name)") }
                switch schema["additionalProperties"] {
                case .bool(false): return ["\(path).\(name): not documented"]
                case .object: return problems(of: value, schema["additionalProperties"], at: "\(path).\(name)")
                default: return []
                }
            }
    }

    private func problems(of text: String, _ schema: JSONValue, at path: String) -> [String] {
        let count = Int64(text.unicodeScalars.count)
        guard (schema["minLength"].number ?? 0)...(schema["maxLength"].number ?? .max) ~= count else {
            return ["\(path): \(count) characters"]
        }
        switch schema["format"].text {
        case "uuid": return EntityID<Portfolio>(text) == nil ? ["\(path): \(text) is not an id"] : []
        case "date-time": return (try? Timestamp(rfc3339: text)) == nil ? ["\(path): \(text) is not an instant"] : []
        default: return []
        }
    }
}

extension JSONValue {
    var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }

    fileprivate func hasType(_ type: String) -> Bool {
        switch self {
        case .null: type == "null"
        case .bool: type == "boolean"
        case .integer: type == "integer" || type == "number"
        case .number: type == "number"
        case .string: type == "string"
        case .array: type == "array"
        case .object: type == "object"
        }
    }
}
