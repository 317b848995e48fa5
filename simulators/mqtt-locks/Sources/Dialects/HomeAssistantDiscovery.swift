/// Home Assistant's discovery messages, as several ecosystems publish them (Home Assistant's documentation of the MQTT
/// integration: discovery, single components and devices).
enum HomeAssistantDiscovery {
    static let prefix = "homeassistant"
    /// Topic on which Home Assistant publishes that it has started.
    static let birthTopic = "homeassistant/status"

    static func isBirth(_ message: IncomingMessage) -> Bool { message.topic == birthTopic && message.text == "online" }

    static func message(_ path: String, _ configuration: JSON, qos: Int = 0, isRetained: Bool = true) -> OutgoingMessage {
        OutgoingMessage("\(prefix)/\(path)/config", configuration.description, qos: qos, isRetained: isRetained)
    }
}

extension LockContext {
    /// Publishes a discovery message for Home Assistant, unless the fleet disables discovery.
    mutating func discover(_ path: String, _ configuration: JSON, qos: Int = 0, isRetained: Bool = true) {
        guard settings.publishesDiscovery else { return }
        messages.append(HomeAssistantDiscovery.message(path, configuration, qos: qos, isRetained: isRetained))
    }
}
