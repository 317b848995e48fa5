import Foundation
import Testing

extension EndToEnd {
    @Suite("doorward api") struct APICommandTests {
        @Test("entities are created, listed and deleted, and values are sent as JSON")
        func calls() async throws {
            let (_, house, shell) = try await ownersShell()
            let made = try await shell.run(
                "api", "POST", "properties", "name=Quay 2", "portfolioId=\(house.portfolioID)", "defaultTimeZone=Europe/Berlin")
            #expect(made.code == 0, "\(made.errors)")
            let id = try #require(try made.json["property"]["id"].text)
            let list = try await shell.run("api", "GET", "/api/v1/properties", "limit=1", "sortBy=-name")
            #expect(try list.json["properties"].items.map { $0["id"].text } == [id])
            #expect(try list.json["pagination"]["totalItems"] == .number(2))

            let device = try await shell.run(
                "api", "post", "devices", "name=12", #"address={"latencyMs":5}"#, "adapter=simulator", "propertyId=\(id)")
            #expect(device.code == 1)
            #expect(device.errors.contains("  name has a value of the wrong type"), "12 is read as a number: \(device.errors)")
            let quoted = try await shell.run(
                "api", "post", "devices", #"name="12""#, #"address={"latencyMs":5}"#, "adapter=simulator", "propertyId=\(id)")
            let lock = try quoted.json["device"]
            #expect(lock["name"] == .string("12"))
            #expect(lock["address"] == .object(["latencyMs": .number(5)]))

            let deleted = try await shell.run("api", "DELETE", "devices/\(try #require(lock["id"].text))")
            #expect((deleted.code, deleted.output) == (0, ""))
        }

        @Test("headers are sent and shown, and an outdated ETag is refused with exit code 1")
        func headers() async throws {
            let (_, _, shell) = try await ownersShell()
            let path = "users/me"
            let shown = try await shell.run("api", "GET", path, "--include")
            let tag = try #require(shown.output.firstMatch(of: #/(?i)\netag: ([^\n]+)\n/#)?.1)
            #expect(shown.output.hasPrefix("HTTP/1.1 200 OK\n"))
            #expect(shown.output.contains(#"{"status":"success","data":{"user":{"#), "the whole response")
            let changed = try await shell.run("api", "PUT", path, "firstName=Olly", "--header", "If-Match: \(tag)")
            #expect(changed.code == 0, "\(changed.errors)")
            let stale = try await shell.run("api", "PUT", path, "firstName=Ola", "--header", "If-Match: \(tag)")
            #expect((stale.code, stale.output) == (1, ""))
            let whole = try await shell.run("api", "PUT", path, "firstName=Ola", "--header", "If-Match: \(tag)", "--include")
            #expect(whole.code == 1)
            #expect(whole.output.hasPrefix("HTTP/1.1 412 Precondition Failed\n"))
            #expect(whole.output.contains(#""code":"precondition_failed""#))
            #expect(whole.errors.hasPrefix("doorward: ") && whole.errors.contains("\n  request "))
        }

        @Test("a body is read from a file or from standard input, and is sent with an idempotency key")
        func input() async throws {
            let (_, house, shell) = try await ownersShell()
            let body = #"{"name":"2a","propertyId":"\#(house.propertyID)"}"#
            let file = try shell.folder.write(body, to: "unit.json")
            let fromFile = try await shell.run("api", "POST", "units", "--input", file, "--header", "Idempotency-Key: once-1")
            let again = try await shell.run(
                "api", "POST", "units", "--input", "-", "--header", "Idempotency-Key: once-1", input: body)
            #expect(try fromFile.json["unit"]["id"].text == again.json["unit"]["id"].text, "\(again.errors)")
            let another = try await shell.run("api", "POST", "units", "--input", file)
            #expect(try another.json["unit"]["id"].text != fromFile.json["unit"]["id"].text, "each request has its own key")
            let missing = try await shell.run("api", "POST", "units", "--input", shell.folder.file("none.json"))
            #expect(missing.code == 1)
            #expect(missing.errors.contains("none.json: the file cannot be read"))
        }

        @Test("a missing sign-in is reported, and an unknown path is reported by the gateway")
        func failures() async throws {
            let (gateway, _, shell) = try await ownersShell()
            let unknown = try await shell.run("api", "GET", "nothing")
            #expect(unknown.code == 1)
            #expect(unknown.errors.hasPrefix("doorward: "))
            let nobody = try await Shell(gateway).run("api", "GET", "devices")
            #expect(nobody.errors.hasPrefix("doorward: not signed in"))
        }
    }
}
