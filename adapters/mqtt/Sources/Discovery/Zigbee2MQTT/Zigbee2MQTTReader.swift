internal import DoorwardDomain
internal import DoorwardMQTT

/// Reads the list of devices that Zigbee2MQTT keeps on its broker.
struct Zigbee2MQTTReader: DiscoveryReader {
    /// Bytes of a list. A device takes two to ten thousand, a network has some hundred devices.
    static let longest = 4 << 20

    /// Bases of one level and of two (`zigbee2mqtt`, `home/zigbee`).
    var filters: [MQTTFilter] { ["+\(Self.suffix)", "+/+\(Self.suffix)"].compactMap { MQTTFilter($0) } }

    func read(_ message: MQTTMessage) -> (source: String, claims: [Claim])? {
        guard let base = base(of: message.topic) else { return nil }
        guard !message.payload.isEmpty else { return (message.topic, []) }
        guard let list = JSONText.read(message.payload, longest: Self.longest)?.array else { return nil }
        return (message.topic, list.compactMap { BridgeDevice($0) }.flatMap { claims($0, base: base) })
    }

    private func base(of topic: String) -> String? {
        guard topic.hasSuffix(Self.suffix), MQTTTopic(topic) != nil else { return nil }
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false).dropLast(2)
        guard (1...2).contains(levels.count), levels.allSatisfy({ !$0.isEmpty }) else { return nil }
        return levels.joined(separator: "/")
    }

    private func claims(_ device: BridgeDevice, base: String) -> [Claim] {
        device.locks.map { lock in
            let place = base == Self.standardBase ? device.ieeeAddress : "\(base)/\(device.ieeeAddress)"
            var found = FoundLock(
                id: "zigbee2mqtt:" + place + (lock.endpoint.map { ":\($0)" } ?? ""), name: device.friendlyName,
                manufacturer: device.vendor, model: device.model, profile: "zigbee2mqtt",
                variables: ["name": .string(device.friendlyName)].with("base", base, unless: Self.standardBase),
                problem: problem(device, lock))
            // The bridge takes the address for the name.
            if device.friendlyName != device.ieeeAddress { found.otherCommandTopics = ["\(base)/\(device.ieeeAddress)/set"] }
            return Claim(lock: found, commandTopic: "\(base)/\(device.friendlyName)/set", weight: .ownWord)
        }
    }

    private func problem(_ device: BridgeDevice, _ lock: BridgeDevice.Lock) -> String? {
        if MQTTTopic(device.friendlyName) == nil {
            return "its friendly name is no part of a topic: rename it in Zigbee2MQTT, without `+` and `#`"
        }
        if device.isDisabled { return "it is disabled in Zigbee2MQTT: enable it there" }
        if !device.isInterviewed { return "its interview is not finished: wait, or interview it again in Zigbee2MQTT" }
        if let endpoint = lock.endpoint {
            return "needs a profile: it is the part `\(endpoint.prefix(40))` of a device with several"
        }
        guard lock.locked == "LOCK", lock.unlocked == "UNLOCK" else {
            return "needs a profile: its state has other words than LOCK and UNLOCK"
        }
        return nil
    }

    private static let suffix = "/bridge/devices"
    private static let standardBase = "zigbee2mqtt"
}
