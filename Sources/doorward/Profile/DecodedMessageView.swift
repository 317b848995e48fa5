import AdapterMQTT
import DoorwardDomain
import DoorwardMQTT

/// Prints a decoded message for `doorward profile decode`.
struct DecodedMessageView {
    private let heard: DecodedMessage
    private let topic: String?

    /// - Parameter topic: the message's topic, if it is one of several messages.
    init(_ heard: DecodedMessage, on topic: String? = nil) { (self.heard, self.topic) = (heard, topic) }

    var json: JSONObjectText {
        var object = JSONObjectText()
        object.add("topic", topic)
        object.add("reports", heard.reports.map(Self.report))
        object.add("events", heard.events.map(Self.event))
        object.add("command", json: heard.command.map { Self.command($0).text } ?? "null")
        object.add("diagnostics", heard.diagnostics.map(\.description))
        object.add("publish", heard.publish.map(Self.frame))
        return object
    }

    /// Returns a published message as JSON, with its payload as text. The message is never retained.
    static func frame(_ frame: OutgoingMessage) -> JSONObjectText {
        var object = JSONObjectText()
        object.add("topic", frame.topic.description)
        object.add("payload", String(decoding: frame.payload, as: UTF8.self))
        object.add("qos", Int(frame.qos.rawValue))
        object.add("retain", false)
        return object
    }

    private static func report(_ report: DecodedMessage.Report) -> JSONObjectText {
        var object = JSONObjectText()
        object.add("state", report.position?.rawValue)
        object.add("quality", report.quality?.rawValue.lowercased())
        switch report.availability {
        case .online?: object.add("online", true)
        case .offline?: object.add("online", false)
        case .unknown?: object.add("online", json: "null")
        case nil: break
        }
        object.add("door", report.door?.rawValue)
        if let battery = report.battery { object.add("battery", json: number(battery)) }
        object.add("batteryLow", report.isBatteryLow)
        if let faults = report.faults { object.add("faults", faults.sorted().map(\.rawValue)) }
        return object
    }

    private static func event(_ event: LockEvent) -> JSONObjectText {
        var object = JSONObjectText()
        object.add("type", event.kind.rawValue)
        object.add("operation", event.operation?.rawValue)
        object.add("ok", event.isDone)
        object.add("method", event.method?.rawValue)
        object.add("userSlot", event.userSlot)
        object.add("credentialId", event.credentialID)
        object.add("authId", event.authorisationID)
        object.add("reason", event.rejection?.rawValue)
        return object
    }

    private static func command(_ word: CommandResponse) -> JSONObjectText {
        var object = JSONObjectText()
        switch word {
        case .accepted: object.add("state", "accepted")
        case .confirmed: object.add("state", "confirmed")
        case .rejected(let reason):
            object.add("state", "rejected")
            object.add("reason", reason.rawValue)
        }
        return object
    }

    /// Writes whole numbers without a fraction. A battery's level is 0 to 100.
    private static func number(_ value: Double) -> String { value.rounded() == value ? "\(Int(value))" : "\(value)" }
}
