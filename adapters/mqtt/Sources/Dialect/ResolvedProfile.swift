internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardMQTT

/// Resolves a profile for one address, and collects the problems of the address.
struct ResolvedProfile {
    private(set) var parts: ProfileBody
    private(set) var capabilities: LockCapabilities = []
    private(set) var commandMessages: [LockOperation: CommandMessage] = [:]
    let routes: TopicRoutes
    let commandTopic: MQTTTopic
    let endpoints: Set<CommandEndpoint>
    let uses: Set<TopicUse>
    let stateRequest: OutgoingMessage?

    init(_ profile: Profile, _ variables: [String: JSONValue], isAttached: Bool) throws(AddressErrors) {
        var address = AddressValues(profile, variables)
        let texts = address.texts(profile)
        parts = profile.parts.resolved(with: texts)
        if let hook = profile.hook, address.problems.isEmpty {
            do { try hook.apply(address.values, to: &parts) } catch { address.problems.merge(error.problems) { old, _ in old } }
        }
        address.checkTopics(of: profile, parts, isAttached: isAttached)
        guard address.problems.isEmpty else { throw address.errors }
        commandMessages = Self.commandMessages(parts)
        let precedence: [LockOperation] = [.unlock, .lock, .unlatch]
        // The last form uses the lock's own topic. A form before it may use the topic of a bridge's API, which many locks share.
        let own = precedence.lazy.compactMap { [parts] in parts.commands[$0]?.last }
        guard let commandTopic = own.compactMap({ MQTTTopic($0.topic.text) }).first else {
            throw AddressErrors([AddressErrors.Mistake(field: "address", problem: VariableProblem.required.rawValue)])
        }
        self.commandTopic = commandTopic
        endpoints = CommandEndpoint.all(of: profile, own: commandTopic, parts, resolvedWith: texts)
        stateRequest = parts.refresh.first.flatMap { part in
            MQTTTopic(part.topic.text).map {
                OutgoingMessage(topic: $0, payload: part.bytes(code: nil, reference: ""), qos: .atMostOnce)
            }
        }
        let observedTopics = commandMessages.values.map(\.topic) + parts.commandTopics.compactMap { MQTTTopic($0.text) }
        routes = TopicRoutes(parts, commandTopics: observedTopics, stateRequest: stateRequest?.topic)
        uses = TopicUse.all(of: parts, commandTopics: observedTopics)
        capabilities = Self.capabilities(parts, commandMessages)
    }

    private static func commandMessages(_ parts: ProfileBody) -> [LockOperation: CommandMessage] {
        parts.commands.compactMapValues { forms in
            forms.first.flatMap { form in MQTTTopic(form.topic.text).map { CommandMessage(form, $0, parts.commandQoS) } }
        }
    }

    /// Returns the capabilities of the resolved profile, which follow from its commands and its other parts.
    private static func capabilities(_ parts: ProfileBody, _ commandMessages: [LockOperation: CommandMessage]) -> LockCapabilities
    {
        var capabilities: LockCapabilities = []
        for operation in commandMessages.keys { if let needed = operation.requiredCapability { capabilities.insert(needed) } }
        for profileCapability in ProfileCapability.all(of: parts) {
            if let capability = profileCapability.capability { capabilities.insert(capability) }
        }
        return capabilities
    }
}

extension ProfileCapability {
    /// Returns the capabilities that follow from a profile's parts.
    static func all(of parts: ProfileBody) -> Set<ProfileCapability> { Set(allCases.filter { $0.isSupported(by: parts) }) }

    /// Whether a part of the profile provides this capability.
    private func isSupported(by parts: ProfileBody) -> Bool {
        let positions = parts.values.filter { $0.aspect == .state }.flatMap(\.map).compactMap(\.meaning.position)
        let rules = parts.events.flatMap(\.rules)
        return switch self {
        case .canOpen: parts.commands[.unlatch]?.isEmpty == false
        case .reportsIntermediate: positions.contains { [.locking, .unlocking, .opening].contains($0) }
        case .reportsJam: positions.contains(.jammed) || rules.contains { $0.kind == .jam }
        case .reportsDoor: parts.has(.door)
        case .reportsBattery: parts.has(.batteryLevel) || parts.has(.batteryLow)
        case .reportsOperator: rules.contains { $0.method != nil }
        case .reportsFailedAttempts: rules.contains { $0.kind == .attemptFailed || $0.isDone == false }
        case .acceptsCode: parts.commands.values.joined().contains { $0.payloadWithCode != nil }
        case .canRefresh: !parts.refresh.isEmpty
        case .acksCommand: !parts.acks.isEmpty
        case .correlates: parts.acks.contains { $0.correlation != .none }
        case .assumedState: parts.values.allSatisfy { $0.aspect != .state || $0.assumed?.text == "true" }
        }
    }
}
