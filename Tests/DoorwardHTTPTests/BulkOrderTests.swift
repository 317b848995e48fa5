import DoorwardAPI
import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Testing

@testable import DoorwardHTTP

/// What the requests of one bulk share: their order, the limits of their caller, the id and the address of the call.
@Suite(.timeLimit(.minutes(30))) struct BulkOrderTests {
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
        // A command is in progress from `send` until its lock confirms it, which it does at `ends`.
        let (ends, peak) = (Seen<[MonotonicInstant]>([]), Seen(0))
        let (sent, sending) = AsyncStream.makeStream(of: Void.self)
        house.adapter.onSent { _ in sending.yield() }
        house.adapter.onSend { [clock = house.clock] _ in
            let now = clock.monotonicNow()
            ends.change { $0 = $0.filter { $0 > now } + [now.advanced(by: .seconds(1))] }
            peak.change { $0 = max($0, ends.value.count) }
        }
        let running = Task { try await house.bulk(requests, as: .owner) }
        // The clock moves after 16 were sent, so each of them counts the earlier ones.
        for await _ in sent.prefix(WireLimits.bulkAtOnce) {}
        let reply = try await house.clock.drive(running, within: .seconds(1))
        #expect(peak.value == WireLimits.bulkAtOnce)
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
        let (sent, sending) = AsyncStream.makeStream(of: Void.self)
        house.adapter.onSent { _ in sending.yield() }
        let reply = try await house.bulk(requests, as: .owner, headers: [.prefer: "respond-async"])
        #expect(reply.results.map(\.status) == [202, 202, 202], "\(reply.text)")
        let all = Task {
            for await _ in sent.prefix(requests.count) {}
        }
        try await house.clock.drive(Task { await all.value }, within: .seconds(1))
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

    @Test("Large responses of reads and of changes share memory apart, and a created object always has room")
    func shares() {
        let (memory, shared) = (BulkMemory(), BulkMemory.sharedBytes)
        #expect(memory.take(shared.reads, of: .reads) && !memory.take(1, of: .reads) && memory.take(0, of: .reads))
        #expect(memory.take(shared.changes - BulkMemory.creationBytes, of: .changes) && !memory.take(1, of: .changes))
        #expect(memory.take(BulkMemory.creationBytes, of: .creations) && memory.take(0, of: .changes))
        #expect(!memory.take(1, of: .creations))
        memory.giveBack(2, of: .reads)
        #expect(!memory.take(3, of: .reads) && memory.take(2, of: .reads))
        #expect(2 * BulkMemory.bytes(of: WireLimits.bulkRequests) < ResponseMemory.maxBytesOfOne)
    }

    @Test("A body is counted while it arrives: one without room is dropped where it has none, and gives its memory back")
    func arrival() async throws {
        let (memory, chunks) = (BulkMemory(), Seen(0))
        func response(_ count: Int, _ type: String = "application/json") -> Response {
            let body = ResponseBody { writer in
                for _ in 0..<count {
                    try await writer.write(ByteBuffer(repeating: 0x20, count: ResponseMemory.chunkBytes))
                    chunks.change { $0 += 1 }
                }
                try await writer.finish(nil)
            }
            return Response(status: .ok, headers: [.contentType: type], body: body)
        }
        let fitting = WireLimits.pageBytes / ResponseMemory.chunkBytes
        #expect(await BulkResult(response(100), memory, .reads) == nil)
        #expect(chunks.value == fitting)
        #expect(await BulkResult(response(fitting), memory, .reads) != nil)
        #expect(await BulkResult(response(2), memory, .reads) == nil)
        // The text could be six times as large in the response to the bulk.
        #expect(await BulkResult(response(fitting / 6), BulkMemory(), .reads) != nil)
        #expect(await BulkResult(response(fitting / 6 + 1, "text/plain"), BulkMemory(), .reads) == nil)
    }

    @Test("Without memory for its response a bulk is 503 and nothing was done; memory that is used up later refuses no response")
    func reservation() async throws {
        let house = try await House()
        let memory = house.services.responseMemory
        let list = try await house.largeList()
        let requests = [house.move("lock"), list, list]
        let held = Seen<[ResponseMemory.Reservation]>([])
        let fill: @Sendable () -> Void = { [owner = house.ids[.owner]] in
            for bytes in [1024 * 1024, 1024, 1] {
                while let part = memory.reserve(bytes, for: .user(owner)) { held.change { $0.append(part) } }
            }
        }
        fill()
        let refused = try await house.bulk(requests, as: .owner)
        #expect(refused.status == 503 && refused.code == "unavailable" && refused.headers[.retryAfter] != nil)
        #expect(house.adapter.sentCommands.isEmpty)
        held.change { $0 = [] }
        house.adapter.onSend { _ in fill() }
        let reply = try await house.bulk(requests, as: .owner)
        #expect(reply.status == 200 && reply.results.map(\.status) == [200, 200, 200], "\(reply.text.prefix(500))")
        #expect(reply.bytes.count > ResponseMemory.chunkBytes && !held.value.isEmpty)
        held.change { $0 = [] }
        #expect(memory.reserved == 0)
    }

    @Test("Two bulks of one person can be in progress: a third is 429, others may send one, and an ended one makes room")
    func inProgress() async throws {
        let house = try await House(behaviour: .confirm(after: .seconds(1)))
        let (sent, sending) = AsyncStream.makeStream(of: Void.self)
        house.adapter.onSent { _ in sending.yield() }
        let running = [house.ids.door, house.ids.frontDoor].map { door in
            Task { try await house.bulk([house.move("lock", door)], as: .owner) }
        }
        for await _ in sent.prefix(running.count) {}
        let read = BulkRequest(method: "GET", path: "/users/me")
        let refused = try await house.bulk([read], as: .owner)
        #expect(refused.status == 429 && refused.code == "rate_limited" && refused.headers[.retryAfter] == "5")
        #expect(try await house.bulk([read], as: .tenant).status == 200)
        for bulk in running {
            #expect(try await house.clock.drive(bulk, within: .seconds(1)).results.map(\.status) == [200])
        }
        #expect(try await house.bulk([read], as: .owner).status == 200)
    }

    @Test("Sixteen bulks can be in progress in all, and one that fails makes room, too")
    func inProgressInAll() async throws {
        let bulks = RunningBulks()
        func run(_ numbers: Range<UInt64>) async throws -> Int {
            guard let number = numbers.first else { return 0 }
            return try await bulks.run(for: .user(UserID(high: 1, low: number / 2))) { try await run(numbers.dropFirst()) + 1 }
        }
        #expect(try await run(0..<16) == 16)
        await #expect(throws: GatewayError.self) { try await run(0..<17) }
        await #expect(throws: GatewayError.self) { try await run(16..<33) }
        #expect(try await run(0..<16) == 16)
    }

    @Test("A request that has not begun 60 s after the call is not carried out, and its result says so")
    func late() async throws {
        let house = try await House()
        house.adapter.set(.silent, for: house.ids.door)
        let slow = house.move("lock", nil, #"{"timeoutMs":30000}"#)
        let change = BulkRequest(method: "PUT", path: "/devices/\(house.ids.door)", body: #"{"name":"Late"}"#)
        let requests = [slow, slow, slow, change, house.move("unlock", house.ids.frontDoor, key: "late")]
        let reply = try await house.clock.drive(Task { try await house.bulk(requests, as: .owner) }, within: .seconds(30))
        #expect(reply.results.map(\.status) == requests.map { _ in 504 }, "\(reply.text)")
        let codes = reply.results.map(\.code)
        #expect(codes == ["confirmation_timeout", "confirmation_timeout"] + codes[2...].map { _ in "not_sent_in_time" })
        #expect(reply.results.dropFirst(2).allSatisfy { $0.json["message"].text?.contains("was not carried out") == true })
        #expect(house.adapter.sentCommands.map(\.command.deviceID) == [house.ids.door, house.ids.door])
        #expect(try await house.call(.get, "/devices/\(house.ids.door)", as: .owner).data["device"]["name"].text != "Late")
        // A late request has not used its key.
        let again = try await house.command(
            "lock", as: .owner, on: house.ids.frontDoor, headers: [.idempotencyKey: "late"])
        #expect(again.status == 200)
    }

    @Test("A list without room is to be read in smaller pages, and other requests keep their responses")
    func memory() async throws {
        let house = try await House()
        let list = try await house.largeList()
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
    /// Attaches 40 locks, and returns the request for a list of them, whose response has more than 300 KiB.
    fileprivate func largeList() async throws -> BulkRequest {
        let metadata = #"{"metadata":{"text":"\#(String(repeating: "x", count: 8000))"}}"#
        for number in 0..<40 { _ = try await call(.put, "/devices/\(try await attach("n\(number)"))", as: .owner, metadata) }
        return BulkRequest(method: "GET", path: "/devices?limit=50")
    }

    /// Attaches a lock to the property, and returns its id.
    fileprivate func attach(_ name: String) async throws -> String {
        let made = try await call(
            .post, "/devices", as: .owner,
            #"{"name":"\#(name)","adapter":"scripted","address":{"topic":"\#(name)"},"propertyId":"\#(ids.property)"}"#)
        return try #require(made.data["device"]["id"].text)
    }
}
