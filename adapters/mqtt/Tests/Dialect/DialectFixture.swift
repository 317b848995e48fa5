import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import Testing

@testable import AdapterMQTT

/// A lock of a shipped profile and its known state. Decodes messages and returns the results as one line of text.
struct DialectFixture {
    let dialect: Dialect
    var memory = DialectState()

    init(
        _ profile: String, _ address: [String: String], prev: BoltState = .unknown, quality: StateQuality = .confirmed,
        inFlight: LockOperation? = nil
    ) throws {
        let profile = try #require(ProfileLibrary.shipped[profile])
        dialect = try Dialect(profile, variables: address.mapValues { .string($0) })
        (memory.position, memory.quality) = (prev, quality)
        if let inFlight { _ = try dialect.order(inFlight, code: nil, reference: "a1", &memory) }
    }

    mutating func receive(_ topic: String, _ payload: String, isRetained: Bool = false) -> String {
        receive(topic, Array(payload.utf8), isRetained: isRetained)
    }

    mutating func receive(_ topic: String, _ payload: [UInt8], isRetained: Bool = false) -> String {
        dialect.decode(MQTTMessage(topic: topic, payload: payload, isRetained: isRetained), &memory).words
    }

    /// Decodes a message that was read before the command in flight was sent.
    mutating func decodeEarlier(_ topic: String, _ payload: String) -> String {
        dialect.decodeEarlier(MQTTMessage(topic: topic, payload: Array(payload.utf8), isRetained: false), &memory).words
    }
}

extension DecodedMessage {
    /// The content in one line: reports, events, command response, `!` before a diagnostic, `>` before a message to publish.
    var words: String {
        var words = reports.map(\.words) + events.map(\.words)
        switch command {
        case .accepted?: words.append("accepted")
        case .confirmed?: words.append("confirmed it")
        case .rejected(let reason)?: words.append("rejected(\(reason))")
        case nil: break
        }
        words += diagnostics.map { "!\($0)" }
        words += publish.map { ">\($0.topic) \(String(decoding: $0.payload, as: UTF8.self))" }
        return words.joined(separator: "; ")
    }
}

extension DecodedMessage.Report {
    var words: String {
        var words: [String] = []
        if let position { words.append(position.rawValue) }
        if let quality { words.append(quality.rawValue.lowercased()) }
        if let availability { words.append(availability == .unknown ? "reach-unknown" : availability.rawValue) }
        if let door { words.append("door-\(door.rawValue)") }
        if let battery { words.append(battery.rounded() == battery ? "\(Int(battery))%" : "\(battery)%") }
        if let isBatteryLow { words.append(isBatteryLow ? "low" : "not-low") }
        if let faults { words.append("faults[\(faults.sorted().map(\.rawValue).joined(separator: ","))]") }
        return words.joined(separator: " ")
    }
}

extension LockEvent {
    var words: String {
        var words = ["event \(kind)"]
        if let operation { words.append(operation.rawValue) }
        if let isDone { words.append(isDone ? "ok" : "failed") }
        if let method { words.append(method.rawValue) }
        if let userSlot { words.append("slot \(userSlot)") }
        if let credentialID { words.append("credential \(credentialID)") }
        if let authorisationID { words.append("auth \(authorisationID)") }
        if let rejection { words.append("because \(rejection)") }
        return words.joined(separator: " ")
    }
}
