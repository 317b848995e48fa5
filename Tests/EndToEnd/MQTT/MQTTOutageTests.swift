import DoorwardTesting
import Foundation
import Testing

extension EndToEnd {
    /// A real broker, a fleet of a hundred locks, and the built gateway between them and whoever asks.
    @Suite("A broker that dies while a hundred locks are told to open") struct MQTTOutageTests {
        @Test(
            "no frame of a command that has ended comes when the broker is back, none twice, none retained, and every command has one end",
            .timeLimit(.minutes(30)), arguments: [false, true])
        func outage(isFrozenFirst: Bool) async throws {
            let world = try await MQTTHouse.build(["--profile", "zigbee2mqtt:100", "--profile", "nuki-native:3"])
            let doors = try await world.attachFound(103)
            let burst = doors.filter { !$0.isNuki }
            let nuki = try #require(doors.first { $0.isNuki })
            #expect(burst.count == 100)
            var ids = [try await world.confirmed("unlock", nuki)]

            let asked = try await Self.askAll(burst, world) { [broker = world.broker] in
                // One that is frozen takes bytes and does nothing with them; later they are gone with it.
                if isFrozenFirst { broker.signal(SIGSTOP) } else { broker.kill() }
            }
            #expect(asked.count > 30, "the outage must have come in their midst")
            try await world.untilHealth("down")
            var ends: [MQTTCommand] = []
            for id in asked { ends.append(try await world.ended(id)) }
            #expect(ends.contains { $0.state != "CONFIRMED" }, "no command met the outage: the test has shown nothing")

            world.broker.kill()
            try await world.broker.runAgain()
            try await world.untilHealth("ok")
            let some = [burst[0], burst[50], burst[99], nuki]
            try await world.untilOnline(some)
            for door in some { ids.append(try await world.confirmed("lock", door)) }
            for id in ids { ends.append(try await world.ended(id)) }

            #expect(await world.gateway.stop() == 0)
            #expect(await world.fleet.stop() == 0)
            try Self.compare(try world.fleet.frames(), with: ends, doors, endedBefore: Set(asked))
            try await RunningGateway.verifyLogs(in: world.gateway.folder)
            let again = try await RunningGateway.start(in: world.gateway.folder, world.options)
            let log = try await CommandLog.read(by: world.owner.at(again))
            for end in ends { #expect(log.outcomes[end.id] == [end.state]) }
            for id in log.intents.keys { #expect(log.outcomes[id]?.count == 1) }
            #expect(await again.stop() == 0)
        }

        /// Asks nearly all at once; something happens when a part of them has been taken, and the others are asked afterwards.
        private static func askAll(
            _ doors: [MQTTDoor], _ world: MQTTHouse, _ happen: @Sendable () -> Void
        ) async throws -> [String] {
            try await withThrowingTaskGroup(of: String?.self) { group in
                for door in doors.dropLast(10) { group.addTask { try await world.ask("unlock", door) } }
                var ids: [String] = []
                for try await id in group {
                    if let id { ids.append(id) }
                    guard id != nil, ids.count == 30 else { continue }
                    happen()
                    for door in doors.suffix(10) { group.addTask { try await world.ask("unlock", door) } }
                }
                return ids
            }
        }

        /// Compares what came to the locks with what became of the commands, by the order of the frames alone.
        ///
        /// - Parameter endedBefore: the commands that had ended before the broker ran again.
        private static func compare(
            _ all: [FleetFrame], with ends: [MQTTCommand], _ doors: [MQTTDoor], endedBefore: Set<String>
        ) throws {
            let doorOf = Dictionary(uniqueKeysWithValues: doors.map { ($0.id, $0) })
            let frames = all.filter(\.isOrder)
            var lastConnection: [String: Int] = [:]
            for (index, frame) in all.enumerated() where frame.isConnectionMark { lastConnection[frame.client] = index }
            var explained = 0
            for end in ends {
                let door = try #require(doorOf[end.deviceID])
                let isOwn = { (frame: FleetFrame) in
                    frame.isOrder && frame.topic == door.topic && frame.payload == door.payload(of: end.operation)
                }
                let own = all.indices.filter { isOwn(all[$0]) }
                #expect(own.count <= 1, "command \(end.id) came \(own.count) times")
                if endedBefore.contains(end.id) {
                    for index in own {
                        #expect(
                            index < lastConnection[all[index].client] ?? 0,
                            "command \(end.id) came after the broker had been restarted")
                    }
                }
                if end.state == "CONFIRMED" { #expect(own.count == 1, "command \(end.id) was confirmed and never came") }
                if !end.wasSent { #expect(own.isEmpty, "command \(end.id) was not sent and came") }
                explained += own.count
            }
            #expect(frames.allSatisfy { !$0.retain })
            #expect(explained == frames.count, "a frame came that nobody asked for")
        }
    }
}
