/// The MQTT interface of a Nuki lock (the vendor's MQTT API, versions 1.0 to 1.4).
struct NukiLock: Dialect {
    static let profile = Profile.nukiNative
    static let hasKeypad = true

    /// Result codes of commands (the vendor's table of error codes).
    private enum Answer { static let done = 0, motorBlocked = 66, busy = 69 }
    private enum Trigger { static let system = 0, autoLock = 6, mqtt = 172 }
    private static let goingTime = Duration.seconds(20)
    private static let going = 1

    let name: String
    /// The Nuki id, eight upper-case hexadecimal digits.
    let id: String
    /// Whether it locks again by itself after unlocking.
    private var goes = false

    init(name: String, id: String) { (self.name, self.id) = (name, id) }

    var variables: JSON { ["id": .text(id)] }
    private var base: String { "nuki/\(id)" }
    var stateTopic: String { "\(base)/state" }
    var filters: [String] { ["\(base)/lockAction", "\(base)/lock", "\(base)/unlock"] }
    var will: Frame? { Frame("\(base)/connected", "false", qos: 1, isRetained: true) }

    // MARK: - Messages

    mutating func hear(_ message: Message, _ stage: inout Stage) {
        let action: Int? =
            switch message.topic {
            case "\(base)/lockAction": Int(message.text)
            case "\(base)/lock": message.text == "true" ? 2 : nil
            case "\(base)/unlock": message.text == "true" ? 1 : nil
            default: nil
            }
        guard let action, (1...6).contains(action), stage.takesOrder() else { return }
        guard !stage.isMoving else { return answer(Answer.busy, &stage) }
        goes = action == 4 || action == 5
        sayEvent(action, Trigger.mqtt, &stage)
        stage.order(Self.motion(action), by: .remote)
    }

    private static func motion(_ action: Int) -> Motion {
        switch action {
        case 2, 6: .lock
        case 3, 5: .open
        default: .unlock
        }
    }

    // MARK: - Reports

    mutating func tell(_ happening: Happening, _ stage: inout Stage) {
        switch happening {
        case .online: greet(&stage)
        case .moving(let move): begin(move, &stage)
        case .moved(let move):
            sayState(&stage)
            if goes, move.cause == .remote, move.motion != .lock { stage.wait(Self.goingTime, for: Self.going) }
        case .jammed(let move):
            sayState(&stage)
            if move.cause == .remote { answer(Answer.motorBlocked, &stage) }
        case .released, .report: sayState(&stage)
        case .due(Self.going): lockAgain(&stage)
        case .door: sayDoor(&stage)
        case .battery: sayBattery(&stage)
        // A rejected code is not reported (the vendor's document of version 1.4).
        case .lost, .codeRefused, .due: break
        }
    }

    mutating func forget() { goes = false }

    private func begin(_ move: Move, _ stage: inout Stage) {
        // The event is published before an action is attempted; the numbers of a code are derived from its slot here.
        if case .keypad(let slot) = move.cause {
            let action = move.motion == .lock ? 2 : 1
            sayEvent(action, Trigger.system, authorization: 54_320 + slot, code: 12_340 + slot, context: 1, &stage)
        }
        sayState(&stage)
        if move.cause == .remote, !move.jams { answer(Answer.done, &stage) }
    }

    private mutating func lockAgain(_ stage: inout Stage) {
        guard goes, stage.mechanism.position == .unlocked else { return }
        goes = false
        sayEvent(2, Trigger.autoLock, &stage)
        stage.order(.lock, by: .automatic)
    }

    private func answer(_ code: Int, _ stage: inout Stage) { stage.say("\(base)/commandResponse", "\(code)", qos: 1) }

    private func sayEvent(
        _ action: Int, _ trigger: Int, authorization: Int = 0, code: Int = 0, context: Int = 0, _ stage: inout Stage
    ) {
        stage.say("\(base)/lockActionEvent", "\(action),\(trigger),\(authorization),\(code),\(context)", qos: 1)
    }

    private func sayState(_ stage: inout Stage) {
        let code =
            switch stage.mechanism.shown {
            case .locked: 1
            case .unlocking: 2
            case .unlocked: goes ? 6 : 3
            case .locking: 4
            case .open: 5
            case .opening: 7
            case .jammed: 254
            }
        stage.report(stateTopic, "\(code)", qos: 1, isRetained: true)
    }

    private func sayDoor(_ stage: inout Stage) {
        keep("doorsensorState", stage.mechanism.isDoorOpen ? "3" : "2", &stage)
    }

    private func sayBattery(_ stage: inout Stage) {
        keep("batteryChargeState", "\(stage.mechanism.percent)", &stage)
        keep("batteryCritical", "\(stage.mechanism.isLow)", &stage)
    }

    private func keep(_ topic: String, _ text: String, _ stage: inout Stage) {
        stage.say("\(base)/\(topic)", text, qos: 1, isRetained: true)
    }

    // MARK: - Connecting

    private func greet(_ stage: inout Stage) {
        discover(&stage)
        keep("connected", "true", &stage)
        keep("name", name, &stage)
        keep("mode", "2", &stage)
        keep("deviceType", "4", &stage)
        keep("firmware", "4.3.1", &stage)
        sayState(&stage)
        sayDoor(&stage)
        sayBattery(&stage)
        keep("batteryCharging", "false", &stage)
        keep("keypadBatteryCritical", "false", &stage)
        keep("doorsensorBatteryCritical", "false", &stage)
    }

    /// With the keys that the lock abbreviates: the template maps states without an equivalent in Home Assistant to `3`.
    private func discover(_ stage: inout Stage) {
        // Real locks were seen to publish a string here, not a list.
        let device: JSON = ["ids": "[\(id)]", "name": .text(name), "mf": "Nuki Home Solutions GmbH", "mdl": "Smart Lock Ultra"]
        let shared: JSON = [
            "~": .text(base), "avty_t": "~/connected", "pl_avail": "true", "pl_not_avail": "false", "dev": device,
        ]
        stage.discover(
            "lock/nuki_\(id)_lock",
            shared.with([
                "name": "Lock", "uniq_id": "nuki_\(id)_lock", "cmd_t": "~/lockAction", "pl_lock": "2", "pl_unlk": "1",
                "pl_open": "3", "stat_t": "~/state", "stat_locked": "1", "stat_locking": "4", "stat_unlocked": "3",
                "stat_unlocking": "2", "stat_jam": "254",
                "val_tpl": "{% if value in ['5','6','7'] %}3{% else %}{{ value }}{% endif %}",
            ]), qos: 1)
        stage.discover(
            "binary_sensor/nuki_\(id)_doorsensor",
            shared.with([
                "name": "Door sensor", "uniq_id": "nuki_\(id)_doorsensor", "stat_t": "~/doorsensorState", "dev_cla": "door",
                "pl_off": "2", "pl_on": "3",
            ]), qos: 1)
    }
}
