internal import DoorwardDomain
internal import DoorwardMQTT

/// Reads the device list that Zigbee2MQTT retains on its broker.
struct Zigbee2MQTTReader: DiscoveryReader {
    /// Maximum bytes of a list. A device takes two thousand to ten thousand bytes, and a bridge may have two thousand devices.
    static let maxListBytes = 24 << 20

    /// The topics of the device list, for a base topic with one level or with two (`zigbee2mqtt`, `home/zigbee`).
    var filters: [MQTTFilter] { ["+\(Self.suffix)", "+/+\(Self.suffix)"].compactMap { MQTTFilter($0) } }

    func read(_ message: MQTTMessage) -> (source: String, entries: [DiscoveryEntry])? {
        guard let base = base(of: message.topic) else { return nil }
        guard !message.payload.isEmpty else { return (message.topic, []) }
        guard message.payload.count <= Self.maxListBytes, let devices = JSONElements(message.payload) else { return nil }
        var found: [DiscoveryEntry] = []
        // Most devices are no locks: only those that contain `mark` are parsed.
        for element in devices.slices where element.firstRange(of: Self.lockMarker) != nil {
            guard let text = JSONText.read(Array(element), maxBytes: Self.maxDeviceBytes) else { return nil }
            if let device = BridgeDevice(text) { found += entries(device, base: base) }
        }
        return (message.topic, found)
    }

    /// The text that the description of every lock contains.
    private static let lockMarker = Array(#""lock""#.utf8)
    /// Maximum bytes of one device.
    private static let maxDeviceBytes = 1 << 20

    func problem(with message: MQTTMessage) -> String? {
        guard message.payload.count > Self.maxListBytes, base(of: message.topic) != nil else { return nil }
        return "it is longer than \(Self.maxListBytes >> 20) MiB"
    }

    private func base(of topic: String) -> String? {
        guard topic.hasSuffix(Self.suffix), MQTTTopic(topic) != nil else { return nil }
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false).dropLast(2)
        guard (1...2).contains(levels.count), levels.allSatisfy({ !$0.isEmpty }) else { return nil }
        return levels.joined(separator: "/")
    }

    private func entries(_ device: BridgeDevice, base: String) -> [DiscoveryEntry] {
        device.locks.map { lock in
            let path = base == Self.standardBase ? device.ieeeAddress : "\(base)/\(device.ieeeAddress)"
            let (part, ending) = (lock.endpoint ?? "", lock.endpoint.map { "/\($0)/set" } ?? "/set")
            var found = AnnouncedLock(
                id: "zigbee2mqtt:" + path + (lock.endpoint.map { ":\($0)" } ?? ""),
                name: device.friendlyName + (lock.endpoint.map { " \($0)" } ?? ""),
                product: device.product, profile: "zigbee2mqtt",
                variables: ["name": .string(device.friendlyName)].with("base", base, unless: Self.standardBase)
                    .with("endpoint", part, unless: ""),
                problem: problem(device, lock))
            found.hasHardwareID = true
            // The bridge accepts the IEEE address in place of the name.
            if device.friendlyName != device.ieeeAddress { found.otherCommandTopics = ["\(base)/\(device.ieeeAddress)\(ending)"] }
            return DiscoveryEntry(
                lock: found, commandTopic: TopicText("\(base)/\(device.friendlyName)\(ending)"), weight: .inventory)
        }
    }

    private func problem(_ device: BridgeDevice, _ lock: BridgeDevice.Lock) -> String? {
        if MQTTTopic(device.friendlyName) == nil {
            return "its friendly name cannot be part of a topic: rename it in Zigbee2MQTT, without `+` and `#`"
        }
        if device.isDisabled { return "it is disabled in Zigbee2MQTT: enable it there" }
        if !device.isInterviewed { return "its interview is not finished: wait, or interview it again in Zigbee2MQTT" }
        if let endpoint = lock.endpoint, endpoint.contains("/") || MQTTTopic(endpoint) == nil {
            return "needs a profile: the name of its endpoint cannot be a topic level"
        }
        guard lock.locked == "LOCK", lock.unlocked == "UNLOCK" else {
            return "needs a profile: its state has other words than LOCK and UNLOCK"
        }
        return nil
    }

    private static let suffix = "/bridge/devices"
    private static let standardBase = "zigbee2mqtt"
}

/// A device of Zigbee2MQTT's list (`<base>/bridge/devices`), with the properties that matter for locks.
struct BridgeDevice {
    /// `0x` and hexadecimal digits.
    var ieeeAddress: String
    /// The device's topic without the base topic (Zigbee2MQTT's friendly name). May contain slashes and spaces.
    var friendlyName: String
    /// Whether the device is in the list, but disabled.
    var isDisabled: Bool
    /// Whether the bridge has completed the interview of the device.
    var isInterviewed: Bool
    /// The model as the bridge knows it, and the firmware that the device reports as its "software build".
    var product: LockProduct
    /// The locks of the device; empty while the bridge has not identified its model.
    var locks: [Lock]

    /// - Returns: `nil` if it is no device.
    init?(_ text: JSONText) {
        guard let fields = text.object, let address = fields["ieee_address"]?.string, address.isZigbeeAddress,
            let name = fields["friendly_name"]?.string
        else { return nil }
        (ieeeAddress, friendlyName) = (address, name)
        isDisabled = fields["disabled"]?.bool ?? false
        // `interview_state` exists since version 2, and is more precise.
        isInterviewed =
            fields["interview_state"]?.string.map { $0 == "SUCCESSFUL" } ?? fields["interview_completed"]?.bool ?? true
        let definition = fields["definition"]?.object ?? [:]
        product = LockProduct(
            manufacturer: definition["vendor"]?.string, model: definition["model"]?.string,
            firmwareVersion: fields["software_build_id"]?.string)
        locks = (definition["exposes"]?.array ?? []).compactMap { Lock($0) }
    }

    /// A lock of the device.
    struct Lock {
        /// The endpoint of the device, if it has several locks.
        var endpoint: String?
        /// The values of `state`; `nil` if they are not strings.
        var locked: String?
        var unlocked: String?

        /// - Returns: `nil` if the entry is not a bolt: a thermostat's child lock is also exposed
        ///   as a lock, but under another key than a bolt's `state`.
        init?(_ expose: JSONText) {
            guard let fields = expose.object, fields["type"] == .string("lock") else { return nil }
            endpoint = fields["endpoint"]?.string
            let property = "state" + (endpoint.map { "_\($0)" } ?? "")
            let features = (fields["features"]?.array ?? []).compactMap(\.object)
            guard let state = features.first(where: { $0["name"] == .string("state") && $0["property"] == .string(property) })
            else { return nil }
            (locked, unlocked) = (state["value_on"]?.string, state["value_off"]?.string)
        }
    }
}

extension String {
    fileprivate var isZigbeeAddress: Bool {
        hasPrefix("0x") && (3...18).contains(utf8.count) && dropFirst(2).allSatisfy { $0.isASCII && $0.isHexDigit }
    }
}
