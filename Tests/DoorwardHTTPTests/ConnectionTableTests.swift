import DoorwardDomain
import DoorwardTesting
import Logging
import Testing

@testable import DoorwardHTTP

/// The limits on connections, and which connection is closed to make room.
@Suite struct ConnectionTableTests {
    /// A connection table whose connections have names, and a list of the connections that the table has closed.
    private final class Bench: Sendable {
        final class Key: Sendable {}

        let clock = VirtualClock()
        let table: ConnectionTable
        let closed = Seen<[String]>([])
        private let keys = Seen<[String: Key]>([:])

        init(total: Int = 8, perAddress: Int = 8, proxies: [String] = []) throws {
            var settings = HTTPSettings()
            (settings.maxConnections, settings.maxConnectionsPerAddress) = (total, perAddress)
            table = ConnectionTable(
                ConnectionLimits(settings), proxies: try TrustedProxies(proxies), clock: clock, logger: Logger(label: "test"))
        }

        func id(_ name: String) -> ObjectIdentifier {
            if let key = keys.value[name] { return ObjectIdentifier(key) }
            let key = Key()
            keys.change { $0[name] = key }
            return ObjectIdentifier(key)
        }

        @discardableResult
        func open(_ name: String, _ address: String) -> ClientConnection? {
            defer { clock.advance(by: .milliseconds(1)) }
            return table.open(id(name), address: address) { [closed] in closed.change { $0.append(name) } }
        }
    }

    @Test("If half of all connections are not signed in, the oldest one of the address with the most connections is closed")
    func anonymous() throws {
        let bench = try Bench()
        for name in ["lone"] { bench.open(name, "192.0.2.1") }
        for name in ["a", "b", "c"] { bench.open(name, "192.0.2.2") }
        #expect(bench.closed.value == [])
        #expect(bench.open("new", "192.0.2.3") != nil)
        #expect(bench.closed.value == ["a"])
        #expect(bench.table.counts == (4, 4))
    }

    @Test("A connection that is signed in, or whose response is in progress, is not closed to make room")
    func kept() throws {
        let bench = try Bench(total: 4)
        bench.open("signed in", "192.0.2.1")
        bench.table.setSignedIn(bench.id("signed in"), true)
        let answered = bench.open("answered", "192.0.2.1")
        answered?.receivedHead(at: bench.clock.monotonicNow())
        answered?.receivedEnd()
        bench.open("idle", "192.0.2.1")
        bench.open("new", "192.0.2.1")
        #expect(bench.closed.value == ["idle"])
        bench.table.setSignedIn(bench.id("signed in"), false)
        bench.open("newer", "192.0.2.1")
        #expect(bench.closed.value == ["idle", "signed in"], "an expired token does not keep the connection open")
    }

    @Test("A connection whose client does not read its response is closed to make room")
    func stalled() throws {
        let bench = try Bench(total: 4)
        for name in ["a", "b"] {
            let connection = bench.open(name, "192.0.2.1")
            connection?.receivedHead(at: bench.clock.monotonicNow())
            connection?.receivedEnd()
            connection?.becameWritable(false, at: bench.clock.monotonicNow())
        }
        #expect(bench.open("new", "192.0.2.2") != nil)
        #expect(bench.closed.value == ["a"])
    }

    @Test("If all connections up to the limit are signed in, the next one is refused")
    func full() throws {
        let bench = try Bench(total: 2)
        for name in ["a", "b"] {
            bench.open(name, "192.0.2.1")
            bench.table.setSignedIn(bench.id(name), true)
        }
        #expect(bench.open("c", "192.0.2.2") == nil)
        #expect(bench.table.counts.open == 2)
        let connection = ClientConnection(PeerAddress(nil, proxies: try TrustedProxies([])), openedAt: bench.table.now) {}
        bench.table.remove(bench.id("a"), connection)
        #expect(bench.table.counts.open == 2, "a different connection with this id is not removed")
    }

    @Test(
        "Each IPv4 address and each IPv6 /64 has its own limit",
        arguments: [
            ("192.0.2.1", "192.0.2.1", false), ("192.0.2.1", "::ffff:192.0.2.1", false), ("192.0.2.1", "192.0.2.2", true),
            ("2001:db8::1", "2001:db8::ffff:1", false), ("2001:db8::1", "2001:db8:0:1::1", true),
        ])
    func networks(_ first: String, _ second: String, _ isOther: Bool) throws {
        let bench = try Bench(total: 100, perAddress: 1)
        bench.open("a", first)
        bench.table.setSignedIn(bench.id("a"), true)
        #expect((bench.open("b", second) != nil) == isOther)
        #expect(bench.closed.value == [])
    }

    @Test("A trusted proxy is not counted; the requests of each client behind it are")
    func proxies() throws {
        let bench = try Bench(total: 100, perAddress: 2, proxies: ["10.0.0.0/8"])
        for name in ["a", "b", "c"] { #expect(bench.open(name, "10.0.0.1") != nil) }
        let client = ClientNetwork("2001:db8::1")
        #expect(bench.table.beginForwarded(client) && bench.table.beginForwarded(ClientNetwork("2001:db8::2")))
        #expect(!bench.table.beginForwarded(client))
        #expect(bench.table.beginForwarded(ClientNetwork("192.0.2.9")))
        bench.table.finishForwarded(client)
        #expect(bench.table.beginForwarded(client))
    }

    private static let limits = ConnectionLimits(HTTPSettings())

    /// Each case: the action of the client in each second, and the second at which the table closes the connection.
    @Test("An idle connection, a slow head, a slow body and a whole request each have their own timeout")
    func overdue() throws {
        func closedAt(_ act: (ClientConnection, _ second: Int, MonotonicInstant) -> Void) throws -> Int? {
            let bench = try Bench()
            let connection = try #require(bench.open("x", "192.0.2.1"))
            for second in 0..<200 {
                act(connection, second, bench.clock.monotonicNow())
                bench.clock.advance(by: .seconds(1))
                bench.table.closeOverdue()
                if bench.closed.value == ["x"] { return second + 1 }
            }
            return nil
        }
        #expect(try closedAt { _, _, _ in } == 60)
        #expect(try closedAt { connection, _, now in _ = connection.receivedBytes(1, Self.limits, at: now) } == 10, "a head")
        #expect(
            try closedAt { connection, second, now in
                _ = connection.receivedBytes(1, Self.limits, at: now)
                if second == 0 { connection.receivedHead(at: now) } else { connection.receivedBody(1) }
            } == 5, "a byte a second")
        #expect(
            try closedAt { connection, second, now in
                _ = connection.receivedBytes(1, Self.limits, at: now)
                if second == 0 { connection.receivedHead(at: now) }
                connection.receivedBody(600)
            } == 30, "fast enough, but endless")
        #expect(
            try closedAt { connection, second, now in
                guard second == 0 else { return }
                _ = connection.receivedBytes(1, Self.limits, at: now)
                connection.receivedHead(at: now)
                connection.receivedEnd()
            } == nil, "the gateway's own time does not count")
        #expect(
            try closedAt { connection, second, now in
                if second == 0 {
                    _ = connection.receivedBytes(1, Self.limits, at: now)
                    connection.receivedHead(at: now)
                    connection.receivedEnd()
                }
                if second == 1 { _ = connection.receivedBytes(1, Self.limits, at: now) }
                if second == 40 { _ = connection.answered(at: now) }
            } == 50, "a line break after a body counts only once its request is answered")
        #expect(
            try closedAt { connection, second, now in
                guard second == 0 else { return }
                _ = connection.receivedBytes(1, Self.limits, at: now)
                connection.receivedHead(at: now)
                connection.receivedEnd()
                connection.becameWritable(false, at: now)
            } == 60, "the client does not read the response")
        #expect(
            try closedAt { connection, second, now in
                guard second % 20 == 0 else { return }
                _ = connection.receivedBytes(1, Self.limits, at: now)
                connection.receivedHead(at: now)
                connection.receivedEnd()
                _ = connection.answered(at: now)
            } == nil, "occasional requests keep the connection open")
    }
}
