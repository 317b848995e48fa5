import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import Testing

@testable import AdapterMQTT

/// A lock of a shipped profile and its known state. Decodes messages and returns the results as one line of text.
struct DialectFixture {
    let dialect: Dialect
    var state = DialectState()

    init(
        _ profile: String, _ address: [String: String], prev: BoltState = .unknown, quality: StateQuality = .confirmed,
        inFlight: LockOperation? = nil
    ) throws {
        let profile = try #require(ProfileLibrary.shipped[profile])
        dialect = try Dialect(profile, variables: address.mapValues { .string($0) })
        (state.position, state.quality) = (prev, quality)
        if let inFlight { _ = try dialect.encodeCommand(inFlight, code: nil, reference: "a1", &state) }
    }

    mutating func receive(_ topic: String, _ payload: String, isRetained: Bool = false) -> String {
        receive(topic, Array(payload.utf8), isRetained: isRetained)
    }

    mutating func receive(_ topic: String, _ payload: [UInt8], isRetained: Bool = false) -> String {
        dialect.decode(MQTTMessage(topic: topic, payload: payload, isRetained: isRetained), &state).summary
    }

    /// Concludes that a held jam has lasted.
    mutating func concludePassingJam() -> String { dialect.concludePassingJam(&state).summary }

    /// Decodes a message that was read before the command in flight was sent.
    mutating func decodeEarlier(_ topic: String, _ payload: String) -> String {
        dialect.decodeEarlier(MQTTMessage(topic: topic, payload: Array(payload.utf8), isRetained: false), &state).summary
    }
}

extension DecodedMessage {
    /// The content in one line: reports, events, command response, `!` before a diagnostic, `>` before a message to publish.
    var summary: String {
        var parts = reports.map(\.summary) + events.map(\.summary)
        switch command {
        case .accepted?: parts.append("accepted")
        case .confirmed?: parts.append("confirmed it")
        case .rejected(let reason)?: parts.append("rejected(\(reason))")
        case nil: break
        }
        parts += diagnostics.map { "!\($0)" }
        parts += publish.map { ">\($0.topic) \(String(decoding: $0.payload, as: UTF8.self))" }
        return parts.joined(separator: "; ")
    }
}

extension DecodedMessage.Report {
    var summary: String {
        var parts: [String] = []
        if let position { parts.append(position.rawValue) }
        if let quality { parts.append(quality.rawValue.lowercased()) }
        if let availability { parts.append(availability == .unknown ? "reach-unknown" : availability.rawValue) }
        if let door { parts.append("door-\(door.rawValue)") }
        if let battery { parts.append(battery.rounded() == battery ? "\(Int(battery))%" : "\(battery)%") }
        if let isBatteryLow { parts.append(isBatteryLow ? "low" : "not-low") }
        if let faults { parts.append("faults[\(faults.sorted().map(\.rawValue).joined(separator: ","))]") }
        return parts.joined(separator: " ")
    }
}

extension LockEvent {
    var summary: String {
        var parts = ["event \(kind)"]
        if let operation { parts.append(operation.rawValue) }
        if let isDone { parts.append(isDone ? "ok" : "failed") }
        if let method { parts.append(method.rawValue) }
        if let userSlot { parts.append("slot \(userSlot)") }
        if let credentialID { parts.append("credential \(credentialID)") }
        if let authorisationID { parts.append("auth \(authorisationID)") }
        if let rejection { parts.append("because \(rejection)") }
        return parts.joined(separator: " ")
    }
}
