/// A relay of Tasmota that drives an electric strike: `ON` releases it, `OFF` locks it. The relay does not sense the bolt.
struct TasmotaLock: Dialect {
    static let profile = Profile.tasmota
    static let retainsState = false

    let topic: String
    private var isOn = false

    init(topic: String) { self.topic = topic }

    var variables: JSON { ["topic": .text(topic)] }
    var base: String { "stat/\(topic)" }
    var stateTopic: String { "\(base)/POWER" }
    var filters: [String] { ["cmnd/\(topic)/POWER", "cmnd/\(topic)/POWER1", "cmnd/\(topic)/STATE"] }
    var will: Message? { Message("tele/\(topic)/LWT", "Offline", isRetained: true) }

    mutating func receive(_ message: Message, _ context: inout LockContext) {
        if message.topic == "cmnd/\(topic)/STATE" { return reportTelemetry("stat/\(topic)/RESULT", &context) }
        switch message.text.uppercased() {
        case "ON", "1", "TRUE": switchRelay(true, &context)
        case "OFF", "0", "FALSE": switchRelay(false, &context)
        case "TOGGLE", "2": switchRelay(!isOn, &context)
        // Anything else, including an empty payload, requests the state.
        default: publishState(&context)
        }
    }

    private mutating func switchRelay(_ on: Bool, _ context: inout LockContext) {
        guard context.acceptsCommand() else { return }
        isOn = on
        context.startMovement(on ? .unlock : .lock, by: .remote)
    }

    mutating func handle(_ event: LockEvent, _ context: inout LockContext) {
        switch event {
        case .online:
            context.publish("tele/\(topic)/LWT", "Online", isRetained: true)
            context.publish("tele/\(topic)/INFO1", #"{"Info1":{"Module":"Generic","Version":"14.3.0(tasmota)"}}"#)
            reportTelemetry("tele/\(topic)/STATE", &context)
        // A jam affects only the strike: the relay still publishes its state.
        case .moved(let movement) where movement.cause == .remote, .jammed(let movement) where movement.cause == .remote:
            publishState(&context)
        case .report:
            reportTelemetry("tele/\(topic)/STATE", &context)
            // Publish the state as well: with `PowerRetain` it is retained, unlike the telemetry.
            if context.isNextRetained { publishState(&context) }
        case .lost, .moving, .moved, .jammed, .released, .codeRefused, .door, .battery, .due: break
        }
    }

    /// Returns the state of the relay, or the opposite with the fault `wrong-state`.
    private func relayState(_ context: LockContext) -> String {
        let isWrong = context.mechanism.position != context.mechanism.sensedPosition
        return isOn != isWrong ? "ON" : "OFF"
    }

    private func publishState(_ context: inout LockContext) {
        let relay = relayState(context)
        context.publish("stat/\(topic)/RESULT", #"{"POWER":"\#(relay)"}"#)
        context.report(stateTopic, relay)
    }

    private func reportTelemetry(_ telemetryTopic: String, _ context: inout LockContext) {
        let seconds = context.now.milliseconds / 1000
        let state: JSON = [
            "Uptime": "0T00:00:00", "UptimeSec": .number(Double(seconds)), "POWER": .text(relayState(context)),
            "Wifi": ["RSSI": 84, "Signal": -58],
        ]
        context.publish(telemetryTopic, state.description)
    }
}
