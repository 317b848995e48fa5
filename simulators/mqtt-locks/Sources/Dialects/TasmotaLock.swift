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

    mutating func hear(_ message: Message, _ stage: inout Stage) {
        if message.topic == "cmnd/\(topic)/STATE" { return sayTelemetry("stat/\(topic)/RESULT", &stage) }
        switch message.text.uppercased() {
        case "ON", "1", "TRUE": turn(true, &stage)
        case "OFF", "0", "FALSE": turn(false, &stage)
        case "TOGGLE", "2": turn(!isOn, &stage)
        // Anything else, including an empty payload, requests the state.
        default: answer(&stage)
        }
    }

    private mutating func turn(_ on: Bool, _ stage: inout Stage) {
        guard stage.takesOrder() else { return }
        isOn = on
        stage.order(on ? .unlock : .lock, by: .remote)
    }

    mutating func tell(_ happening: Happening, _ stage: inout Stage) {
        switch happening {
        case .online:
            stage.say("tele/\(topic)/LWT", "Online", isRetained: true)
            stage.say("tele/\(topic)/INFO1", #"{"Info1":{"Module":"Generic","Version":"14.3.0(tasmota)"}}"#)
            sayTelemetry("tele/\(topic)/STATE", &stage)
        // A jam affects only the strike: the relay answers all the same.
        case .moved(let move) where move.cause == .remote, .jammed(let move) where move.cause == .remote: answer(&stage)
        case .report:
            sayTelemetry("tele/\(topic)/STATE", &stage)
            // With `PowerRetain` the relay's answers are retained, not its telemetry.
            if stage.isNextKept { answer(&stage) }
        case .lost, .moving, .moved, .jammed, .released, .codeRefused, .door, .battery, .due: break
        }
    }

    /// The state of the relay, or the opposite with the fault `wrong-state`.
    private func word(_ stage: Stage) -> String {
        let isWrong = stage.mechanism.position != stage.mechanism.shown
        return isOn != isWrong ? "ON" : "OFF"
    }

    private func answer(_ stage: inout Stage) {
        let word = word(stage)
        stage.say("stat/\(topic)/RESULT", #"{"POWER":"\#(word)"}"#)
        stage.report(stateTopic, word)
    }

    private func sayTelemetry(_ telemetryTopic: String, _ stage: inout Stage) {
        let seconds = stage.now.milliseconds / 1000
        let state: JSON = [
            "Uptime": "0T00:00:00", "UptimeSec": .number(Double(seconds)), "POWER": .text(word(stage)),
            "Wifi": ["RSSI": 84, "Signal": -58],
        ]
        stage.say(telemetryTopic, state.description)
    }
}
