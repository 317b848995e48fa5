import DoorwardMQTT
import DoorwardTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("A gateway with locks on a broker") struct MQTTRestartTests {
        @Test("a gateway killed with commands in flight and in the queue sends none of them after its restart")
        func killed() async throws {
            // The locks are still moving when the gateway is killed.
            let world = try await MQTTHouse.build(["--profile", "zigbee2mqtt:5", "--latency", "1h-1h"])
            let doors = try await world.attachFound(5)
            var asked: [String] = []
            for door in doors {
                for operation in ["unlock", "lock"] {
                    let id = try await world.ask(operation, door, milliseconds: 60_000)
                    asked.append(try #require(id))
                }
            }
            try await world.fleet.untilOrders(doors.count)
            await world.gateway.crash()

            let again = world.at(try await RunningGateway.start(in: world.gateway.folder, world.options))
            for id in asked { #expect(try await again.ended(id).state == "UNKNOWN") }
            try await again.untilHealth("ok")
            try await again.untilOnline(doors)
            // Commands sent by the restart would arrive before these new ones.
            for door in doors { _ = try await again.ask("unlock", door, milliseconds: 60_000) }
            try await world.fleet.untilOrders(2 * doors.count)
            await again.gateway.crash()
            #expect(await world.fleet.stop() == 0)
            let frames = try world.fleet.orders()
            for door in doors {
                let own = frames.filter { $0.topic == door.topic }.map(\.payload)
                #expect(own == [door.payload(of: "UNLOCK"), door.payload(of: "UNLOCK")])
            }
            try await RunningGateway.verifyLogs(in: world.gateway.folder)
        }

        @Test("a retained command of another client is logged and is not recorded as a command of the gateway")
        func retained() async throws {
            let world = try await MQTTHouse.build(["--profile", "zigbee2mqtt:1"])
            let somebody = MQTTTestClient(port: world.broker.port, ["zigbee2mqtt/left/set"])
            await somebody.connected()
            let topic = try #require(MQTTTopic("zigbee2mqtt/left/set"))
            try somebody.connection.publishRetainable(
                MQTTRetainablePublish(topic: topic, payload: Array(#"{"state":"UNLOCK"}"#.utf8)))
            _ = await somebody.message(on: "zigbee2mqtt/left/set")
            let door = try await world.attach(
                "Left", .object(["broker": .string("home"), "profile": .string("zigbee2mqtt"), "name": .string("left")]))
            while try !Self.log(of: world.gateway).contains("retained command") {
                try Task.checkCancellation()
                await Task.yield()
            }
            #expect(try await world.owner.get("/commands?deviceId=\(door.id)").data["commands"].items.isEmpty)
            #expect(try await world.owner.get("/devices/\(door.id)/status").data["status"]["state"] == .string("UNKNOWN"))
            #expect(try Self.log(of: world.gateway).contains(door.id), "the log line contains the lock's id")
            #expect(await world.gateway.stop() == 0)
            #expect(somebody.messages.count == 1, "the gateway published nothing")
            await somebody.connection.stop()
        }

        @Test(
            "locks that report a bolt half-way are shown as moving meanwhile, and their commands are confirmed by the end of the movement"
        )
        func halfWay() async throws {
            let world = try await MQTTHouse.build(["--profile", "zigbee2mqtt:2", "--half-way", "1"])
            let doors = try await world.attachFound(2)
            for door in doors {
                for (operation, state) in [("unlock", "UNLOCKED"), ("lock", "LOCKED")] {
                    _ = try await world.confirmed(operation, door)
                    let status = try await world.owner.get("/devices/\(door.id)/status").data["status"]
                    #expect(status["state"] == .string(state) && status["stateQuality"] == .string("CONFIRMED"))
                }
                let records = try await world.owner.get("/access-records?deviceId=\(door.id)&limit=200").data["accessRecords"]
                    .items
                #expect(records.count { $0["outcome"] == .string("CONFIRMED") } == 2)
                #expect(!records.contains { $0["event"] == .string("JAMMED") })
            }
            #expect(await world.gateway.stop() == 0)
            #expect(await world.fleet.stop() == 0)
            let halfWay = try world.fleet.frames().filter { $0.payload?.contains("not_fully_locked") == true }
            #expect(halfWay.count >= 4, "each movement was reported half-way")
        }

        @Test("discovered locks are attached, unlocked and shown on the command line")
        func commandLine() async throws {
            let world = try await MQTTHouse.build(["--profile", "zigbee2mqtt:2", "--profile", "nuki-native"])
            _ = try await world.found(3)
            let root = try await Shell.signedIn(RunningGateway.adminEmail, on: world.gateway)
            let owner = try await Shell.signedIn("owner@doors.example", on: world.gateway)
            let found = try await root.run("discovered")
            #expect(found.rows.count == 3, "\(found.output)\(found.errors)")
            #expect(try await owner.run("discovered").rows.isEmpty, "a broker without a portfolio shows its locks to no owner")
            for (index, row) in found.rows.enumerated() {
                let name = "Door \(index)"
                let id = try #require(row.last)
                let attached = try await root.run("attach", name, "--discovered", id, "--property", "Quay 1", "--unit", "1a")
                #expect(attached.rows.first?.first == name, "\(attached.errors)")
                let device = try #require(attached.rows.first?.last)
                try await world.untilOnline([MQTTDoor(id: device, topic: "", isNuki: false)])
                let opened = try await owner.run("unlock", name, "--timeout", "30")
                #expect(opened.output == "\(name)\tunlocked\n", "\(opened.errors)")
                let status = try await owner.run("status", name)
                #expect(status.output.contains("unlocked"), "\(status.output)\(status.errors)")
            }
            #expect(try await root.run("discovered").rows.isEmpty, "attached locks are no longer listed")
            #expect(await world.gateway.stop() == 0)
        }

        /// Returns the complete lines that all runs of the gateway have written to standard error.
        private static func log(of gateway: RunningGateway) throws -> String {
            let names = try FileManager.default.contentsOfDirectory(atPath: gateway.folder.path)
            return try names.filter { $0.hasPrefix("serve-") }
                .map { try String(contentsOfFile: gateway.folder.file($0), encoding: .utf8) }
                .map { $0[..<($0.lastIndex(of: "\n") ?? $0.startIndex)] }.joined(separator: "\n")
        }
    }
}
