import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Foundation
import Testing

/// Tests of connecting and disconnecting, and of the events reported about them.
@Suite(.timeLimit(.minutes(30))) struct LifecycleTests {
    private func settings(_ port: Int, will: String) throws -> MQTTSettings {
        var settings = MQTTSettings(host: "127.0.0.1", port: port, clientID: UUID().uuidString)
        settings.will = .init(topic: try #require(MQTTTopic("gateway/\(will)")), payload: Array("gone".utf8), isRetained: false)
        return settings
    }

    @Test("the last will is published when the connection is cut, and not after a DISCONNECT")
    func will() async throws {
        let broker = try await MosquittoProcess.start()
        let proxy = try Proxy(to: broker.port)
        let watcher = MQTTTestClient(port: broker.port, ["gateway/#"])
        await watcher.connected()
        try await roundTrip(watcher, on: "gateway/begin")
        let orderly = MQTTTestClient(try settings(broker.port, will: "orderly"))
        let cut = MQTTTestClient(try settings(proxy.port, will: "cut"))
        await orderly.connected()
        await cut.connected()
        await orderly.connection.stop()
        proxy.close()
        #expect(await watcher.message(on: "gateway/cut")?.payload == Array("gone".utf8))
        // Two round trips, because the broker may process the packets of two connections in either order.
        try await roundTrip(watcher, on: "gateway/end")
        try await roundTrip(watcher, on: "gateway/very-end")
        #expect(!watcher.messages.contains { $0.topic == "gateway/orderly" })
        for one in [watcher, cut] { await one.connection.stop() }
    }

    @Test("300 connections of one process are open at the same time, and all stop")
    func many() async throws {
        let broker = try await MosquittoProcess.start()
        let locks = (0..<300).map { MQTTTestClient(port: broker.port, ["door/\($0)/set"]) }
        for lock in locks { await lock.connected() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, lock) in locks.enumerated() { group.addTask { try await roundTrip(lock, on: "door/\(number)/set") } }
            try await group.waitForAll()
        }
        await withTaskGroup(of: Void.self) { group in
            for lock in locks { group.addTask { await lock.connection.stop() } }
        }
        #expect(locks.allSatisfy { $0.events.last == .disconnected(.stopped) && !$0.connection.isConnected })
    }

    @Test("`stop` before `start`, twice, or while connecting returns, and no event follows")
    func stopping() async throws {
        let broker = try await MosquittoProcess.start()
        let settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "gateway")
        let never = MQTTConnection(settings) { Issue.record("\($0) after the end") }
        await never.stop()
        #expect(never.lastFailure == nil && !never.isConnected)
        never.start()
        await never.stop()
        let lock = MQTTTestClient(port: broker.port)
        async let first: Void = lock.connection.stop()
        async let second: Void = lock.connection.stop()
        _ = await (first, second)
        let events = lock.events
        lock.connection.start()
        lock.connection.subscribe(to: [try #require(MQTTFilter("#"))])
        await lock.connection.stop()
        #expect(lock.events == events)
        // The server accepts the connection and sends nothing.
        let listener = try Listener()
        defer { close(listener.descriptor) }
        await MQTTTestClient(port: listener.port).connection.stop()
    }

    @Test("messages published by many threads arrive intact and at most once, also if the connection is stopped meanwhile")
    func manyThreads() async throws {
        let broker = try await MosquittoProcess.start(["allow_anonymous true", "max_queued_messages 0"])
        let lock = MQTTTestClient(port: broker.port, ["door/#"])
        await lock.connected()
        try await roundTrip(lock, on: "door/begin")
        let gateway = MQTTTestClient(port: broker.port, ["door/#"])
        await gateway.connected()
        let sent = await withTaskGroup(of: [String].self) { group in
            for thread in 0..<8 {
                group.addTask {
                    (0..<200).map { number in
                        let qos = number.isMultiple(of: 2) ? MQTTQoS.atMostOnce : .atLeastOnce
                        return Result {
                            try gateway.connection.publish(
                                try MQTTPublish("door/\(thread)/\(number)", "\(thread) \(number)", qos))
                            return "\(thread) \(number)"
                        }
                    }.compactMap { (sent: Result<String, any Error>) in try? sent.get() }
                }
            }
            group.addTask {
                await gateway.connection.stop()
                return []
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        try await roundTrip(lock, on: "door/end")
        try await roundTrip(lock, on: "door/very-end")
        let received = lock.messages.map { String(decoding: $0.payload, as: UTF8.self) }.filter { $0 != "round" }
        #expect(Set(received).isSubset(of: sent) && Set(received).count == received.count)
        await lock.connection.stop()
    }

    @Test("`lastFailure` is `nil` until the connection is lost; messages are then rejected, as one that is too long always is")
    func lastFailure() async throws {
        let broker = try await MosquittoProcess.start()
        let gateway = MQTTTestClient(port: broker.port, ["door/set"])
        let connected = await gateway.connected()
        try await roundTrip(gateway, on: "door/set")
        let id = try gateway.connection.publish(try MQTTPublish("door/set", "UNLOCK", .atLeastOnce)).id
        await gateway.event { if case .acknowledged(let its, .accepted) = $0 { its == id } else { false } }
        #expect(throws: MQTTSendError.tooLong) {
            try gateway.connection.publish(try MQTTPublish("door/set", String(repeating: "x", count: 100_000)))
        }
        #expect(gateway.connection.lastFailure == nil)
        broker.kill()
        let (failure, _) = await gateway.disconnected(from: connected)
        #expect(throws: MQTTSendError.notConnected) { try gateway.connection.publish(try MQTTPublish("door/set", "UNLOCK")) }
        #expect(failure != nil && gateway.connection.lastFailure == failure)
        await gateway.connection.stop()
    }
}
