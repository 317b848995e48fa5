internal import DoorwardMQTT

struct HomieReader: DiscoveryReader {
    var filters: [MQTTFilter] { ["+/5/+/$description", "+/5/+/$state"].compactMap { MQTTFilter($0) } }
    func read(_ message: MQTTMessage) -> (source: String, claims: [Claim])? { nil }
}
