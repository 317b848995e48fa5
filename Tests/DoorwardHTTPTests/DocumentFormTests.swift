import DoorwardDomain
import DoorwardPolicy
import Foundation
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// The patterns of the document against what the routes accept.
@Suite struct DocumentFormTests {
    /// A value of a field, and whether it has the form of the field.
    struct Case: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        let field: String
        let value: String
        let hasForm: Bool

        init(_ method: String, _ path: String, _ field: String, _ value: String, _ hasForm: Bool) {
            (self.method, self.path, self.field, self.value, self.hasForm) = (method, path, field, value, hasForm)
        }

        var testDescription: String { "\(path) \(field) \(value)" }
    }

    private static let times: [(String, Bool)] = [
        ("0000-00-00T00:00", false), ("2027-13-01T00:00:00Z", false), ("2027-04-31T08:00:00Z", false),
        ("2027-01-01T24:30", false), ("2027-01-01T24:00:00Z", false), ("2027-01-01T08:00Z", false),
        ("2027-01-01T08:60:00Z", false), ("2027-01-01 08:00", false), ("2027-01-01T08:00", true), ("2027-01-01T24:00", true),
        ("2027-01-01T08:00:60Z", true), ("2027-01-01t08:00:00.5+01:00", true), ("2028-02-29T08:00:00", true),
    ]

    private static let cases: [Case] =
        times.flatMap { text, hasForm in
            ["validFrom", "validUntil"].map { Case("POST", "/guest-access", $0, text, hasForm) }
        } + [
            Case("POST", "/guest-access", "from", "24:00", false), Case("POST", "/guest-access", "from", "23:59", true),
            Case("POST", "/guest-access", "from", "9:00", false),
            Case("POST", "/store/backup", "file", "monday.db", false),
            Case("POST", "/store/backup", "file", "/backups/monday.db", true),
            Case("POST", "/audit/logs/:log/cosignatures", "note", "no note", false),
            Case("POST", "/audit/logs/:log/cosignatures", "note", "a\n1\nAA==\n\n\u{2014} a AAAAAAAA\n", true),
            Case("GET", "/devices", "q", "\u{85}", false), Case("GET", "/devices", "q", " \u{85}\t", false),
            Case("GET", "/devices", "q", "a", true), Case("GET", "/users", "q", "\u{a0}", false),
            Case("DELETE", "/guest-access/:id", "If-Match", #""a,b""#, false),
            Case("DELETE", "/guest-access/:id", "If-Match", #""a", W/"b""#, true),
            Case("DELETE", "/guest-access/:id", "If-Match", "a", false),
        ]

    @Test("What the document rejects by its form, the route rejects, and the other way round", arguments: cases)
    func alike(_ tested: Case) async throws {
        let house = try await House()
        // The log of the portfolio begins with its first record.
        if tested.field == "note" { _ = try await house.command(as: .tenant) }
        let path = tested.path.replacing(":id", with: house.ids.guestAccess.description)
            .replacing(":log", with: house.ids.portfolio.description)
        let document = PublishedDocument(json: try await house.call(.get, "/openapi.json").json)
        let operation = try #require(document.operation(tested.method, "/api/v1\(path)"))
        let schema = try #require(
            operation.json["parameters"].elements.first { $0["name"].text == tested.field }?["schema"]
                ?? find(tested.field, in: operation.json["requestBody"], document))
        let pattern = try #require(self.pattern(of: schema))
        let expression = try NSRegularExpression(pattern: pattern)
        let range = NSRange(tested.value.startIndex..., in: tested.value)
        #expect((expression.firstMatch(in: tested.value, range: range) != nil) == tested.hasForm, "\(pattern)")
        let problems = try await send(tested, path, to: house).problems.filter { problem in
            problem.hasPrefix("\(tested.field): ") || problem.contains(".\(tested.field): ")
        }
        if tested.hasForm {
            // A signed note can have the form of one, and be no checkpoint.
            let ofForm = ["bad_time", "not_absolute", "blank"] + (tested.field == "note" ? [] : ["malformed"])
            #expect(!problems.contains { problem in ofForm.contains { problem.hasSuffix($0) } }, "\(problems)")
        } else {
            #expect(!problems.isEmpty)
        }
    }

    private func send(_ tested: Case, _ path: String, to house: House) async throws -> Reply {
        let method = try #require(HTTPRequest.Method(tested.method))
        switch tested.field {
        case "q":
            let text = try #require(tested.value.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            return try await house.call(method, "\(path)?q=\(text)", as: .superAdmin)
        case "If-Match": return try await house.call(method, path, as: .tenant, headers: [.ifMatch: tested.value])
        case "from":
            let schedule: JSONValue = .object([
                "periods": .array([
                    .object([
                        "days": .array([.string("MON")]), "from": .string(tested.value), "until": .string("24:00"),
                    ])
                ])
            ])
            return try await house.call(method, path, as: .tenant, text(["schedule": schedule]))
        case "note": return try await house.call(method, path, as: .auditor, text(["note": .string(tested.value)]))
        default:
            let zone: [String: JSONValue] = tested.field.hasPrefix("valid") ? ["timeZone": .string("UTC")] : [:]
            let body = zone.merging([tested.field: .string(tested.value)]) { $1 }
            return try await house.call(method, path, as: .superAdmin, text(body))
        }
    }

    private func text(_ members: [String: JSONValue]) -> String {
        var writer = JSONWriter()
        JSONValue.object(members).write(into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The schema of the first property with this name.
    private func find(_ name: String, in value: JSONValue, _ document: PublishedDocument) -> JSONValue? {
        let value = document.resolved(value)
        if value["properties"][name] != .null { return value["properties"][name] }
        let parts = value.members.sorted { $0.key < $1.key }.filter { $0.key != "example" }.map(\.value) + value.elements
        return parts.lazy.compactMap { find(name, in: $0, document) }.first
    }

    private func pattern(of value: JSONValue) -> String? {
        value["pattern"].text
            ?? (value.members.sorted { $0.key < $1.key }.map(\.value) + value.elements).lazy.compactMap { pattern(of: $0) }.first
    }

    @Test("Each parameter of a query has a sentence, and no answer is described as done alone")
    func sentences() async throws {
        let document = PublishedDocument(json: try await House().call(.get, "/openapi.json").json)
        for operation in document.operations {
            for parameter in operation.json["parameters"].elements where parameter["in"].text == "query" {
                #expect(parameter["description"].text?.hasSuffix(".") == true, "\(operation.path) \(parameter["name"])")
            }
            for (status, response) in operation.json["responses"].members {
                #expect(response["description"].text != "Done.", "\(operation.path) \(status)")
            }
        }
    }
}
