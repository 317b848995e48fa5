import DoorwardMQTT
import Foundation
import Testing

@testable import doorward_mqtt_locks

/// The built program with a real mosquitto.
@Suite(.serialized, .timeLimit(.minutes(30))) struct BrokerTests {
    private static var program: String {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return URL(filePath: tests).deletingLastPathComponent().appending(component: "doorward-mqtt-locks").path
    }

    private static func fleet(_ broker: Mosquitto, _ profiles: [String], _ more: [String] = []) async throws -> Child {
        let arguments = ["--broker", "mqtt://127.0.0.1:\(broker.port)", "--latency", "10ms-20ms"]
        let fleet = try Child(program, arguments + profiles.flatMap { ["--profile", $0] } + more)
        _ = try #require(await fleet.line { $0 == "ready" })
        return fleet
    }

    /// Reads the frames of a log as JSON.
    private static func frames(_ path: String) throws -> [JSON] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").compactMap { JSON(Array($0.utf8)) }
    }

    @Test(
        "a ready fleet can be discovered later, executes commands, publishes its last wills, and logs its frames")
    func plays() async throws {
        let folder = try Folder()
        let broker = try await Mosquitto.start(in: folder)
        let log = folder.path + "/frames.ndjson"
        let fleet = try await Self.fleet(broker, ["zigbee2mqtt:2", "esphome", "tasmota"], ["--frames", log])
        let watcher = Watcher(port: broker.port)
        // Messages are retained only as in the real ecosystems.
        #expect(await watcher.message("esphome-1/lock/front_door/state", "LOCKED").isRetained)
        #expect(await watcher.message("zigbee2mqtt/bridge/devices", "zigbee2mqtt-2").isRetained)
        await watcher.message("tele/tasmota-1/LWT", "Online")
        try await watcher.order("zigbee2mqtt/zigbee2mqtt-2/set", #"{"state":"UNLOCK"}"#)
        let report = await watcher.message("zigbee2mqtt/zigbee2mqtt-2", #""lock_state":"unlocked""#)
        #expect(!report.isRetained)
        #expect(!watcher.messages.contains { $0.isRetained && $0.topic == "zigbee2mqtt/zigbee2mqtt-2" })
        fleet.write("offline esphome-1")
        #expect(await watcher.message("esphome-1/status", "offline").isRetained == false)
        #expect(await fleet.line { $0 == "ok: offline esphome-1" } != nil)
        fleet.write("thumb-turn esphome-1")
        fleet.write("online esphome-1")
        await watcher.message("esphome-1/lock/front_door/state", "UNLOCKED")
        fleet.write("explode esphome-1")
        #expect(await fleet.line { $0.hasPrefix("error: explode") } != nil)
        fleet.write("quit")
        #expect(await fleet.line { $0.hasPrefix("4 locks: heard 1 message,") } != nil)
        #expect(fleet.end() == 0)
        let frames = try Self.frames(log)
        let orders = frames.filter { $0["direction"]?.text == "in" }
        #expect(orders.map { $0["payload"]?.text } == [#"{"state":"UNLOCK"}"#])
        #expect(orders.allSatisfy { $0["qos"]?.whole == 0 && $0["retain"]?.flag == false && $0["wallMs"]?.whole != nil })
        // Every message of the fleet is in its log, except the last wills.
        let said = Set(frames.filter { $0["direction"]?.text == "out" }.compactMap { $0["topic"]?.text })
        let live = watcher.messages.filter {
            !$0.topic.hasSuffix("/set") && !String(decoding: $0.payload, as: UTF8.self).contains("ffline")
        }
        #expect(live.allSatisfy { said.contains($0.topic) })
        await watcher.stop()
    }

    @Test("a fleet whose output is no longer read shuts down cleanly and publishes its last wills")
    func nobodyReads() async throws {
        let folder = try Folder()
        let broker = try await Mosquitto.start(in: folder)
        let arguments = ["--broker", "mqtt://127.0.0.1:\(broker.port)", "--profile", "esphome"]
        let script = #""$@" | { head -n 1 >/dev/null; exec <&-; echo gone; }; exit ${PIPESTATUS[0]}"#
        let fleet = try Child("/bin/bash", ["-c", script, "bash", Self.program] + arguments)
        let watcher = Watcher(port: broker.port)
        await watcher.message("esphome-1/status", "online")
        #expect(await fleet.line { $0 == "gone" } != nil)
        fleet.write("thumb-turn esphome-1")
        await watcher.message("esphome-1/status", "offline")
        #expect(fleet.end() == 0)
        await watcher.stop()
    }

    @Test("wrong usage exits 2 with an error message", arguments: [["--profile", "esphome"], ["--no-such-option"]])
    func usage(_ arguments: [String]) async throws {
        let fleet = try Child(Self.program, arguments, readsErrors: true)
        #expect(await fleet.line { $0.hasPrefix("Error: ") } != nil)
        #expect(fleet.end() == 2)
    }

    @Test("the summary of one lock uses the singular")
    func one() {
        #expect(FleetCounts().summary(locks: 1).hasPrefix("1 lock: heard 0 messages"))
    }

    @Test("after a crash of the broker the whole fleet reconnects, and does not publish events that happened meanwhile")
    func brokerDies() async throws {
        let folder = try Folder()
        let broker = try await Mosquitto.start(in: folder)
        let fleet = try await Self.fleet(broker, ["zigbee2mqtt:2", "homeassistant:2"])
        broker.process.kill()
        fleet.write("thumb-turn zigbee2mqtt-1")
        #expect(await fleet.line { $0 == "ok: thumb-turn zigbee2mqtt-1" } != nil)
        let again = try await Mosquitto.start(in: folder, port: broker.port)
        let watcher = Watcher(port: again.port)
        await watcher.message("locks/homeassistant-2/availability", "online")
        await watcher.message("zigbee2mqtt/zigbee2mqtt-1/availability", "online")
        try await watcher.order("zigbee2mqtt/zigbee2mqtt-1/get", #"{"state":""}"#)
        await watcher.message("zigbee2mqtt/zigbee2mqtt-1", #""lock_state":"unlocked""#)
        // Only the present state is published.
        let told = watcher.messages.filter { $0.topic == "zigbee2mqtt/zigbee2mqtt-1" }
        #expect(!told.contains { String(decoding: $0.payload, as: UTF8.self).contains("action") })
        fleet.write("quit")
        #expect(fleet.end() == 0)
        await watcher.stop()
    }
}
