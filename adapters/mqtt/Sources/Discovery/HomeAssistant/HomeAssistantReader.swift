internal import DoorwardMQTT

struct HomeAssistantReader: DiscoveryReader {
    init?(profiles: Set<String>) { nil }
    var filters: [MQTTFilter] { [] }
    func read(_ message: MQTTMessage) -> (source: String, claims: [Claim])? { nil }
}
