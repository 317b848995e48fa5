import DoorwardDomain
import Testing

@testable import AdapterMQTT

@Suite struct CommandEndpointTests {
    /// A profile and the address variables of a lock.
    struct Address: Sendable, CustomTestStringConvertible {
        let profile: String
        let variables: [String: JSONValue]

        init(_ profile: String, _ variables: [String: JSONValue]) { (self.profile, self.variables) = (profile, variables) }

        var testDescription: String { "\(profile) \(variables)" }

        func endpoints() throws -> Set<CommandEndpoint> {
            try Dialect(try #require(ProfileLibrary.shipped[profile]), variables: variables).endpoints
        }
    }

    @Test(
        "two addresses of one lock have a command endpoint in common",
        arguments: [
            (
                Address("zigbee2mqtt", ["name": "front"]),
                Address("homeassistant", ["command_topic": "zigbee2mqtt/front/set/state"])
            ),
            (Address("nuki-native", ["id": "398172F4"]), Address("homeassistant", ["command_topic": "nuki/398172F4/unlock"])),
            (Address("homekey-esp32", ["client": "hall"]), Address("homeassistant", ["command_topic": "hall/homekit/set_state"])),
            (Address("zwave-js-ui", ["node": "front"]), Address("zwave-js-ui", ["node": "front", "naming": "named"])),
            (
                Address("zwave-js-ui", ["node": "front", "gateway": "office", "nodeId": .integer(5)]),
                Address("zwave-js-ui", ["node": "nodeID_5", "gateway": "office", "nodeId": "5", "naming": "named"])
            ),
        ])
    func same(one: Address, other: Address) throws {
        #expect(try !one.endpoints().isDisjoint(with: other.endpoints()))
    }

    @Test(
        "addresses of two locks have no command endpoint in common, even behind one bridge",
        arguments: [
            (Address("zigbee2mqtt", ["name": "front"]), Address("zigbee2mqtt", ["name": "front/set"])),
            (Address("zigbee2mqtt", ["name": "front"]), Address("zigbee2mqtt", ["name": "front", "base": "cabin"])),
            (Address("nuki-native", ["id": "398172F4"]), Address("nuki-native", ["id": "398172F5"])),
            (
                Address("zwave-js-ui", ["node": "front", "gateway": "office", "nodeId": .integer(5)]),
                Address("zwave-js-ui", ["node": "back", "gateway": "office", "nodeId": .integer(55)])
            ),
            (
                Address("zwave-js-ui", ["node": "front", "gateway": "office", "nodeId": .integer(5)]),
                Address("zwave-js-ui", ["node": "back", "gateway": "cabin", "nodeId": .integer(5)])
            ),
            (
                Address("tasmota", ["topic": "strike", "pulse": "ON"]),
                Address("tasmota", ["topic": "strike", "pulse": "ON", "relay": "2"])
            ),
        ])
    func different(one: Address, other: Address) throws {
        #expect(try one.endpoints().isDisjoint(with: other.endpoints()))
    }

    @Test("a command topic of a group does not make two locks the same lock")
    func group() throws {
        let profile = try Profile(
            yaml: """
                profile: group
                vars:
                  name: {}
                  side: { default: left, words: { left: l, right: r } }
                state: { topic: "{name}/state", map: { "1": locked, "0": unlocked } }
                commands:
                  lock: { topic: "{name}/{side}/set", payload: "1" }
                  unlock: { topic: "{name}/{side}/set", payload: "0" }
                  alsoOn: ["all/set", "{name}/set"]
                """, file: "group.yaml")
        let endpoints = try ["a", "b"].map { try Dialect(profile, variables: ["name": .string($0)]).endpoints }
        #expect(endpoints[0].isDisjoint(with: endpoints[1]))
        let right = try Dialect(profile, variables: ["name": "a", "side": "right"]).endpoints
        #expect(endpoints[0].isDisjoint(with: right), "the two leaves of one door")
    }
}
