/// A lock of a Ring alarm behind ring-mqtt. Nothing is retained; the transitional state is published before the command is sent.
struct RingLock: Dialect {
    static let profile = Profile.ring
    static let retainsState = false
    static let location = "7c1a4e52-0b7d-4b0e-9b57-2f4f5d1c9a10"

    private static let birthTimer = 1

    let name: String
    /// Ring's id of the lock.
    let device: String

    var variables: JSON { ["location": .text(Self.location), "device": .text(device)] }
    var base: String { "ring/\(Self.location)/alarm/\(device)" }
    var stateTopic: String { "\(base)/lock/state" }

    init(name: String, device: String) { (self.name, self.device) = (name, device) }

    mutating func receive(_ message: Message, _ context: inout LockContext) {
        // The bridge publishes everything again some seconds after Home Assistant has started.
        if HomeAssistantDiscovery.isBirth(message) {
            return context.startTimer(context.random.duration(in: .seconds(1) ... .seconds(5)), for: Self.birthTimer)
        }
        let motion: Motion
        switch message.text.lowercased() {
        case "lock": motion = .lock
        case "unlock": motion = .unlock
        default: return
        }
        // This state proves nothing: the bridge publishes it before it sends the command to the lock.
        context.publish(stateTopic, motion == .lock ? "LOCKING" : "UNLOCKING", qos: 1)
        guard context.isReachable, context.acceptsCommand() else { return }
        context.startMovement(motion, by: .remote)
    }

    mutating func handle(_ event: LockEvent, _ context: inout LockContext) {
        switch event {
        case .online, .due: reportAll(&context)
        case .lost: context.publish("\(base)/status", "offline", qos: 1)
        // A jam is not reported: the transitional state remains.
        case .moved, .released, .report: reportState(&context)
        case .battery: reportInfo(&context)
        case .moving, .jammed, .codeRefused, .door: break
        }
    }

    private func reportAll(_ context: inout LockContext) {
        context.discover(
            "lock/\(Self.location)/\(device)_lock",
            [
                "name": .text(name), "unique_id": "\(device)_lock", "availability_topic": "\(base)/status",
                "payload_available": "online", "payload_not_available": "offline", "state_topic": .text(stateTopic),
                "command_topic": "\(base)/lock/command",
                "device": ["ids": [.text(device)], "name": .text(name), "mf": "Ring", "mdl": "Lock"],
            ], qos: 1, isRetained: false)
        context.publish("\(base)/status", "online", qos: 1)
        reportState(&context)
        reportInfo(&context)
    }

    private func reportState(_ context: inout LockContext) {
        let word =
            switch context.mechanism.sensedPosition {
            case .locked: "LOCKED"
            case .jammed: "UNKNOWN"
            default: "UNLOCKED"
            }
        context.report(stateTopic, word, qos: 1)
    }

    private func reportInfo(_ context: inout LockContext) {
        // A level of 99 is published as 100.
        let level = context.mechanism.percent == 99 ? 100 : context.mechanism.percent
        let info: JSON = ["batteryLevel": .whole(level), "tamperStatus": "ok", "commStatus": "ok"]
        context.publish("\(base)/info/state", info.description, qos: 1)
    }
}

/// The bridge: ring-mqtt.
extension RingLock {
    static func bridge(of locks: [JSON], publishesDiscovery: Bool) -> Bridge? {
        Bridge(
            filters: ["ring/\(location)/alarm/+/lock/command", HomeAssistantDiscovery.birthTopic],
            recipient: Bridge.lock(atLevel: 3, of: locks.compactMap { $0["device"]?.text }),
            topicOfAll: HomeAssistantDiscovery.birthTopic)
    }
}
