import Crypto
import DoorwardControl
import DoorwardDomain
import HTTPTypes
import Testing

@testable import DoorwardHTTP

@Suite struct TrustedProxiesTests {
    @Test(
        "The client is the last hop that is no trusted proxy",
        arguments: [
            ("203.0.113.9", "198.51.100.1", "203.0.113.9"), ("10.1.2.3", nil, "10.1.2.3"),
            ("10.1.2.3", "198.51.100.1", "198.51.100.1"),
            ("10.1.2.3", "1.1.1.1, 198.51.100.1", "198.51.100.1"), ("10.1.2.3", "198.51.100.1, 10.9.9.9", "198.51.100.1"),
            ("10.1.2.3", "10.0.0.1, 10.0.0.2", "10.0.0.1"), ("10.1.2.3", "198.51.100.1, garbage", "10.1.2.3"),
            ("10.1.2.3", "198.51.100.1, garbage, 10.0.0.2", "10.0.0.2"), ("fd00::1", "2001:db8::7", "2001:db8::7"),
            ("::ffff:10.1.2.3", "198.51.100.1", "198.51.100.1"), ("192.0.2.1", "198.51.100.1", "198.51.100.1"),
            ("192.0.2.2", "198.51.100.1", "192.0.2.2"),
        ] as [(String, String?, String)])
    func client(_ peer: String, _ forwarded: String?, _ client: String) throws {
        let proxies = try TrustedProxies(["10.0.0.0/8", "192.0.2.1", "fd00::/8"])
        #expect(proxies.client(peer: peer, forwardedFor: forwarded) == client)
    }

    @Test("Without trusted proxies the header is nothing")
    func none() throws {
        let proxies = try TrustedProxies([])
        #expect(proxies.client(peer: "10.0.0.1", forwardedFor: "198.51.100.1") == "10.0.0.1")
        #expect(proxies.client(peer: nil, forwardedFor: "198.51.100.1") == nil)
    }

    @Test(
        "An entry that is no address and no range is refused",
        arguments: ["", "localhost", "10.0.0.0/33", "10.0.0.0/x", "::/129"])
    func malformed(_ entry: String) {
        #expect(throws: TrustedProxies.Malformed.self) { try TrustedProxies([entry]) }
    }
}

@Suite struct CursorTests {
    private let cursors = Cursors(key: SymmetricKey(data: [UInt8](repeating: 7, count: 32)))

    @Test("A cursor comes back as the place that it was made of")
    func roundTrip() {
        for log in [LogID.gateway, .portfolio(PortfolioID(high: 1, low: 2))] {
            let place = RecordPlace(log: log, seq: .max, at: Timestamp(milliseconds: -5))
            #expect(cursors.place(cursors.cursor(after: place, scope: "a"), scope: "a") == place)
        }
    }

    @Test("Any other text, scope or key gives none")
    func others() {
        let place = RecordPlace(log: .gateway, seq: 1, at: Timestamp(milliseconds: 5))
        let cursor = cursors.cursor(after: place, scope: "a")
        #expect(cursors.place(cursor, scope: "b") == nil)
        #expect(Cursors(key: SymmetricKey(size: .bits256)).place(cursor, scope: "a") == nil)
        for text in ["", "x", "====", cursor + "A", String(cursor.dropLast()), String(repeating: "A", count: 300)] {
            #expect(cursors.place(text, scope: "a") == nil)
        }
    }
}

@Suite struct RequestFactsTests {
    private func facts(_ headers: HTTPFields, path: String = "/x") throws -> RequestFacts {
        RequestFacts(
            HTTPRequest(method: .get, scheme: "http", authority: "h", path: path, headerFields: headers), peer: "192.0.2.9",
            proxies: try TrustedProxies([]))
    }

    @Test(
        "The client's name sets the source; any other is the API's",
        arguments: [
            ("cli", RecordSource.cli), ("console", .console), ("CLI", .api), ("gateway", .api), ("", .api),
        ])
    func source(_ client: String, _ source: RecordSource) throws {
        #expect(try facts([.doorwardClient: client]).source == source)
    }

    @Test("Path and query are taken apart at the first question mark")
    func target() throws {
        let facts = try facts([:], path: "/a/b?c=d?e#f")
        #expect(facts.path == "/a/b")
        #expect(facts.query == "c=d?e")
        #expect(facts.clientAddress == "192.0.2.9")
        #expect(try self.facts([:], path: "/a").query == nil)
    }
}
