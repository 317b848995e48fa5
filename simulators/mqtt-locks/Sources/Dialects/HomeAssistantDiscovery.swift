/// Home Assistant's discovery messages, as several ecosystems publish them (Home Assistant's documentation of the MQTT
/// integration: discovery, single components and devices).
enum HomeAssistantDiscovery {
    static let prefix = "homeassistant"
    /// Topic on which Home Assistant publishes that it has started.
    static let birthTopic = "homeassistant/status"

    static func isBirth(_ message: Message) -> Bool { message.topic == birthTopic && message.text == "online" }

    static func frame(_ path: String, _ configuration: JSON, qos: Int = 0, isRetained: Bool = true) -> Frame {
        Frame("\(prefix)/\(path)/config", configuration.description, qos: qos, isRetained: isRetained)
    }
}

extension LockContext {
    /// Publishes a discovery message for Home Assistant, unless the fleet disables discovery.
    mutating func discover(_ path: String, _ configuration: JSON, qos: Int = 0, isRetained: Bool = true) {
        guard manner.announcesItself else { return }
        frames.append(HomeAssistantDiscovery.frame(path, configuration, qos: qos, isRetained: isRetained))
    }
}
