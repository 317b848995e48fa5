import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import DoorwardHTTP
@testable import DoorwardStreams
@testable import DoorwardTenancy

/// Faults of clients and of what a stream depends on, over sockets. Time is virtual. Limits and the gate of revocations are in
/// `StreamRouteTests`, proxies and TLS in the end-to-end tests.
@Suite(.timeLimit(.minutes(30))) struct StreamFaultTests {
    /// The present streams of the gateway.
    private func streams(_ house: House) -> [LiveStream] { house.control.streams.table.all }

    private func until(_ condition: () -> Bool) async throws {
        while !condition() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test("A client that stops reading is disconnected; it fills no memory, and the others receive every change meanwhile")
    func stalled() async throws {
        let house = try await House()
        let token = try await house.token(of: .owner)
        let text = String(repeating: "x", count: 8000)
        #expect(
            try await house.call(.put, "/devices/\(house.ids.door)", as: .owner, #"{"metadata":{"note":"\#(text)"}}"#).status
                == 200)
        try await house.servingStreams { port in
            let query = "subscribe=doors:device"
            let stalled = try EventReader.open(query, port, token, receiveBuffer: 4096)
            var other = try EventReader.open(query, port, token)
            _ = try await other.next("ready")
            try await until { streams(house).count == 2 }
            // Far more than the buffers of the operating system take.
            for number in 0..<60 {
                let level = number % 100
                house.adapter.report(.battery(level: level, low: false), from: house.ids.door)
                var received: Int64?
                while received != Int64(level) { received = try await other.next("change")["object"]["batteryLevel"].number }
            }
            // The other client has received everything: its gate opens.
            func stalledStreams() -> [LiveStream] { streams(house).filter { $0.state.withLock { $0.inFlight != nil } } }
            try await until { stalledStreams().count == 1 }
            let blocked = try #require(stalledStreams().first)
            #expect(blocked.mirror.objectCount == 3, "what is subscribed, not what has happened")
            house.clock.advance(by: LiveStream.stall)
            await house.control.streams.check()
            try await until { streams(house).count == 1 }
            house.adapter.report(.battery(level: 99, low: false), from: house.ids.door)
            #expect(try await other.next("change")["object"]["batteryLevel"].number == 99)
            #expect(try await house.command(as: .tenant).status == 200)
            withExtendedLifetime(stalled) {}
        }
    }

    @Test("A stream whose client has closed the connection ends, though nothing is sent on it")
    func leaves() async throws {
        let house = try await House()
        let token = try await house.token(of: .owner)
        try await house.servingStreams { port in
            do {
                var reader = try EventReader.open("subscribe=doors:device", port, token)
                _ = try await reader.next("ready")
                #expect(streams(house).count == 1)
            }
            try await until { streams(house).isEmpty && house.control.streams.count == 0 }
        }
    }

    @Test("A stream outlives its access token, which opens no other one")
    func tokenExpiry() async throws {
        let house = try await House()
        let token = try await house.token(of: .owner)
        try await house.servingStreams { port in
            var reader = try EventReader.open("subscribe=doors:device", port, token)
            _ = try await reader.next("ready")
            // What is in flight for a day would count as not taken.
            try await until { streams(house).allSatisfy { $0.state.withLock { $0.inFlight == nil } } }
            house.clock.advance(by: .seconds(86_400))
            await house.control.streams.check()
            let expired = try await house.call(.get, "/devices", headers: [.authorization: "Bearer \(token)"])
            #expect(expired.status == 401)
            var late = try EventReader.open("subscribe=doors:device", port, token)
            await #expect(throws: RawConnection.Failed.self) { try await late.next() }
            #expect(late.head.hasPrefix("HTTP/1.1 401 "))
            house.adapter.report(.battery(level: 33, low: false), from: house.ids.door)
            var level: Int64?
            while level != 33 { level = try await reader.next("change")["object"]["batteryLevel"].number }
        }
    }

    @Test("A person who is disabled, and an API key that is deleted, lose their streams")
    func ended() async throws {
        let house = try await House()
        let made = try await house.call(
            .post, "/api-keys", as: .owner,
            """
            {"name":"Robot","entityType":"PROPERTY","entityId":"\(house.ids.property)","role":"MAINTENANCE",
            "expiresAt":"\(house.clock.now().advanced(by: .seconds(86_400)))"}
            """)
        let secret = try #require(made.data["secret"].text)
        let keyID = made.data["apiKey"]["id"].text ?? ""
        let token = try await house.token(of: .tenant)
        try await house.servingStreams { port in
            var person = try EventReader.open("subscribe=doors:device", port, token)
            var machine = try EventReader.open("subscribe=doors:device", port, secret)
            _ = try await person.next("ready")
            _ = try await machine.next("ready")
            let path = "/users/\(house.ids[.tenant])"
            #expect(try await house.call(.put, path, as: .superAdmin, #"{"isEnabled":false}"#).status == 200)
            await house.control.streams.check()
            try await person.expect("closing", "reason", .string("session_ended"))
            #expect(try await house.call(.delete, "/api-keys/\(keyID)", as: .owner).status == 204)
            await house.control.streams.check()
            try await machine.expect("closing", "reason", .string("session_ended"))
            for var reader in [person, machine] {
                let end = try await reader.next()
                #expect(end == nil)
            }
        }
    }

    @Test("With its portfolio, everything of a portfolio leaves the streams of its people, before the deletion is answered")
    func deletion() async throws {
        let house = try await House()
        let token = try await house.token(of: .owner)
        try await house.servingStreams { port in
            let names = ["device", "unit", "property", "portfolio", "guestAccess", "subscription", "accessRecord"]
            var reader = try EventReader.open(names.map { "subscribe=\($0):\($0)" }.joined(separator: "&"), port, token)
            var ready: Set<String> = []
            while ready.count < names.count { ready.insert(try await reader.next("ready")["name"].text ?? "") }
            let reply = try await house.call(
                .delete, "/portfolios/\(house.ids.portfolio)?cascade=true", as: .superAdmin)
            #expect(reply.status == 204, "\(reply.text)")
            var gone: Set<String> = []
            while gone.count < names.count {
                let event = try await reader.anyEvent()
                // Between the commit and the new directory, its people may still see the records of the deletion.
                let isRecord = event.data["type"].text == "accessRecord" && !gone.contains("accessRecord")
                #expect(event.name != "snapshot" && (event.name != "change" || isRecord), "\(event.data)")
                if event.name == "revoked" { gone.insert(event.data["name"].text ?? "") }
            }
        }
    }

    @Test("A position of yesterday resets the state and resumes the records")
    func yesterday() async throws {
        let house = try await House()
        let token = try await house.token(of: .owner)
        try await house.servingStreams { port in
            let query = "subscribe=doors:device&subscribe=log:accessRecord"
            var reader = try EventReader.open(query, port, token)
            var (ready, last) = (0, StreamEventText())
            while ready < 2 {
                last = try await reader.anyEvent()
                if last.name == "ready" { ready += 1 }
            }
            #expect(try await house.command(as: .tenant).status == 200)
            house.clock.advance(by: .seconds(86_400))
            var late = try EventReader.open(query, port, try await house.token(of: .owner), after: last.id)
            try await late.expect("stream", "resumed", .bool(false))
            var (names, kinds): ([String], [String]) = ([], [])
            while kinds.count < 2 || names.count < 3 {
                let event = try await late.anyEvent()
                let name = event.data["name"].text ?? ""
                if ["reset", "snapshot", "ready"].contains(event.name), name == "doors" { names.append(event.name) }
                if event.data["type"].text == "accessRecord" {
                    #expect(event.name == "change" && event.data["names"].elements == [.string("log")])
                    kinds.append(event.data["object"]["kind"].text ?? "")
                }
                #expect(event.name != "reset" || name == "doors")
            }
            #expect(names == ["reset", "snapshot", "ready"])
            #expect(kinds == ["COMMAND_INTENT", "COMMAND_OUTCOME"])
        }
    }

    @Test("Of 10,000 changes that a client does not take it receives the last state, and each of 300 records")
    func burst() async throws {
        let house = try await House()
        let errors = FieldErrors()
        var query = QueryReader("subscribe=doors:device&subscribe=log:accessRecord", errors: errors)
        let names = StreamRequest.names(&query, adapters: [])
        let caller = Caller(userID: house.ids[.owner], sessionID: House.session(of: .owner))
        let control = house.control
        let lease = try control.streams.open(caller, names, from: nil, wasSent: false, maxStreams: 10)
        var copy = StreamCopy()
        func drain() async throws -> Int {
            var count = 0
            control.streams.distributePending()
            while let batch = await lease.stream.pendingBatch() {
                for event in batch.events { try copy.apply(event.content) }
                count += batch.events.count
                lease.stream.written()
            }
            return count
        }
        _ = try await drain()
        let before = copy.records["log"]?.count ?? 0
        for number in 0..<10_000 {
            house.adapter.report(.battery(level: number % 100, low: false), from: house.ids.door)
        }
        #expect(lease.stream.mirror.objectCount == 3)
        var level: Int64?
        while level != 99 {
            try Task.checkCancellation()
            let count = try await drain()
            #expect(count < 200, "latest wins")
            level = copy.objects["doors"]?["\(house.ids.door)"]?["batteryLevel"].number
        }
        for _ in 0..<150 { #expect(try await house.command(as: .tenant).status == 200) }
        while (copy.records["log"]?.count ?? 0) < before + 300 {
            try Task.checkCancellation()
            _ = try await drain()
            await Task.yield()
        }
        let seqs = (copy.records["log"] ?? []).suffix(300).compactMap { $0["seq"].number }
        #expect(seqs == seqs.first.map { Array($0..<($0 + 300)) })
        #expect(copy.errors.isEmpty)
    }

    @Test("Records that were read together with commands that could not be read are sent once the store can be read")
    func failedRead() async throws {
        let house = try await House()
        let errors = FieldErrors()
        var query = QueryReader("subscribe=own:command&subscribe=log:accessRecord", errors: errors)
        let names = StreamRequest.names(&query, adapters: [])
        let caller = Caller(userID: house.ids[.owner], sessionID: House.session(of: .owner))
        let lease = try house.control.streams.open(caller, names, from: nil, wasSent: false, maxStreams: 10)
        var copy = StreamCopy()
        func drain() async throws {
            house.control.streams.distributePending()
            for _ in 0..<20 {
                guard let batch = await lease.stream.pendingBatch() else { continue }
                for event in batch.events { try copy.apply(event.content) }
                lease.stream.written()
            }
        }
        try await drain()
        let before = copy.records["log"]?.count ?? 0
        #expect(try await house.command(as: .tenant).status == 200)
        // The newest commands are compared, and their list cannot be read.
        lease.stream.markAllChanged()
        house.store.failLists()
        try await drain()
        #expect(copy.records["log"]?.count ?? 0 == before)
        house.store.recover()
        _ = lease.stream.tick(at: house.clock.monotonicNow())
        try await drain()
        #expect(copy.records["log"]?.count ?? 0 == before + 2, "the intent and the outcome")
        #expect(copy.errors.isEmpty)
    }
}
