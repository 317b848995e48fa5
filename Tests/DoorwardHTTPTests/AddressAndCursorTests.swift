import Crypto
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

@Suite struct TrustedProxiesTests {
    @Test(
        "The client address is the last hop that is not a trusted proxy",
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
        #expect(proxies.client(peer: PeerAddress(peer, proxies: proxies), forwardedFor: forwarded) == client)
    }

    @Test(
        "All spellings of an address give the same text",
        arguments: [
            ("10.1.2.3", "2001:DB8:0:0::7", "2001:db8::7"), ("10.1.2.3", "2001:0db8::0007", "2001:db8::7"),
            ("10.1.2.3", "::ffff:198.51.100.1", "198.51.100.1"), ("10.1.2.3", "::FFFF:c633:6401", "198.51.100.1"),
            ("10.1.2.3", "198.51.100.1:4711", "198.51.100.1"), ("10.1.2.3", "[2001:db8::7]:443", "2001:db8::7"),
            ("::ffff:203.0.113.9", nil, "203.0.113.9"), ("10.1.2.3", "[2001:db8::7", "10.1.2.3"),
        ] as [(String, String?, String)])
    func spellings(_ peer: String, _ forwarded: String?, _ client: String) throws {
        let proxies = try TrustedProxies(["10.0.0.0/8"])
        #expect(proxies.client(peer: PeerAddress(peer, proxies: proxies), forwardedFor: forwarded) == client)
    }

    @Test("Without trusted proxies X-Forwarded-For is ignored")
    func none() throws {
        let proxies = try TrustedProxies([])
        #expect(proxies.client(peer: PeerAddress("10.0.0.1", proxies: proxies), forwardedFor: "198.51.100.1") == "10.0.0.1")
        #expect(proxies.client(peer: PeerAddress(nil, proxies: proxies), forwardedFor: "198.51.100.1") == nil)
    }

    @Test(
        "An entry that is neither an address nor a range is rejected",
        arguments: ["", "localhost", "10.0.0.0/33", "10.0.0.0/x", "::/129"])
    func malformed(_ entry: String) {
        #expect(throws: TrustedProxies.Malformed.self) { try TrustedProxies([entry]) }
    }
}

@Suite struct CursorTests {
    private static func cursors(seed: UInt64) -> Cursors {
        Cursors(key: SymmetricKey(data: [UInt8](repeating: 7, count: 32)), random: RandomSource(SeededGenerator(seed: seed)))
    }
    private let cursors = Self.cursors(seed: 1)

    private let positions = [
        LogID.gateway, .portfolio(PortfolioID(high: 1, low: 2)), .portfolio(PortfolioID(high: .max, low: 0)),
    ]
    .flatMap { log in
        [(0, 0), (UInt64.max, -5), (7, Int64.max), (.max, .min)].map { seq, at in
            RecordPosition(log: log, seq: seq, at: Timestamp(milliseconds: at))
        }
    }

    @Test("A cursor is decoded to the position that it was made from")
    func roundTrip() throws {
        for position in positions {
            #expect(cursors.position(try cursors.text(of: position, scope: "a"), scope: "a") == position)
        }
    }

    @Test("A cursor with another text, scope or key is rejected")
    func others() throws {
        let position = RecordPosition(log: .gateway, seq: 1, at: Timestamp(milliseconds: 5))
        let cursor = try cursors.text(of: position, scope: "a")
        #expect(cursors.position(cursor, scope: "b") == nil)
        #expect(Cursors(key: SymmetricKey(size: .bits256), random: RandomSource()).position(cursor, scope: "a") == nil)
        for text in ["", "x", "====", cursor + "A", String(cursor.dropLast()), String(repeating: "A", count: 300)] {
            #expect(cursors.position(text, scope: "a") == nil)
        }
    }

    @Test("A cursor with any character changed is rejected")
    func altered() throws {
        let cursor = Array(try cursors.text(of: positions[4], scope: "a"))
        for index in cursor.indices {
            for character in "A_z9-" where character != cursor[index] {
                var altered = cursor
                altered[index] = character
                #expect(cursors.position(String(altered), scope: "a") == nil, "\(index)")
            }
        }
    }

    @Test("A cursor does not reveal its position: all cursors have one length, are different, and do not contain the position")
    func sealed() throws {
        let made = try positions.map { try cursors.text(of: $0, scope: "a") }
        #expect(Set(made.map(\.utf8.count)) == [82])
        #expect(try cursors.text(of: positions[0], scope: "a") != made[0])
        // Two cursors for the same position have hardly any bytes in common.
        let (one, other) = (
            Base64URL.decode(made[0].utf8) ?? [], Base64URL.decode(try cursors.text(of: positions[0], scope: "a").utf8) ?? []
        )
        #expect(one.count == 61 && zip(one, other).count { $0 == $1 } < 20)
        for (cursor, position) in zip(made, positions) {
            let text = String(decoding: Base64URL.decode(cursor.utf8) ?? [], as: UTF8.self)
            #expect(!text.contains("/\(position.seq)/") && !text.contains(position.log.description))
        }
    }

    @Test("The nonce is drawn from the injected random source")
    func injected() throws {
        func made(_ seed: UInt64) throws -> String { try Self.cursors(seed: seed).text(of: positions[0], scope: "a") }
        #expect(try made(1) == made(1) && made(1) != made(2))
    }

    @Test("A cursor of the earlier, readable format is rejected")
    func earlierForm() {
        let text = "5/1/gateway"
        let key = SymmetricKey(data: [UInt8](repeating: 7, count: 32))
        let tag = HMAC<SHA256>.authenticationCode(for: Array("a\u{0}\(text)".utf8), using: key).prefix(16)
        #expect(cursors.position(Base64URL.encode(Array(tag) + Array(text.utf8)), scope: "a") == nil)
    }
}

@Suite struct RequestMetadataTests {
    private func metadata(_ headers: HTTPFields, path: String = "/x") throws -> RequestMetadata {
        let proxies = try TrustedProxies([])
        return RequestMetadata(
            HTTPRequest(method: .get, scheme: "http", authority: "h", path: path, headerFields: headers),
            peer: PeerAddress("192.0.2.9", proxies: proxies), proxies: proxies, random: RandomSource())
    }

    @Test(
        "The client's name sets the source; an unknown name is recorded as API",
        arguments: [
            ("cli", RecordSource.cli), ("console", .console), ("CLI", .api), ("gateway", .api), ("", .api),
        ])
    func source(_ client: String, _ source: RecordSource) throws {
        #expect(try metadata([.doorwardClient: client]).origin.source == source)
    }

    @Test("Path and query are split at the first question mark")
    func target() throws {
        let metadata = try metadata([:], path: "/a/b?c=d?e#f")
        #expect(metadata.path == "/a/b")
        #expect(metadata.query == "c=d?e")
        #expect(metadata.origin.clientAddress == "192.0.2.9")
        #expect(try self.metadata([:], path: "/a").query == nil)
    }
}
