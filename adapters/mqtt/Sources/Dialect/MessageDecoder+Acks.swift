internal import DoorwardDomain
internal import DoorwardMQTT

extension MessageDecoder {
    mutating func decodeAck(_ index: Int, _ payload: Payload) {
        let part = dialect.parts.acks[index]
        guard holds(part.conditions, payload) else { return }
        let text: String
        switch part.reader.read(payload) {
        case .absent: return
        case .malformed: return note(.malformedPayload)
        case .value(let value): text = value
        }
        guard
            let response = part.responses.first(where: { $0.pattern.match(text, ignoringCase: part.reader.ignoresCase) != nil })?
                .response
        else { return }
        guard let inFlight = state.inFlight, !message.isRetained, matches(part, payload, text, inFlight) else {
            // A lock whose response is its state also reports this state without a command.
            if observed == nil { note(.unexpectedAck) }
            return
        }
        decoded.command = response
    }

    private func matches(
        _ part: AckMapping, _ payload: Payload, _ text: String, _ inFlight: DialectState.InFlightCommand
    ) -> Bool {
        switch part.correlation {
        case .none: return true
        case .payload: return text == dialect.payload(of: inFlight.operation)
        case .reference(let path):
            guard let reference = inFlight.reference else { return true }
            guard case .json(let document) = payload.json(as: .json), case .string(let echoed)? = document[path] else {
                return false
            }
            return echoed == reference
        }
    }

    private func holds(_ conditions: [EventRule.Condition], _ payload: Payload) -> Bool {
        guard !conditions.isEmpty else { return true }
        guard case .json(let document) = payload.json(as: .json) else { return false }
        var values: [String: String] = [:]
        for condition in conditions {
            if case .string(let text)? = document[JSONPath(condition.field)] { values[condition.field] = text }
            if case .bool(let truth)? = document[JSONPath(condition.field)] { values[condition.field] = "\(truth)" }
        }
        return EventRule(conditions: conditions).match(values) != nil
    }
}
