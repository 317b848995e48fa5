/// Template of a command or state request.
struct CommandTemplate: Hashable, Sendable {
    /// The variables that are resolved only when a command is sent.
    static let deferred: Set<String> = [code, reference]
    static let code = "code"
    static let reference = "reference"

    var topic: ProfileTemplate
    var payload: ProfileTemplate
    /// Replaces `payload` when a code is sent.
    var payloadWithCode: ProfileTemplate?
    var isJSON = false
    var condition = PartCondition()

    func resolved(with values: [String: String]) -> CommandTemplate? {
        let escaping = isJSON ? ProfileTemplate.Escaping.json : .plain
        guard condition.holds(values), let topic = topic.resolved(with: values),
            let payload = payload.resolved(with: values, escaping, keeping: Self.deferred)
        else { return nil }
        var part = self
        (part.topic, part.payload) = (topic, payload)
        part.payloadWithCode = payloadWithCode.flatMap { $0.resolved(with: values, escaping, keeping: Self.deferred) }
        return part
    }

    /// Whether responses can be matched by the reference.
    var hasReference: Bool { payload.names.contains(Self.reference) }

    func bytes(code: String?, reference: String) -> [UInt8] {
        let template = code == nil ? payload : payloadWithCode ?? payload
        let values = [Self.code: code ?? "", Self.reference: reference]
        return Array((template.resolved(with: values, isJSON ? .json : .plain)?.text ?? "").utf8)
    }
}
