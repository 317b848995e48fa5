/// What lets Home Assistant find a lock, as several ecosystems publish it (Home Assistant's documentation of the MQTT
/// integration: discovery, single components and devices).
enum HomeAssistantDiscovery {
    static let prefix = "homeassistant"
    /// Where Home Assistant says that it has started.
    static let birthTopic = "homeassistant/status"

    static func isBirth(_ message: Message) -> Bool { message.topic == birthTopic && message.text == "online" }

    static func frame(_ path: String, _ configuration: JSON, qos: Int = 0, isRetained: Bool = true) -> Frame {
        Frame("\(prefix)/\(path)/config", configuration.description, qos: qos, isRetained: isRetained)
    }
}

extension Stage {
    /// Publishes what lets Home Assistant find the lock, unless the fleet keeps that to itself.
    mutating func discover(_ path: String, _ configuration: JSON, qos: Int = 0, isRetained: Bool = true) {
        guard manner.announcesItself else { return }
        frames.append(HomeAssistantDiscovery.frame(path, configuration, qos: qos, isRetained: isRetained))
    }
}
