/// The MQTT interface of a Nuki lock (the vendor's MQTT API, versions 1.0 to 1.4).
struct NukiLock: Dialect {
    static let profile = Profile.nukiNative
    static let hasKeypad = true

    /// Result codes of commands (the vendor's table of error codes).
    private enum ResponseCode { static let done = 0, motorBlocked = 66, busy = 69 }
    private enum Trigger { static let system = 0, autoLock = 6, mqtt = 172 }
    private static let lockAndGoDelay = Duration.seconds(20)
    private static let lockAndGoTimer = 1

    let name: String
    /// The Nuki id, eight upper-case hexadecimal digits.
    let id: String
    /// Whether the lock locks again by itself after unlocking.
    private var isLockAndGo = false

    init(name: String, id: String) { (self.name, self.id) = (name, id) }

    var variables: JSON { ["id": .text(id)] }
    var base: String { "nuki/\(id)" }
    var stateTopic: String { "\(base)/state" }
    var filters: [String] { ["\(base)/lockAction", "\(base)/lock", "\(base)/unlock"] }
    var will: Message? { Message("\(base)/connected", "false", qos: 1, isRetained: true) }

    // MARK: - Messages

    mutating func receive(_ message: Message, _ context: inout LockContext) {
        let action: Int? =
            switch message.topic {
            case "\(base)/lockAction": Int(message.text)
            case "\(base)/lock": message.text == "true" ? 2 : nil
            case "\(base)/unlock": message.text == "true" ? 1 : nil
            default: nil
            }
        guard let action, (1...6).contains(action), context.acceptsCommand() else { return }
        guard !context.isMoving else { return publishResponse(ResponseCode.busy, &context) }
        isLockAndGo = action == 4 || action == 5
        reportEvent(action, Trigger.mqtt, &context)
        context.startMovement(Self.motion(action), by: .remote)
    }

    private static func motion(_ action: Int) -> Motion {
        switch action {
        case 2, 6: .lock
        case 3, 5: .open
        default: .unlock
        }
    }

    // MARK: - Reports

    mutating func handle(_ event: LockEvent, _ context: inout LockContext) {
        switch event {
        case .online: publishBirthMessages(&context)
        case .moving(let movement): begin(movement, &context)
        case .moved(let movement):
            reportState(&context)
            if isLockAndGo, movement.cause == .remote, movement.motion != .lock {
                context.startTimer(Self.lockAndGoDelay, for: Self.lockAndGoTimer)
            }
        case .jammed(let movement):
            reportState(&context)
            if movement.cause == .remote { publishResponse(ResponseCode.motorBlocked, &context) }
        case .released, .report: reportState(&context)
        case .due(Self.lockAndGoTimer): autoLock(&context)
        case .door: reportDoor(&context)
        case .battery: reportBattery(&context)
        // A rejected code is not reported (the vendor's document of version 1.4).
        case .lost, .codeRefused, .due: break
        }
    }

    mutating func reset() { isLockAndGo = false }

    private func begin(_ movement: Movement, _ context: inout LockContext) {
        // The lock publishes the event before it attempts the action. The simulator derives the numbers of a code from its slot.
        if case .keypad(let slot) = movement.cause {
            let action = movement.motion == .lock ? 2 : 1
            reportEvent(action, Trigger.system, authorization: 54_320 + slot, code: 12_340 + slot, actionContext: 1, &context)
        }
        reportState(&context)
        if movement.cause == .remote, !movement.jams { publishResponse(ResponseCode.done, &context) }
    }

    private mutating func autoLock(_ context: inout LockContext) {
        guard isLockAndGo, context.mechanism.position == .unlocked else { return }
        isLockAndGo = false
        reportEvent(2, Trigger.autoLock, &context)
        context.startMovement(.lock, by: .automatic)
    }

    private func publishResponse(_ code: Int, _ context: inout LockContext) {
        context.publish("\(base)/commandResponse", "\(code)", qos: 1)
    }

    private func reportEvent(
        _ action: Int, _ trigger: Int, authorization: Int = 0, code: Int = 0, actionContext: Int = 0, _ context: inout LockContext
    ) {
        context.publish("\(base)/lockActionEvent", "\(action),\(trigger),\(authorization),\(code),\(actionContext)", qos: 1)
    }

    private func reportState(_ context: inout LockContext) {
        let code =
            switch context.mechanism.sensedPosition {
            case .locked: 1
            case .unlocking: 2
            case .unlocked: isLockAndGo ? 6 : 3
            case .locking: 4
            case .open: 5
            case .opening: 7
            case .jammed: 254
            }
        context.report(stateTopic, "\(code)", qos: 1, isRetained: true)
    }

    private func reportDoor(_ context: inout LockContext) {
        publishRetained("doorsensorState", context.mechanism.isDoorOpen ? "3" : "2", &context)
    }

    private func reportBattery(_ context: inout LockContext) {
        publishRetained("batteryChargeState", "\(context.mechanism.percent)", &context)
        publishRetained("batteryCritical", "\(context.mechanism.isLow)", &context)
    }

    // MARK: - Connecting

    private func publishBirthMessages(_ context: inout LockContext) {
        discover(&context)
        publishRetained("connected", "true", &context)
        publishRetained("name", name, &context)
        publishRetained("mode", "2", &context)
        publishRetained("deviceType", "4", &context)
        publishRetained("firmware", "4.3.1", &context)
        reportState(&context)
        reportDoor(&context)
        reportBattery(&context)
        publishRetained("batteryCharging", "false", &context)
        publishRetained("keypadBatteryCritical", "false", &context)
        publishRetained("doorsensorBatteryCritical", "false", &context)
    }

    /// Publishes the discovery message, with abbreviated keys where the lock uses them. The
    /// template maps states without an equivalent in Home Assistant to `3`.
    private func discover(_ context: inout LockContext) {
        // Real locks were seen to publish a string here, not a list.
        let device: JSON = ["ids": "[\(id)]", "name": .text(name), "mf": "Nuki Home Solutions GmbH", "mdl": "Smart Lock Ultra"]
        let shared: JSON = [
            "~": .text(base), "avty_t": "~/connected", "pl_avail": "true", "pl_not_avail": "false", "dev": device,
        ]
        context.discover(
            "lock/nuki_\(id)_lock",
            shared.with([
                "name": "Lock", "uniq_id": "nuki_\(id)_lock", "cmd_t": "~/lockAction", "pl_lock": "2", "pl_unlk": "1",
                "pl_open": "3", "stat_t": "~/state", "stat_locked": "1", "stat_locking": "4", "stat_unlocked": "3",
                "stat_unlocking": "2", "stat_jam": "254",
                "val_tpl": "{% if value in ['5','6','7'] %}3{% else %}{{ value }}{% endif %}",
            ]), qos: 1)
        context.discover(
            "binary_sensor/nuki_\(id)_doorsensor",
            shared.with([
                "name": "Door sensor", "uniq_id": "nuki_\(id)_doorsensor", "stat_t": "~/doorsensorState", "dev_cla": "door",
                "pl_off": "2", "pl_on": "3",
            ]), qos: 1)
    }
}
