import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Foundation
import Testing

/// Tests of the broker configuration in docs/mqtt.md, with a real mosquitto.
@Suite(.timeLimit(.minutes(30))) struct BrokerPageTests {
    static let users = [
        "doorward", "zigbee2mqtt", "nuki-398172F4", "nukihub", "zwave", "ring", "porch", "strike", "side-door", "reader",
    ]

    @Test("allows each user to write to its own topics and to no others")
    func writing() async throws {
        let broker = try await PageBroker()
        for (user, own, foreign) in Self.written {
            let guest = try await broker.guest(user)
            for topic in own { #expect(try await guest.mayWrite(topic), "\(user) must write to \(topic)") }
            for topic in foreign { #expect(try await !guest.mayWrite(topic), "\(user) must not write to \(topic)") }
            await guest.disconnect()
        }
    }

    @Test("allows each user to read its own topics, and the gateway those of all locks")
    func reading() async throws {
        let broker = try await PageBroker()
        let host = try await broker.guest(PageBroker.host)
        for topic in Set(Self.read.flatMap(\.topics)) { try await host.publishRetained(topic) }
        for (user, echo, topics) in Self.read {
            let guest = try await broker.guest(user)
            #expect(try await guest.receivedTopics(until: echo) == Set(topics + [echo]), "\(user)")
            await guest.disconnect()
        }
        await host.disconnect()
    }

    @Test("rejects a client without a user name")
    func anonymous() async throws {
        let broker = try await PageBroker()
        await #expect(throws: PageBroker.Refused.self) { try await broker.guest(nil) }
    }

    /// A user, topics that it must be able to write to, and topics that it must not be able to write to.
    static let written: [(String, [String], [String])] = [
        (
            "doorward",
            [
                "zigbee2mqtt/front/set", "zigbee2mqtt/front/get", "nuki/398172F4/lockAction", "nukihub/lock/action",
                "nukihub/lock/query/lockstate", "zwave/front/98/0/targetMode/set", "ring/1/alarm/2/lock/command",
                "homie/5/side-door/lock/command/set", "porch/lock/front_door/command", "cmnd/strike/POWER",
                "reader/homekit/set_target_state",
            ],
            [
                "zigbee2mqtt/front", "zigbee2mqtt/bridge/request/device/remove", "zigbee2mqtt/bridge/devices",
                "nuki/398172F4/state",
                "homeassistant/lock/a/config", "zwave/_CLIENTS/ZWAVE_GATEWAY-a/api/writeValue/set", "porch/lock/front_door/state",
                "stat/strike/POWER", "homie/5/side-door/lock/state",
            ]
        ),
        (
            "zigbee2mqtt", ["zigbee2mqtt/front", "zigbee2mqtt/bridge/devices"],
            ["nuki/398172F4/lockAction", "homeassistant/lock/front/config", "homie/5/side-door/lock/command/set"]
        ),
        (
            "nuki-398172F4", ["nuki/398172F4/state", "homeassistant/lock/nuki_398172F4_lock/config"],
            ["nuki/00000000/state", "homeassistant/lock/nuki_00000000_lock/config", "zigbee2mqtt/front/set"]
        ),
        (
            "porch", ["porch/lock/front_door/state", "porch/status", "homeassistant/lock/porch/front_door/config"],
            [
                "strike/lock/front_door/state", "homeassistant/lock/strike/front_door/config",
                "homeassistant/device/porch/config",
                "zigbee2mqtt/bridge/devices", "cmnd/strike/POWER",
            ]
        ),
        ("strike", ["stat/strike/POWER", "tele/strike/LWT"], ["stat/other/POWER", "cmnd/strike/POWER", "cmnd/other/POWER"]),
        ("side-door", ["homie/5/side-door/$state", "homie/5/side-door/lock/state"], ["homie/5/other/$state"]),
        ("reader", ["reader/homekit/state", "reader/homekey/auth", "reader/status"], ["other/homekit/state"]),
    ]

    /// A user, a topic that it can write to and read, and the retained topics that it can read.
    static let read: [(user: String, echo: String, topics: [String])] = [
        (
            "doorward", "zigbee2mqtt/echo/get",
            [
                "homeassistant/lock/a/config", "zigbee2mqtt/bridge/devices", "nuki/398172F4/state", "porch/lock/front_door/state",
                "porch/lock/front_door/command", "porch/status", "stat/strike/POWER", "cmnd/strike/POWER",
                "homie/5/side-door/$description", "homie/5/side-door/lock/command/set", "reader/homekit/state",
            ]
        ),
        ("porch", "porch/lock/echo/state", ["porch/lock/front_door/state", "porch/lock/front_door/command"]),
        ("strike", "strike/lock/echo/state", ["cmnd/strike/POWER"]),
        ("side-door", "homie/5/side-door/echo", ["homie/5/side-door/$description", "homie/5/side-door/lock/command/set"]),
        ("zigbee2mqtt", "zigbee2mqtt/echo", ["zigbee2mqtt/bridge/devices"]),
    ]
}
