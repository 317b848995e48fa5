internal import DoorwardDomain
internal import DoorwardMQTT

extension MessageDecoder {
    mutating func decodeAck(_ index: Int, _ payload: Payload) {
        let part = dialect.parts.answers[index]
        guard holds(part.conditions, payload) else { return }
        let text: String
        switch part.reader.read(payload) {
        case .absent: return
        case .malformed: return note(.malformedPayload)
        case .value(let value): text = value
        }
        guard let word = part.words.first(where: { $0.pattern.match(text, ignoringCase: part.reader.ignoresCase) != nil })?.word
        else { return }
        guard let underWay = memory.underWay, !message.isRetained, isOwn(part, payload, text, underWay) else {
            // A lock whose response is its state also reports this state without a command.
            if told == nil { note(.unexpectedAck) }
            return
        }
        heard.command = word
    }

    private func isOwn(
        _ part: AckMapping, _ payload: Payload, _ text: String, _ underWay: DialectState.InFlightCommand
    ) -> Bool {
        switch part.correlation {
        case .none: return true
        case .payload: return text == dialect.payload(of: underWay.operation)
        case .reference(let path):
            guard let reference = underWay.reference else { return true }
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
