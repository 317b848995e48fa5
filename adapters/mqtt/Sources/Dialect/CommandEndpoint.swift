internal import DoorwardDomain
internal import DoorwardMQTT

/// An endpoint where a lock receives commands: its own topic, or one payload on the shared topic of a bridge.
///
/// Two addresses that have an endpoint in common are addresses of the same lock.
struct CommandEndpoint: Hashable, Sendable {
    let topic: MQTTTopic
    /// The payload of the command; `nil` for the lock's own topic, with any payload.
    var payload: TopicText?

    init(_ topic: MQTTTopic, payload: String? = nil) { (self.topic, self.payload) = (topic, payload.map { TopicText($0) }) }
}

extension CommandEndpoint {
    /// Returns all endpoints of one address.
    ///
    /// - Parameters:
    ///   - own: the lock's own command topic.
    ///   - parts: the parts of the profile, resolved with `values`.
    static func all(
        of profile: Profile, own: MQTTTopic, _ parts: ProfileBody, resolvedWith values: [String: String]
    ) -> Set<CommandEndpoint> {
        var endpoints: Set = [CommandEndpoint(own)]
        for forms in parts.commands.values {
            // Only the last form uses the lock's own topic. The forms before it use a shared topic of the bridge, with the lock's
            // name in the payload.
            for form in forms.dropLast() {
                if let topic = MQTTTopic(form.topic.text) { endpoints.insert(CommandEndpoint(topic, payload: form.payload.text)) }
            }
        }
        let identifying = Self.identifyingVariables(of: profile, values)
        for template in profile.parts.commandTopics + profile.parts.commands.values.compactMap(\.last?.topic)
        where identifying.isSubset(of: template.names) {
            if let topic = template.resolved(with: values).flatMap({ MQTTTopic($0.text) }) {
                endpoints.insert(CommandEndpoint(topic))
            }
        }
        return endpoints
    }

    /// Returns the variables that distinguish one lock from another: those of the lock's own command topic. A variable is left
    /// out if it only selects among command topics of the same lock, that is, if all its values are levels of the profile's
    /// command topics. A command topic that lacks one of the returned variables belongs to a group of locks.
    private static func identifyingVariables(of profile: Profile, _ values: [String: String]) -> Set<String> {
        let own = [LockOperation.unlock, .lock, .unlatch].lazy.compactMap { operation in
            profile.parts.commands[operation]?.last { $0.resolved(with: values) != nil }?.topic
        }.first
        let literalTopics = profile.parts.commandTopics.map { "/\($0.text)/" }
        let choices = profile.variables.compactMap { variable -> String? in
            guard case .words(let words) = variable.form else { return nil }
            return words.values.allSatisfy { word in literalTopics.contains { $0.contains("/\(word)/") } } ? variable.name : nil
        }
        return Set(own?.names ?? []).subtracting(choices)
    }
}

/// The text of a message, parsed as JSON at most once.
struct Payload: Sendable {
    /// Maximum bytes: 64 KiB, more than any lock sends.
    static let maxBytes = 65_536

    /// Stream-safe, see `StreamSafeText`; `document` is parsed from the original bytes.
    let text: String
    /// The payload as JSON; `nil` if it is no JSON.
    private let document: JSONText?
    private let looksLikeJSON: Bool

    /// - Returns: `nil` if the payload is too long, or not UTF-8.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.maxBytes, let text = String(validating: bytes, as: UTF8.self) else { return nil }
        self.text = text.streamSafe
        document = JSONText(bytes)
        looksLikeJSON = bytes.first.map { [UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\"")].contains($0) } ?? false
    }

    /// Whether the payload is a JSON object, or malformed JSON that begins as an object, a list or a string.
    var isObject: Bool {
        if case .object? = document { return true }
        return document == nil && looksLikeJSON
    }

    /// - Returns: `nil` if the payload is plain text for this source.
    func json(as source: ValueReader.Source) throws(MalformedPayload) -> JSONText? {
        if source == .raw || (source == .jsonOrRaw && !looksLikeJSON) { return nil }
        guard let document else { throw MalformedPayload() }
        return document
    }
}
