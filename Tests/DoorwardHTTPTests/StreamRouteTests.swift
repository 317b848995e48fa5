import Crypto
import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import HTTPTypes
import Testing

@testable import DoorwardHTTP
@testable import DoorwardKernel
@testable import DoorwardLocks
@testable import DoorwardStreams
@testable import DoorwardTenancy

/// The live stream over sockets, and its routes. Time is virtual.
@Suite(.timeLimit(.minutes(30))) struct StreamRouteTests {
    private func openLease(_ house: House, _ person: House.Person, _ query: StreamQuery = .devices(DeviceFilter(), nil)) throws
        -> LiveStreams.Lease
    {
        let caller = Caller(userID: house.ids[person], sessionID: House.session(of: person))
        let name = StreamName(name: "doors", query: query, text: "device")
        return try house.control.streams.open(caller, [name], from: nil, wasSent: false, maxStreams: 1000)
    }

    @Test("A stream begins with its id and position, sends the objects, and then their changes under all their names")
    func changes() async throws {
        let house = try await House()
        let token = try await house.token(of: .owner)
        try await house.servingStreams { port in
            var reader = try EventReader.open(
                "subscribe=all:device&subscribe=flat:device:unitId%3D\(house.ids.unit)", port, token)
            let first = try await reader.anyEvent()
            #expect(first.name == "stream" && first.data["resumed"].flag == false)
            let position = try await reader.anyEvent()
            #expect(position.name == "position" && position.data["at"].text == "\(house.clock.now())")
            let snapshot = try await reader.next("snapshot")
            #expect(snapshot["name"].text == "all" && snapshot["last"].flag == true && snapshot["type"].text == "device")
            let list = try await house.call(.get, "/devices", as: .owner)
            #expect(Set(snapshot["objects"].elements) == Set(list.data["devices"].elements))
            try await reader.expect("ready", "name", .string("all"))
            try await reader.expect("ready", "name", .string("flat"))
            house.adapter.report(.battery(level: 7, low: true), from: house.ids.door)
            let change = try await reader.next("change")
            #expect(change["names"].elements.compactMap(\.text) == ["all", "flat"])
            #expect(change["object"]["batteryLevel"].number == 7)
            let head = reader.head.lowercased()
            for header in [
                "content-type: text/event-stream; charset=utf-8", "cache-control: no-store, no-transform",
                "x-accel-buffering: no",
            ] {
                #expect(head.contains(header), "\(header) in \(head)")
            }
            let path = "/stream/\(first.data["streamId"].text ?? "")/subscriptions"
            #expect(try await house.call(.put, "\(path)/units", as: .owner, #"{"type":"unit"}"#).status == 204)
            try await reader.expect("ready", "name", .string("units"))
            #expect(try await house.call(.delete, "\(path)/units", as: .owner).status == 204)
            #expect(try await house.call(.delete, "\(path)/units", as: .owner).status == 404)
            #expect(first.id.utf8.count == position.id.utf8.count && first.id != position.id)
        }
    }

    @Test("A guest who changes their name changes their guest accesses on open streams")
    func guestName() async throws {
        let house = try await House()
        let token = try await house.token(of: .manager)
        try await house.servingStreams { port in
            var reader = try EventReader.open("subscribe=guests:guestAccess", port, token)
            _ = try await reader.next("ready")
            #expect(try await house.call(.put, "/users/me", as: .guest, #"{"firstName":"Gus"}"#).status == 200)
            let change = try await reader.next("change")
            #expect(change["object"]["id"].text == house.ids.guestAccess.description)
            #expect(change["object"]["guest"]["name"].text == "Gus Last")
        }
    }

    @Test("A role that is taken revokes its name, and its session's end closes the stream")
    func revocation() async throws {
        let house = try await House()
        let token = try await house.token(of: .maintenance)
        try await house.servingStreams { port in
            var reader = try EventReader.open("subscribe=doors:device", port, token)
            _ = try await reader.next("ready")
            let path = "/properties/\(house.ids.property)/managers/\(house.ids[.maintenance])"
            #expect(try await house.call(.delete, path, as: .owner).status == 204)
            try await reader.expect("revoked", "name", .string("doors"))
            let given = try await house.call(
                .post, "/properties/\(house.ids.property)/managers", as: .owner,
                #"{"userId":"\#(house.ids[.maintenance])","role":"MAINTENANCE"}"#)
            #expect(given.status == 200)
            try await reader.expect("ready", "name", .string("doors"))
            #expect(try await house.call(.post, "/auth/logout", as: .maintenance).status == 204)
            await house.control.streams.check()
            try await reader.expect("closing", "reason", .string("session_ended"))
            let end = try await reader.next()
            #expect(end == nil, "the body ends")
        }
    }

    @Test("A stream is resumed after the last event; any other position resets its names")
    func resumption() async throws {
        let house = try await House()
        let (token, other) = (try await house.token(of: .owner), try await house.token(of: .admin))
        try await house.servingStreams { port in
            let query = "subscribe=doors:device&subscribe=log:accessRecord"
            var reader = try EventReader.open(query, port, token)
            var (ready, last) = (0, StreamEventText())
            while ready < 2, let event = try await reader.next() {
                last = event
                if event.name == "ready" { ready += 1 }
            }
            house.adapter.report(.battery(level: 9, low: false), from: house.ids.door)
            #expect(try await house.command(as: .tenant).status == 200)
            var resumed = try EventReader.open(query, port, token, after: last.id)
            try await resumed.expect("stream", "resumed", .bool(true))
            var kinds: [String] = []
            var level: Int64?
            while kinds.count < 2 || level == nil {
                let event = try await resumed.anyEvent()
                #expect(!["snapshot", "reset"].contains(event.name))
                if event.data["type"].text == "device" { level = event.data["object"]["batteryLevel"].number }
                if event.data["type"].text == "accessRecord" { kinds.append(event.data["object"]["kind"].text ?? "") }
            }
            #expect(level == 9 && kinds == ["COMMAND_INTENT", "COMMAND_OUTCOME"])
            let altered = "\(last.id.hasPrefix("A") ? "B" : "A")\(last.id.dropFirst())"
            for (id, token, query) in [
                (altered, token, query), (last.id, other, query), (last.id, token, "subscribe=doors:device"), ("x", token, query),
            ] {
                var reset = try EventReader.open(query, port, token, after: id)
                try await reset.expect("stream", "resumed", .bool(false))
                try await reset.expect("reset", "name", .string("doors"))
                try await reset.expect("snapshot", "name", .string("doors"))
            }
            house.control.streams.stop()
            try await resumed.expect("closing", "reason", .string("shutting_down"))
        }
    }

    @Test(
        "A change that takes a right away waits for what is in flight, and disconnects a client that does not take it",
        arguments: [true, false])
    func gate(isTaken: Bool) async throws {
        let house = try await House()
        let path = "/properties/\(house.ids.property)/managers/\(house.ids[.maintenance])"
        let lease = try openLease(house, .maintenance)
        let cuts = Seen(0)
        lease.stream.attach { cuts.change { $0 += 1 } }
        let batch = try #require(await lease.stream.pendingBatch())
        #expect(batch.events.count > 2)
        // Only the timers of windows sleep here.
        let sleepers = house.clock.sleeperCount
        let taking = Task { try await house.call(.delete, path, as: .owner).status }
        await house.clock.waitForSleepers(sleepers + 1)
        if isTaken { lease.stream.written() } else { house.clock.advance(by: LiveStreamTable.gateTimeout) }
        #expect(try await taking.value == 204)
        #expect(cuts.value == (isTaken ? 0 : 1))
    }

    @Test("While a client is being disconnected, what is in flight to it still holds changes back; nothing more is sent")
    func cutting() async throws {
        let house = try await House()
        let lease = try openLease(house, .maintenance)
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        lease.stream.attach {
            beginning.yield()
            for await _ in released { return }
        }
        _ = try #require(await lease.stream.pendingBatch())
        let path = "/properties/\(house.ids.property)/managers/\(house.ids[.maintenance])"
        let sleepers = house.clock.sleeperCount
        let taking = Task { try await house.call(.delete, path, as: .owner).status }
        await house.clock.waitForSleepers(sleepers + 1)
        house.clock.advance(by: LiveStreamTable.gateTimeout)
        for await _ in begun { break }
        #expect(lease.stream.isOutdatedInFlight())
        #expect(await lease.stream.nextBatch() == nil)
        release.yield()
        #expect(try await taking.value == 204)
        #expect(!lease.stream.isOutdatedInFlight())
    }

    @Test("A change does not wait for what is in flight to others")
    func unaffected() async throws {
        let house = try await House()
        let lease = try openLease(house, .owner)
        _ = try #require(await lease.stream.pendingBatch())
        let path = "/properties/\(house.ids.property)/managers/\(house.ids[.maintenance])"
        #expect(try await house.call(.delete, path, as: .owner).status == 204)
        withExtendedLifetime(lease) {}
    }

    @Test("At most 16 streams of a person, 64 names of a stream, and the given number of streams in all")
    func limits() async throws {
        let house = try await House()
        var leases: [LiveStreams.Lease] = []
        for _ in 0..<16 { leases.append(try openLease(house, .owner)) }
        let reply = try await house.call(.get, "/stream?subscribe=doors:device", as: .owner)
        #expect(reply.status == 429 && reply.code == "rate_limited" && reply.details["limit"].number == 16)
        #expect(reply.headers[.retryAfter] != nil)
        let path = "/stream/\(leases[0].stream.id)/subscriptions"
        for number in 0..<63 {
            #expect(try await house.call(.put, "\(path)/n\(number)", as: .owner, #"{"type":"unit"}"#).status == 204)
        }
        let full = try await house.call(.put, "\(path)/more", as: .owner, #"{"type":"unit"}"#)
        #expect(full.status == 429 && full.details["limit"].number == 64)
        leases.removeLast()
        #expect(throws: GatewayError.self) {
            let caller = Caller(userID: house.ids[.owner], sessionID: House.session(of: .owner))
            _ = try house.control.streams.open(caller, [], from: nil, wasSent: false, maxStreams: 15)
        }
        #expect(try await house.call(.get, "/stream?subscribe=doors:device", as: .owner).status == 200)
        // The id of another person's stream, and one that no stream has.
        let unknown = "/stream/\(house.ids.unit)/subscriptions"
        for person in [House.Person.admin, .stranger, .superAdmin] {
            let foreign = try await house.call(.put, "\(path)/doors", as: person, #"{"type":"unit"}"#)
            let none = try await house.call(.put, "\(unknown)/doors", as: person, #"{"type":"unit"}"#)
            #expect(foreign.status == 404 && foreign.withoutRequestID == none.withoutRequestID)
        }
    }

    @Test("A bad request is rejected with its fields")
    func badInput() async throws {
        let house = try await House()
        for (query, problem) in [
            ("subscribe=doors", "subscribe: malformed"), ("subscribe=a%20b:device", "subscribe: malformed"),
            ("subscribe=doors:door", "subscribe.doors: unknown_value"),
            ("subscribe=doors:device:state%3DOPEN", "subscribe.doors.state: unknown_value"),
            ("subscribe=doors:device:color%3Dred", "subscribe.doors.color: unknown_key"),
            ("subscribe=a:unit&subscribe=a:device", "subscribe.a: duplicate_key"), ("surprise=1", "surprise: unknown_key"),
            ("subscribe=a:unit&access_token=x", "access_token: unknown_key"),
        ] {
            let reply = try await house.call(.get, "/stream?\(query)", as: .owner)
            #expect(reply.status == 400 && reply.problems == [problem], "\(query): \(reply.text)")
        }
        // A token in the URL is rejected even if it is the only one.
        #expect(try await house.call(.get, "/stream?token=x").status == 400)
        #expect(try await house.call(.get, "/stream").status == 401)
        #expect(try await house.call(.head, "/stream?subscribe=doors:device", as: .owner).status == 200)
        #expect(house.control.streams.count == 0)
        for (body, problem) in [
            (#"{"subscriptions":{"a b":{"type":"unit"}}}"#, "subscriptions.a b: malformed"),
            (#"{"subscriptions":{"a":{}}}"#, "subscriptions.a.type: required"),
            (#"{"subscriptions":{"a":{"type":"device","query":"unit=1"}}}"#, "subscriptions.a.query.unit: unknown_key"),
            (
                #"{"subscriptions":{"a":{"type":"device","query":"adapter=nuki"}}}"#,
                "subscriptions.a.query.adapter: unknown_value"
            ),
            (#"{"subscriptions":[]}"#, "subscriptions: wrong_type"),
        ] {
            let reply = try await house.call(.post, "/stream", as: .owner, body)
            #expect(reply.status == 400 && reply.problems == [problem], "\(body): \(reply.text)")
        }
    }

    @Test("Ids of events have one length, and are valid for their caller and names only")
    func positions() throws {
        let positions = StreamPositions(key: SymmetricKey(size: .bits256), random: RandomSource(SeededGenerator(seed: 1)))
        var generator = SeededGenerator(seed: 2)
        var lengths: Set<Int> = []
        for count in 0...LogPositions.maxEntries {
            let entries = (0..<count).map { _ in LogPositions.Entry(log: generator.next(), next: generator.next()) }
            let records = LogPositions(
                entries: entries, latest: Timestamp(milliseconds: Int64.random(in: 0..<(1 << 40), using: &generator)),
                isComplete: count.isMultiple(of: 2))
            let position = StreamPosition(
                generation: generator.next(), stream: generator.next(), number: generator.next(),
                createdAt: MonotonicInstant(nanoseconds: Int64.random(in: 0...Int64.max, using: &generator)), records: records)
            let id = try positions.text(of: position, scope: "a")
            lengths.insert(id.utf8.count)
            #expect(positions.position(id, scope: "a") == position)
            #expect(positions.position(id, scope: "b") == nil)
            #expect(positions.position(String(id.dropLast()), scope: "a") == nil)
        }
        #expect(lengths.count == 1)
    }
}
