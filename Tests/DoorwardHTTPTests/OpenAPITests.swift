import DoorwardDomain
import DoorwardPolicy
import Foundation
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// The document of the API. `House.send` compares every response of these tests with it.
@Suite struct OpenAPITests {
    private func document(_ house: House) async throws -> PublishedDocument {
        PublishedDocument(json: try await house.call(.get, "/openapi.json").json)
    }

    @Test("The document has every route under /api/v1, and no others")
    func routes() async throws {
        let operations = try await document(House()).operations.map { "\($0.method) \($0.path)" }
        let routes = RouteTable.routes.filter { $0.path.hasPrefix("/api/v1/") }.map { route in
            let parts = route.path.split(separator: "/").map { $0.hasPrefix(":") ? "{\($0.dropFirst())}" : String($0) }
            return "\(route.method) /\(parts.joined(separator: "/"))"
        }
        #expect(Set(operations) == Set(routes).subtracting(["GET /api/v1/openapi.json"]))
        #expect(operations.count == Set(operations).count)
        #expect(operations.count > 70)
    }

    @Test("Every operation has a summary, its own id, and the parameters of its path")
    func operations() async throws {
        let operations = try await document(House()).operations
        #expect(Set(operations.map { $0.json["operationId"].text ?? "" }).count == operations.count)
        for operation in operations {
            #expect(operation.json["summary"].text?.hasSuffix(".") == true, "\(operation.path)")
            let named = operation.json["parameters"].elements.filter { $0["in"].text == "path" }.compactMap { $0["name"].text }
            let inPath = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
                String($0.dropFirst().dropLast())
            }
            #expect(named == inPath, "\(operation.path)")
        }
    }

    @Test("Every example has the form of its schema, and every reference leads to a component")
    func examples() async throws {
        let document = try await document(House())
        var count = 0
        for operation in document.operations {
            let contents =
                [operation.json["requestBody"]["content"]] + operation.json["responses"].members.values.map { $0["content"] }
            for content in contents.map({ $0["application/json"] }) where content != .null {
                count += 1
                let problems = document.problems(of: content["example"], content["schema"])
                #expect(problems.isEmpty, "\(operation.method) \(operation.path)")
            }
            for reference in operation.json.references {
                #expect(
                    reference.split(separator: "/").dropFirst().reduce(document.json) { $0[String($1)] } != .null, "\(reference)")
            }
        }
        #expect(count > 80)
    }

    @Test("A sign-in is documented exactly for the operations that reject a request without one")
    func security() async throws {
        let house = try await House()
        for operation in try await document(house).operations {
            let method = try #require(HTTPRequest.Method(operation.method))
            let reply = try await house.call(method, operation.somePath, operation.exampleText)
            let needsSignIn = operation.json["security"].elements.count == 1
            #expect((reply.status == 401 && reply.code == "unauthenticated") == needsSignIn || !needsSignIn, "\(operation.path)")
        }
    }

    @Test("`Idempotency-Key` and `If-Match` are documented exactly for the operations that use them")
    func headers() async throws {
        let house = try await House(deniedPerMinute: 100_000)
        let malformed: [HTTPField.Name: String] = [.idempotencyKey: "a b", .ifMatch: "no tag"]
        for operation in try await document(house).operations.sorted(by: { $0.path < $1.path }) {
            let method = try #require(HTTPRequest.Method(operation.method))
            // The end of the session would make the other requests fail.
            guard operation.path != "/api/v1/auth/logout" else { continue }
            let documented = operation.json["parameters"].elements.filter { $0["in"].text == "header" }.compactMap {
                $0["name"].text
            }
            for (name, value) in malformed {
                let reply = try await house.call(
                    method, operation.somePath, as: .superAdmin, operation.exampleText, headers: [name: value])
                let isUsed = reply.problems == ["\(name): malformed"]
                #expect(
                    isUsed == documented.contains(name.rawName), "\(operation.method) \(operation.path) \(name) \(reply.text)")
            }
        }
    }

    @Test("An unknown field of a body, and an unknown parameter of a query, are rejected by every operation")
    func unknownFields() async throws {
        let house = try await House(deniedPerMinute: 100_000)
        for operation in try await document(house).operations where operation.path != "/api/v1/auth/logout" {
            let method = try #require(HTTPRequest.Method(operation.method))
            // The token of a set-up is checked before its input.
            let isSetup = operation.path == "/api/v1/setup"
            let (house, person) = isSetup ? (try await House.empty(), nil) : (house, House.Person.superAdmin)
            let headers: [HTTPField.Name: String] = isSetup ? [.setupToken: try house.setupToken()] : [:]
            let inBody = try await house.call(method, operation.somePath, as: person, #"{"surprise":1}"#, headers: headers)
            #expect(inBody.problems.contains("surprise: unknown_key") || method == .get, "\(operation.path) \(inBody.text)")
            let inQuery = try await house.call(
                method, operation.somePath + "?surprise=1", as: person, operation.exampleText, headers: headers)
            #expect(inQuery.problems.contains("surprise: unknown_key"), "\(operation.path) \(inQuery.text)")
        }
    }

    @Test("The kinds of adapters are listed where a lock is attached and where locks are filtered, and no others are accepted")
    func adapterKinds() async throws {
        var settings = HTTPSettings()
        settings.adapterKinds = ["scripted", "mqtt"]
        for (house, kinds) in [
            (try await House(), ["scripted", "simulator"]), (try await House(settings: settings), ["scripted", "mqtt"]),
        ] {
            let operations = try await document(house).operations
            let devices = operations.filter { $0.path == "/api/v1/devices" }
            let attach = try #require(devices.first { $0.method == "POST" })
            let filter = try #require(devices.first { $0.method == "GET" }).json["parameters"].elements.first {
                $0["name"].text == "adapter"
            }
            let body = attach.json["requestBody"]["content"]["application/json"]["schema"]["properties"]["adapter"]
            #expect(body["enum"].elements.map(\.text) == kinds)
            #expect(filter?["schema"]["enum"].elements.map(\.text) == kinds)
            for kind in ["mqtt", "simulator", "nuki", "Scripted", ""] {
                let filtered = try await house.call(.get, "/devices?adapter=\(kind)", as: .owner)
                #expect(filtered.problems == (kinds.contains(kind) ? [] : ["adapter: unknown_value"]), "\(kind)")
                let new = #"{"name":"a","adapter":"\#(kind)","address":{},"propertyId":"\#(house.ids.property)"}"#
                let attached = try await house.call(.post, "/devices", as: .owner, new)
                // A kind that the program has and the gateway has not.
                let problem = kind == "mqtt" && kinds.contains(kind) ? "unknown" : "unknown_value"
                #expect(
                    attached.problems == (kind == "simulator" && kinds.contains(kind) ? [] : ["adapter: \(problem)"]),
                    "\(attached.text)")
            }
        }
    }

    @Test("The page lists every operation, and loads nothing from elsewhere")
    func page() async throws {
        let house = try await House()
        let page = try await house.call(.get, "//docs")
        #expect(page.status == 200)
        #expect(page.headers[.contentType] == "text/html; charset=utf-8")
        #expect(page.headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'; style-src 'sha256-") == true)
        for operation in try await document(house).operations {
            #expect(page.text.contains("<code>\(operation.method) \(operation.path)</code>"))
        }
        #expect(!page.text.contains("<script"))
        #expect(!page.text.contains("src="))
        #expect(!page.text.contains("http://"))
    }

    @Test("docs/api.md is the index that the routes give")
    func index() async throws {
        var settings = HTTPSettings()
        settings.adapterKinds = ["simulator", "mqtt"]
        let house = try await House(settings: settings)
        _ = try await house.call(.get, "/openapi.json")
        let text = try #require(await house.services.document.index)
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appending(path: "docs/api.md")
        let committed = try? String(contentsOf: file, encoding: .utf8)
        if committed != text {
            let new = FileManager.default.temporaryDirectory.appending(path: "api.md")
            try text.write(to: new, atomically: true, encoding: .utf8)
            Issue.record("docs/api.md is not up to date: copy \(new.path()) to it")
        }
    }
}

extension PublishedDocument.Operation {
    /// The path with ids that no entity has.
    fileprivate var somePath: String {
        String(
            path.replacing("/api/v1", with: "").split(separator: "/").map {
                $0.hasPrefix("{") ? "01980c5e-8a3f-7d21-9b1c-3f2e5a7c9d10" : String($0)
            }.reduce("") { "\($0)/\($1)" })
    }

    /// The example of the body; `nil` for an operation without one.
    fileprivate var exampleText: String? {
        let example = json["requestBody"]["content"]["application/json"]["example"]
        guard example != .null else { return nil }
        var writer = JSONWriter()
        example.write(into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension JSONValue {
    /// All values of `$ref` in the value.
    fileprivate var references: [String] {
        switch self {
        case .object(let members): members.flatMap { $0 == "$ref" ? [$1.text ?? ""] : $1.references }
        case .array(let elements): elements.flatMap(\.references)
        default: []
        }
    }
}
