import DoorwardAPI
import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Logging
import Testing

@testable import DoorwardHTTP

/// What the requests of one bulk share: their order, the limits of their caller, the id and the address of the call.
@Suite struct BulkOrderTests {
    // MARK: - Order

    @Test("Commands to one lock are carried out in their order, and what follows one that waits begins after it")
    func oneLock() async throws {
        let house = try await House(behaviour: .confirm(after: .seconds(1)))
        let words = ["lock", "unlock", "lock", "unlatch", "lock", "unlock", "lock", "unlock"]
        let requests = words.map { house.move($0) } + [house.move("lock", house.ids.frontDoor)]
        let reply = try await house.clock.drive(
            Task { try await house.bulk(requests, as: .owner) }, within: .seconds(1))
        #expect(reply.results.map(\.status) == requests.map { _ in 200 }, "\(reply.text)")
        let sent = house.adapter.sentCommands.map { "\($0.command.deviceID) \($0.command.operation.rawValue.lowercased())" }
        #expect(sent == words.map { "\(house.ids.door) \($0)" } + ["\(house.ids.frontDoor) lock"])
    }

    @Test("Commands to different locks are in progress at the same time, at most 16, and responses are in the order of requests")
    func manyLocks() async throws {
        let house = try await House(behaviour: .confirm(after: .seconds(1)))
        var doors: [String] = []
        for number in 0..<20 { doors.append(try await house.attach("n\(number)")) }
        let requests = doors.map { BulkRequest(path: "/devices/\($0)/lock") }
        let running = Task { try await house.bulk(requests, as: .owner) }
        while house.adapter.sentCommands.count < 16 { await Task.yield() }
        for _ in 0..<200 { await Task.yield() }
        #expect(house.adapter.sentCommands.count == 16)
        let reply = try await house.clock.drive(running, within: .seconds(1))
        #expect(reply.results.map(\.status) == doors.map { _ in 200 }, "\(reply.text)")
        #expect(reply.results.map { $0.data["command"]["deviceId"].text } == doors)
    }

    @Test("A change waits for the commands before it, and the commands after it wait for the change")
    func changes() async throws {
        let house = try await House(behaviour: .confirm(after: .seconds(1)))
        let property = house.ids.property
        let requests = [
            house.move("unlock", house.ids.frontDoor), house.move("unlock"),
            BulkRequest(path: "/properties/\(property)/lockdown", body: "{}"), house.move("unlock"),
            BulkRequest(method: "DELETE", path: "/properties/\(property)/lockdown"), house.move("unlock"),
            BulkRequest(method: "GET", path: "/devices/\(house.ids.door)"),
        ]
        let reply = try await house.clock.drive(
            Task { try await house.bulk(requests, as: .owner) }, within: .seconds(1))
        #expect(reply.results.map(\.status) == [200, 200, 200, 403, 200, 200, 200], "\(reply.text)")
        #expect(reply.results[3].code == "lockdown_active")
        #expect(reply.results[6].data["device"]["state"].text == "UNLOCKED")
    }

    @Test("With respond-async for the call, each command is accepted, and the commands to one lock keep their order")
    func asynchronous() async throws {
        let house = try await House(behaviour: .confirm(after: .seconds(1)))
        let requests = ["lock", "unlock", "lock"].map { house.move($0) }
        let reply = try await house.bulk(requests, as: .owner, headers: [.prefer: "respond-async"])
        #expect(reply.results.map(\.status) == [202, 202, 202], "\(reply.text)")
        try await house.clock.drive(
            Task { while house.adapter.sentCommands.count < 3 { await Task.yield() } }, within: .seconds(1))
        #expect(house.adapter.sentCommands.map(\.command.operation) == [.lock, .unlock, .lock])
    }

    @Test("One idempotency key is one command in a bulk, too, whatever the lock; another request with it is rejected")
    func idempotency() async throws {
        let house = try await House()
        let requests = [
            house.move("lock", key: "k"), house.move("lock", key: "k"), house.move("lock", house.ids.frontDoor, key: "k"),
            house.move("lock", house.ids.frontDoor, key: "other"),
        ]
        let reply = try await house.bulk(requests, as: .owner)
        #expect(reply.results.map(\.status) == [200, 200, 422, 200], "\(reply.text)")
        #expect(reply.results[0].json == reply.results[1].json)
        #expect(house.adapter.sentCommands.count == 2)
        let alone = try await house.command("lock", as: .owner, headers: [.idempotencyKey: "k"])
        #expect(alone.headers[.idempotentReplayed] == "true" && alone.json == reply.results[0].json)
        let again = try await house.bulk(requests, as: .owner)
        #expect(again.results.map(\.json) == reply.results.map(\.json).enumerated().map { $0 == 2 ? again.results[2].json : $1 })
        #expect(house.adapter.sentCommands.count == 2)
        let ofCall = try await house.bulk([house.move("lock")], as: .owner, headers: [.idempotencyKey: "k"])
        #expect(ofCall.results.map(\.status) == [200] && ofCall.results[0].json != reply.results[0].json)
    }

    // MARK: - Limits

    @Test("The limit on denied commands holds over the requests of a bulk, also for those in progress at the same time")
    func deniedCommands() async throws {
        let house = try await House(deniedPerMinute: 3)
        let inOrder = try await house.bulk(Array(repeating: house.move("unlock"), count: 5), as: .auditor)
        #expect(inOrder.results.map(\.status) == [403, 403, 403, 429, 429], "\(inOrder.text)")
        #expect(try await house.command(as: .auditor).status == 429)
        let unknown = (0..<16).map { house.move("unlock", DeviceID(high: 1, low: UInt64($0))) }
        let atOnce = try await house.bulk(unknown, as: .guest)
        #expect(atOnce.results.map(\.status).count { $0 == 403 } == 3, "\(atOnce.text)")
        #expect(atOnce.results.map(\.status).count { $0 == 429 } == 13)
        #expect(try await house.command(as: .guest).status == 429)
    }

    @Test("Large responses share 4 MiB: a list without room is to be read in smaller pages, a change keeps its status")
    func memory() async throws {
        let memory = BulkMemory()
        #expect((0..<1000).allSatisfy { _ in memory.take(BulkMemory.smallBytes) })
        #expect(memory.take(BulkMemory.smallBytes + 1) && memory.take(WireLimits.pageBytes - 1))
        #expect(!memory.take(BulkMemory.smallBytes + 1) && memory.take(BulkMemory.smallBytes))
        let house = try await House()
        let metadata = #"{"metadata":{"text":"\#(String(repeating: "x", count: 8000))"}}"#
        for number in 0..<40 {
            _ = try await house.call(.put, "/devices/\(try await house.attach("n\(number)"))", as: .owner, metadata)
        }
        let list = BulkRequest(method: "GET", path: "/devices?limit=50")
        let reply = try await house.bulk(Array(repeating: list, count: 20) + [house.move("lock")], as: .owner)
        #expect(reply.status == 200)
        let (whole, refused) = (reply.results.filter { $0.status == 200 }, reply.results.filter { $0.status == 400 })
        #expect(whole.count + refused.count == 21 && whole.count > 10 && !refused.isEmpty)
        #expect(refused.allSatisfy { $0.problems == ["limit: page_too_large"] })
        #expect(reply.results.last?.status == 200)
        #expect(reply.bytes.count < WireLimits.pageBytes + 1024 * 1024)
        #expect(house.services.responseMemory.reserved == 0)
    }

    @Test("A gateway that is stopping answers each command with 503")
    func stopping() async throws {
        let house = try await House()
        house.control.storeGuard.stopCommands()
        let reply = try await house.bulk([house.move("lock"), house.move("lock", house.ids.frontDoor)], as: .owner)
        #expect(reply.results.map(\.code) == ["shutting_down", "shutting_down"] && reply.results.map(\.status) == [503, 503])
    }

    // MARK: - Traces

    @Test("Each request has the id of the call with its number, in its error, its records and its log line")
    func ids() async throws {
        let house = try await House()
        let reply = try await house.bulk(
            [house.move("lock"), house.move("lock", house.ids.foreignDoor)], as: .tenant,
            headers: [.requestID: "call-1", .doorwardClient: "cli"])
        #expect(reply.headers[.requestID] == "call-1")
        #expect(reply.results[1].json["requestId"].text == "call-1/1")
        let bodies = house.store.log(.portfolio(house.ids.portfolio)).map(\.body).filter { $0.kind == .commandIntent }
        #expect(bodies.map(\.requestID) == ["call-1/0"] && bodies.map(\.source) == [.cli])
        #expect(Set(house.store.log(.gateway).map(\.body).filter { $0.kind == .denial }.map(\.requestID)) == ["call-1/1"])
        let lines = house.logs.text.split(separator: "\n").filter { $0.contains("request completed") }
        for (id, route) in [
            ("call-1", "/api/v1/bulk"), ("call-1/0", "/api/v1/devices/:id/lock"), ("call-1/1", "/api/v1/devices/:id/lock"),
        ] {
            let isOfID = { (line: Substring) in [",", "]"].contains { line.contains("\"request\": \(id)\($0)") } }
            #expect(lines.count { isOfID($0) && $0.contains("\"route\": \(route)") } == 1, "\(id): \(lines)")
        }
        let long = String(repeating: "i", count: 128)
        let cut = try await house.bulk([BulkRequest(method: "GET", path: "/x")], as: .tenant, headers: [.requestID: long])
        #expect(cut.results[0].json["requestId"].text == long.dropLast(2) + "/0")
    }

    @Test("The address, the source and the trace of a request are those of the call, whatever its own headers say")
    func origin() throws {
        let proxies = try TrustedProxies(["10.0.0.1"])
        func metadata(_ headers: HTTPFields) -> RequestMetadata {
            RequestMetadata(
                HTTPRequest(method: .post, scheme: nil, authority: "doors", path: "/api/v1/bulk", headerFields: headers),
                peer: PeerAddress("10.0.0.1", proxies: proxies), proxies: proxies, random: RandomSource(SeededGenerator(seed: 1)))
        }
        let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        let call = metadata([.forwardedFor: "203.0.113.7", .doorwardClient: "console", .traceContext: trace, .requestID: "c"])
        let head = HTTPRequest(
            method: .get, scheme: nil, authority: "elsewhere", path: "/api/v1/users?q=a#b",
            headerFields: [.forwardedFor: "192.0.2.1", .doorwardClient: "cli", .requestID: "mine"])
        let item = RequestMetadata(head, number: 12, of: call)
        #expect(item.origin.clientAddress == "203.0.113.7" && item.origin.source == .console && item.origin.requestID == "c/12")
        #expect(item.trace == call.trace && item.authority == "doors" && item.peer.isTrustedProxy)
        #expect(item.path == "/api/v1/users" && item.query == "q=a" && item.method == .get)
    }

    @Test("Only the headers of the call that every request has hold for its requests")
    func headers() async throws {
        let house = try await House()
        let read = BulkRequest(method: "GET", path: "/users/me/permissions")
        let tag = try #require(try await house.call(.get, "/users/me/permissions", as: .owner).headers[.eTag])
        let change = BulkRequest(method: "PUT", path: "/devices/\(house.ids.door)", body: #"{"name":"Door"}"#)
        let list = BulkRequest(method: "GET", path: "/devices")
        let reply = try await house.bulk(
            [read, change, list], as: .owner, headers: [.ifNoneMatch: tag, .ifMatch: "\"stale\"", .acceptEncoding: "gzip"])
        #expect(reply.results.map(\.status) == [200, 200, 200], "\(reply.text)")
        let problem = try await house.bulk(
            [BulkRequest(method: "GET", path: "/x")], as: .owner, headers: [.accept: "application/problem+json"])
        #expect(problem.results[0].json["title"].text == "Not Found")
    }
}

extension House {
    /// Attaches a lock to the property, and returns its id.
    fileprivate func attach(_ name: String) async throws -> String {
        let made = try await call(
            .post, "/devices", as: .owner,
            #"{"name":"\#(name)","adapter":"scripted","address":{"topic":"\#(name)"},"propertyId":"\#(ids.property)"}"#)
        return try #require(made.data["device"]["id"].text)
    }
}
