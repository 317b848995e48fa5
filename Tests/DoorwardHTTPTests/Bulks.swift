import DoorwardDomain
import DoorwardPolicy
import HTTPTypes

@testable import DoorwardHTTP

/// A request of a bulk, as tests write it.
struct BulkRequest: Sendable {
    var method = "POST"
    var path: String
    /// JSON; `nil` for no body.
    var body: String?
    var key: String?

    var json: String {
        var members = [("method", JSONValue.string(method)), ("path", .string(path))].map { "\"\($0)\":\(text(of: $1))" }
        if let body { members.append("\"body\":\(body)") }
        if let key { members.append("\"idempotencyKey\":\(text(of: .string(key)))") }
        return "{\(members.joined(separator: ","))}"
    }

    private func text(of value: JSONValue) -> String {
        var writer = JSONWriter()
        value.write(into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension [BulkRequest] {
    /// The body of a bulk.
    var json: String { #"{"requests":[\#(map(\.json).joined(separator: ","))]}"# }
}

extension Reply {
    /// The responses in the response to a bulk.
    var results: [Reply] { data["results"].elements.map { Reply($0) } }
}

extension House {
    /// Sends a bulk.
    func bulk(_ requests: [BulkRequest], as person: Person?, headers: [HTTPField.Name: String] = [:]) async throws -> Reply {
        try await call(.post, "/bulk", as: person, requests.json, headers: headers)
    }

    /// The request to move a lock.
    func move(_ word: String, _ device: DeviceID? = nil, _ body: String? = nil, key: String? = nil) -> BulkRequest {
        BulkRequest(path: "/devices/\(device ?? ids.door)/\(word)", body: body, key: key)
    }

    /// Sends a request as a bulk of one; `nil` if a bulk cannot contain it.
    func inBulk(_ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields, _ body: String?) async throws -> Reply? {
        let passed: Set<HTTPField.Name> = [.authorization, .contentType, .accept, .prefer, .idempotencyKey]
        guard headers[.authorization] != nil, headers.allSatisfy({ passed.contains($0.name) }), path.hasPrefix("/api/v1/") else {
            return nil
        }
        let request = BulkRequest(method: method.rawValue, path: path, body: body, key: headers[.idempotencyKey])
        var (house, fields) = (self, headers)
        house.sendsInBulks = false
        (fields[.contentType], fields[.idempotencyKey]) = ("application/json", nil)
        let reply = try await house.unchecked(.post, "/api/v1/bulk", fields, [request].json)
        guard reply.status == 200, let result = reply.results.first, result.problems != ["path: not_in_bulk"] else { return nil }
        return result
    }
}
