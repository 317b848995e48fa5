/// A lock made for Home Assistant's MQTT lock platform: a state topic, a command topic, discovery. What the platform leaves to
/// the device (topics, retain, QoS) is as in most such devices.
struct HomeAssistantLock: Dialect {
    static let profile = Profile.homeassistant

    let name: String
    /// Whether it uses the newer discovery form, a device with components, or single components.
    let isDeviceForm: Bool

    private var base: String { "locks/\(name)" }
    var stateTopic: String { "\(base)/state" }
    var filters: [String] { ["\(base)/set", HomeAssistantDiscovery.birthTopic] }
    var will: Frame? { Frame("\(base)/availability", "offline", qos: 1, isRetained: true) }

    var variables: JSON {
        [
            "command_topic": "\(base)/set", "state_topic": "\(base)/state", "payload_open": "OPEN",
            "availability_topic": "\(base)/availability",
        ]
    }

    mutating func hear(_ message: Message, _ stage: inout Stage) {
        if HomeAssistantDiscovery.isBirth(message) {
            discover(&stage)
            return sayAll(&stage)
        }
        let motions: [String: Motion] = ["LOCK": .lock, "UNLOCK": .unlock, "OPEN": .open]
        guard message.topic == "\(base)/set", let motion = motions[message.text], stage.takesOrder() else { return }
        stage.order(motion, by: .remote)
    }

    mutating func tell(_ happening: Happening, _ stage: inout Stage) {
        switch happening {
        case .online:
            discover(&stage)
            stage.say("\(base)/availability", "online", qos: 1, isRetained: true)
            sayAll(&stage)
        case .moving, .moved, .jammed, .released, .report: sayState(&stage)
        case .battery: stage.say("\(base)/battery", "\(stage.mechanism.percent)", qos: 1, isRetained: true)
        case .door: sayDoor(&stage)
        case .lost, .codeRefused, .due: break
        }
    }

    private func sayAll(_ stage: inout Stage) {
        sayState(&stage)
        sayDoor(&stage)
        stage.say("\(base)/battery", "\(stage.mechanism.percent)", qos: 1, isRetained: true)
    }

    private func sayState(_ stage: inout Stage) {
        stage.report(stateTopic, stage.mechanism.shown.rawValue.uppercased(), qos: 1, isRetained: true)
    }

    private func sayDoor(_ stage: inout Stage) {
        stage.say("\(base)/door", stage.mechanism.isDoorOpen ? "ON" : "OFF", qos: 1, isRetained: true)
    }

    // MARK: - Discovery

    private func discover(_ stage: inout Stage) {
        let availability: JSON = ["avty_t": "~/availability"]
        if isDeviceForm {
            let components: JSON = [
                "lock": lock.with(["p": "lock"]), "door": door.with(["p": "binary_sensor"]),
                "battery": battery.with(["p": "sensor"]),
            ]
            let whole: JSON = [
                "~": .text(base), "dev": device, "o": ["name": "doorward-mqtt-locks"], "cmps": components,
            ]
            return stage.discover("device/\(name)", whole.with(availability), qos: 1)
        }
        let shared = (["~": .text(base), "dev": device] as JSON).with(availability)
        stage.discover("lock/\(name)", shared.with(lock), qos: 1)
        stage.discover("binary_sensor/\(name)/door", shared.with(door), qos: 1)
        stage.discover("sensor/\(name)/battery", shared.with(battery), qos: 1)
    }

    private var device: JSON { ["ids": [.text(name)], "name": .text(name), "mf": "Doorward", "mdl": "Played lock"] }

    private var lock: JSON {
        ["name": nil, "uniq_id": "\(name)_lock", "cmd_t": "~/set", "stat_t": "~/state", "pl_open": "OPEN"]
    }

    private var door: JSON { ["name": "Door", "uniq_id": "\(name)_door", "stat_t": "~/door", "dev_cla": "door"] }

    private var battery: JSON {
        [
            "name": "Battery", "uniq_id": "\(name)_battery", "stat_t": "~/battery", "dev_cla": "battery",
            "unit_of_meas": "%",
        ]
    }
}
