import NIOHTTP1
import Testing

@testable import DoorwardClient

@Suite("A call's address") struct CallTests {
    @Test(
        "no id leads to another path, whatever is in it",
        arguments: [
            ("abc-1._~", "abc-1._~"), ("a/b", "a%2Fb"), ("..", "%2E%2E"), (".", "%2E"), ("a?b#c", "a%3Fb%23c"), ("a b", "a%20b"),
            ("ä", "%C3%A4"), ("%2e", "%252e"), ("\n", "%0A"), ("", ""),
        ])
    func path(_ id: String, _ encoded: String) {
        #expect(Call.get("devices", id).target == "/api/v1/devices/\(encoded)")
    }

    @Test("a query holds what has a value, with no value reaching into the next")
    func query() {
        let call = Call.get("devices", query: [("unitId", nil), ("propertyId", "a&limit=1"), ("adapter", "")])
        #expect(call.target == "/api/v1/devices?propertyId=a%26limit%3D1&adapter=")
        var given = Call(.GET, encodedPath: "/devices?limit=1")
        given.query = [("q", "a b")]
        #expect(given.target == "/api/v1/devices?limit=1&q=a%20b")
    }

    @Test("what changes something has a key of its own each time; what asks has none")
    func keys() throws {
        let first = try Call.post("devices", body: ["a": 1])
        let second = try Call.post("devices", body: ["a": 1])
        #expect(first.idempotencyKey != nil)
        #expect(first.idempotencyKey != second.idempotencyKey)
        #expect(Call.get("devices").idempotencyKey == nil)
        #expect(Call.get("devices").isRepeatable)
        #expect(!Call(.DELETE, "devices", "a").isRepeatable)
    }
}
