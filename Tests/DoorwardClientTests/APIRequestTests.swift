import NIOHTTP1
import Testing

@testable import DoorwardClient

@Suite("The path and query of a request") struct APIRequestTests {
    @Test(
        "ids are percent-encoded so that none can change the path",
        arguments: [
            ("abc-1._~", "abc-1._~"), ("a/b", "a%2Fb"), ("..", "%2E%2E"), (".", "%2E"), ("a?b#c", "a%3Fb%23c"), ("a b", "a%20b"),
            ("ä", "%C3%A4"), ("%2e", "%252e"), ("\n", "%0A"), ("", ""),
        ])
    func path(_ id: String, _ encoded: String) {
        #expect(APIRequest.get("devices", id).target == "/api/v1/devices/\(encoded)")
    }

    @Test("a query contains only the items that have a value, each percent-encoded")
    func query() {
        let request = APIRequest.get("devices", query: [("unitId", nil), ("propertyId", "a&limit=1"), ("adapter", "")])
        #expect(request.target == "/api/v1/devices?propertyId=a%26limit%3D1&adapter=")
        var given = APIRequest(.GET, encodedPath: "/devices?limit=1")
        given.query = [("q", "a b")]
        #expect(given.target == "/api/v1/devices?limit=1&q=a%20b")
    }

    @Test("each request that changes something has its own idempotency key; a GET or DELETE has none")
    func keys() throws {
        let first = try APIRequest.post("devices", body: ["a": 1])
        let second = try APIRequest.post("devices", body: ["a": 1])
        #expect(first.idempotencyKey != nil)
        #expect(first.idempotencyKey != second.idempotencyKey)
        #expect(APIRequest.get("devices").idempotencyKey == nil)
        #expect(APIRequest.get("devices").isRepeatable)
        #expect(!APIRequest(.DELETE, "devices", "a").isRepeatable)
    }
}
