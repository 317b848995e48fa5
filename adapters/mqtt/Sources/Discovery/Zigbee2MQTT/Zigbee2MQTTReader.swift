internal import DoorwardMQTT

struct Zigbee2MQTTReader: DiscoveryReader {
    var filters: [MQTTFilter] { ["+/bridge/devices", "+/+/bridge/devices"].compactMap { MQTTFilter($0) } }
    func read(_ message: MQTTMessage) -> (source: String, claims: [Claim])? { nil }
}
