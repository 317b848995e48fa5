import DoorwardTesting
import Foundation
import Testing

extension EndToEnd {
    /// A real broker, a fleet of a hundred locks, and the built gateway.
    @Suite("A broker that fails during commands to a hundred locks") struct MQTTOutageTests {
        @Test(
            "even if the broker restarts, no command is sent after its end, sent twice or retained, and each has one outcome",
            .timeLimit(.minutes(30)), arguments: [false, true])
        func outage(isFrozenFirst: Bool) async throws {
            let world = try await MQTTHouse.build(["--profile", "zigbee2mqtt:100", "--profile", "nuki-native:3"])
            let doors = try await world.attachFound(103)
            let burst = doors.filter { !$0.isNuki }
            let nuki = try #require(doors.first { $0.isNuki })
            #expect(burst.count == 100)
            var ids = [try await world.confirmed("unlock", nuki)]

            let asked = try await Self.askAll(burst, world) { [broker = world.broker] in
                // A frozen broker accepts bytes without processing them; they are lost when it is killed.
                if isFrozenFirst { broker.signal(SIGSTOP) } else { broker.kill() }
            }
            #expect(asked.count > 30, "the outage must come while commands are sent")
            try await world.untilHealth("down")
            var ends: [MQTTCommand] = []
            for id in asked { ends.append(try await world.ended(id)) }
            #expect(ends.contains { $0.state != "CONFIRMED" }, "the outage affected no command: nothing was tested")

            world.broker.kill()
            try await world.broker.restart()
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

        /// Sends most of the commands at once. Calls `happen` when 30 of them were accepted, and then sends the rest.
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

        /// Compares the messages that the locks received with the outcomes of the commands, using only the order of the frames.
        ///
        /// - Parameter endedBefore: the commands that had ended before the broker was restarted.
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
                #expect(own.count <= 1, "command \(end.id) was received \(own.count) times")
                if endedBefore.contains(end.id) {
                    for index in own {
                        #expect(
                            index < lastConnection[all[index].client] ?? 0,
                            "command \(end.id) was received after the broker had been restarted")
                    }
                }
                if end.state == "CONFIRMED" { #expect(own.count == 1, "command \(end.id) was confirmed but not received") }
                if !end.wasSent { #expect(own.isEmpty, "command \(end.id) was received but not sent") }
                explained += own.count
            }
            #expect(frames.allSatisfy { !$0.retain })
            #expect(explained == frames.count, "a lock received a message without a command")
        }
    }
}
