/// The frame that moves a lock, or asks it.
struct CommandPart: Hashable, Sendable {
    /// What stands in a template until a command is given.
    static let open: Set<String> = [code, reference]
    static let code = "code"
    static let reference = "reference"

    var topic: ProfileTemplate
    var payload: ProfileTemplate
    /// In place of `payload` when a code goes along.
    var payloadWithCode: ProfileTemplate?
    var isJSON = false
    var condition = PartCondition()

    func filled(by values: [String: String]) -> CommandPart? {
        let escaping = isJSON ? ProfileTemplate.Escaping.json : .plain
        guard condition.holds(values), let topic = topic.filled(by: values),
            let payload = payload.filled(by: values, escaping, leaving: Self.open)
        else { return nil }
        var part = self
        (part.topic, part.payload) = (topic, payload)
        part.payloadWithCode = payloadWithCode.flatMap { $0.filled(by: values, escaping, leaving: Self.open) }
        return part
    }

    /// Whether an answer can be told by the reference that goes along.
    var bearsReference: Bool { payload.names.contains(Self.reference) }

    func bytes(code: String?, reference: String) -> [UInt8] {
        let template = code == nil ? payload : payloadWithCode ?? payload
        let values = [Self.code: code ?? "", Self.reference: reference]
        return Array((template.filled(by: values, isJSON ? .json : .plain)?.text ?? "").utf8)
    }
}
