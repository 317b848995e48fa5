/// A relay of Tasmota that drives an electric strike: `ON` releases it, `OFF` locks it. The relay does not sense the bolt.
struct TasmotaLock: Dialect {
    static let profile = Profile.tasmota
    static let retainsState = false

    let topic: String
    private var isOn = false

    init(topic: String) { self.topic = topic }

    var variables: JSON { ["topic": .text(topic)] }
    var stateTopic: String { "stat/\(topic)/POWER" }
    var filters: [String] { ["cmnd/\(topic)/POWER", "cmnd/\(topic)/POWER1", "cmnd/\(topic)/STATE"] }
    var will: Frame? { Frame("tele/\(topic)/LWT", "Offline", isRetained: true) }

    mutating func receive(_ message: Message, _ context: inout LockContext) {
        if message.topic == "cmnd/\(topic)/STATE" { return reportTelemetry("stat/\(topic)/RESULT", &context) }
        switch message.text.uppercased() {
        case "ON", "1", "TRUE": turn(true, &context)
        case "OFF", "0", "FALSE": turn(false, &context)
        case "TOGGLE", "2": turn(!isOn, &context)
        // Anything else, including an empty payload, requests the state.
        default: answer(&context)
        }
    }

    private mutating func turn(_ on: Bool, _ context: inout LockContext) {
        guard context.takesOrder() else { return }
        isOn = on
        context.order(on ? .unlock : .lock, by: .remote)
    }

    mutating func tell(_ happening: LockEvent, _ context: inout LockContext) {
        switch happening {
        case .online:
            context.publish("tele/\(topic)/LWT", "Online", isRetained: true)
            context.publish("tele/\(topic)/INFO1", #"{"Info1":{"Module":"Generic","Version":"14.3.0(tasmota)"}}"#)
            reportTelemetry("tele/\(topic)/STATE", &context)
        // A jam affects only the strike: the relay still answers.
        case .moved(let move) where move.cause == .remote, .jammed(let move) where move.cause == .remote: answer(&context)
        case .report:
            reportTelemetry("tele/\(topic)/STATE", &context)
            // Publish an answer as well: with `PowerRetain` the relay's answers are retained, not its telemetry.
            if context.isNextKept { answer(&context) }
        case .lost, .moving, .moved, .jammed, .released, .codeRefused, .door, .battery, .due: break
        }
    }

    /// Returns the state of the relay, or the opposite with the fault `wrong-state`.
    private func word(_ context: LockContext) -> String {
        let isWrong = context.mechanism.position != context.mechanism.shown
        return isOn != isWrong ? "ON" : "OFF"
    }

    private func answer(_ context: inout LockContext) {
        let word = word(context)
        context.publish("stat/\(topic)/RESULT", #"{"POWER":"\#(word)"}"#)
        context.report(stateTopic, word)
    }

    private func reportTelemetry(_ telemetryTopic: String, _ context: inout LockContext) {
        let seconds = context.now.milliseconds / 1000
        let state: JSON = [
            "Uptime": "0T00:00:00", "UptimeSec": .number(Double(seconds)), "POWER": .text(word(context)),
            "Wifi": ["RSSI": 84, "Signal": -58],
        ]
        context.publish(telemetryTopic, state.description)
    }
}
