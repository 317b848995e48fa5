internal import DoorwardDomain
internal import DoorwardMQTT

/// A command message of a lock, without its code and its reference.
struct CommandMessage: Sendable {
    let topic: MQTTTopic
    let qos: MQTTQoS
    private let part: CommandTemplate

    init(_ part: CommandTemplate, _ topic: MQTTTopic, _ qos: ProfileQoS) {
        (self.part, self.topic) = (part, topic)
        self.qos = qos == .atLeastOnce ? .atLeastOnce : .atMostOnce
    }

    var acceptsCode: Bool { part.payloadWithCode != nil }
    var hasReference: Bool { part.hasReference }
    var payloadWithoutCode: String { part.payload.text }

    /// Matches a payload with this command in its form without a code.
    ///
    /// - Returns: the reference in the payload, empty for a command that has none; `nil` if the payload does not match.
    func reference(in payload: [UInt8]) -> String? {
        guard let text = String(streamSafe: payload) else { return nil }
        guard hasReference else { return text == part.payload.text ? "" : nil }
        let texts = part.payload.pieces.map { if case .text(let text) = $0 { text } else { "" } }
        guard part.payload.names == [CommandTemplate.reference], let first = texts.first, let last = texts.last,
            text.utf8.count >= first.utf8.count + last.utf8.count, text.hasPrefix(first), text.hasSuffix(last)
        else { return nil }
        return String(text.dropFirst(first.count).dropLast(last.count))
    }

    func outgoing(code: String?, reference: String) -> OutgoingMessage {
        OutgoingMessage(topic: topic, payload: part.bytes(code: code, reference: reference), qos: qos)
    }
}
