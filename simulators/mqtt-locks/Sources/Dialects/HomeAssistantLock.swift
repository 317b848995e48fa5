/// A lock made for Home Assistant's MQTT lock platform: a state topic, a command topic, discovery.
/// The platform leaves topics, retain flag and QoS to the device; they are as in most such devices.
struct HomeAssistantLock: Dialect {
    static let profile = Profile.homeassistant

    let name: String
    /// Whether the lock uses the newer discovery form (a device with components) instead of single components.
    let isDeviceForm: Bool

    var base: String { "locks/\(name)" }
    var stateTopic: String { "\(base)/state" }
    var filters: [String] { ["\(base)/set", HomeAssistantDiscovery.birthTopic] }
    var will: Message? { Message("\(base)/availability", "offline", qos: 1, isRetained: true) }

    var variables: JSON {
        [
            "command_topic": "\(base)/set", "state_topic": "\(base)/state", "payload_open": "OPEN",
            "availability_topic": "\(base)/availability",
        ]
    }

    mutating func receive(_ message: Message, _ context: inout LockContext) {
        if HomeAssistantDiscovery.isBirth(message) {
            discover(&context)
            return reportAll(&context)
        }
        let motions: [String: Motion] = ["LOCK": .lock, "UNLOCK": .unlock, "OPEN": .open]
        guard message.topic == "\(base)/set", let motion = motions[message.text], context.acceptsCommand() else { return }
        context.startMovement(motion, by: .remote)
    }

    mutating func handle(_ event: LockEvent, _ context: inout LockContext) {
        switch event {
        case .online:
            discover(&context)
            publishRetained("availability", "online", &context)
            reportAll(&context)
        case .moving, .moved, .jammed, .released, .report: reportState(&context)
        case .battery: publishRetained("battery", "\(context.mechanism.percent)", &context)
        case .door: reportDoor(&context)
        case .lost, .codeRefused, .due: break
        }
    }

    private func reportAll(_ context: inout LockContext) {
        reportState(&context)
        reportDoor(&context)
        publishRetained("battery", "\(context.mechanism.percent)", &context)
    }

    private func reportState(_ context: inout LockContext) {
        context.report(stateTopic, context.mechanism.sensedPosition.rawValue.uppercased(), qos: 1, isRetained: true)
    }

    private func reportDoor(_ context: inout LockContext) {
        publishRetained("door", context.mechanism.isDoorOpen ? "ON" : "OFF", &context)
    }

    // MARK: - Discovery

    private func discover(_ context: inout LockContext) {
        let availability: JSON = ["avty_t": "~/availability"]
        if isDeviceForm {
            let components: JSON = [
                "lock": lock.with(["p": "lock"]), "door": door.with(["p": "binary_sensor"]),
                "battery": battery.with(["p": "sensor"]),
            ]
            let whole: JSON = ["~": .text(base), "dev": device, "o": ["name": "doorward-mqtt-locks"], "cmps": components]
            return context.discover("device/\(name)", whole.with(availability), qos: 1)
        }
        let shared = (["~": .text(base), "dev": device] as JSON).with(availability)
        context.discover("lock/\(name)", shared.with(lock), qos: 1)
        context.discover("binary_sensor/\(name)/door", shared.with(door), qos: 1)
        context.discover("sensor/\(name)/battery", shared.with(battery), qos: 1)
    }

    private var device: JSON { ["ids": [.text(name)], "name": .text(name), "mf": "Doorward", "mdl": "Played lock"] }

    private var lock: JSON {
        ["name": nil, "uniq_id": "\(name)_lock", "cmd_t": "~/set", "stat_t": "~/state", "pl_open": "OPEN"]
    }

    private var door: JSON { ["name": "Door", "uniq_id": "\(name)_door", "stat_t": "~/door", "dev_cla": "door"] }

    private var battery: JSON {
        ["name": "Battery", "uniq_id": "\(name)_battery", "stat_t": "~/battery", "dev_cla": "battery", "unit_of_meas": "%"]
    }
}

/// Home Assistant's discovery messages, as several ecosystems publish them (Home Assistant's documentation of the MQTT
/// integration: discovery, single components and devices).
enum HomeAssistantDiscovery {
    /// Topic on which Home Assistant publishes that it has started.
    static let birthTopic = "homeassistant/status"

    static func isBirth(_ message: Message) -> Bool { message.topic == birthTopic && message.text == "online" }
}

extension LockContext {
    /// Publishes a discovery message for Home Assistant, unless the fleet disables discovery.
    mutating func discover(_ path: String, _ configuration: JSON, qos: Int = 0, isRetained: Bool = true) {
        guard settings.publishesDiscovery else { return }
        publish("homeassistant/\(path)/config", configuration.description, qos: qos, isRetained: isRetained)
    }
}
