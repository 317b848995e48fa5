package import DoorwardAdapterKit
package import DoorwardDomain
package import DoorwardMQTT

/// A profile, resolved for the address of one lock: encodes its commands and decodes its messages. Pure: no clock, no network.
package struct Dialect: Sendable {
    /// The profile from which this dialect was resolved.
    package let profile: Profile
    /// The capabilities of this lock: those of the profile whose topics can be resolved with the address.
    package let capabilities: LockCapabilities
    /// The subscriptions of the lock: exact topics, and a wildcard if the last topic level is the name of an event.
    package var filters: [MQTTFilter] { routes.filters }
    /// The filters in `filters` for topics on which only commands are published. A retained command is detected there.
    var commandFilters: Set<MQTTFilter> { routes.commandFilters }
    /// The subscriptions through which the lock's responses arrive. The broker must grant the subscriptions to the lock's state
    /// topics.
    var responseSubscriptions: MQTTResponseSubscriptions { routes.responseSubscriptions }
    /// The lock's own topic for the unlock command or, if there is none, for lock or unlatch. It distinguishes the locks of a
    /// broker. Commands may be sent to another topic, where a bridge has an API for all of its locks.
    package let commandTopic: MQTTTopic
    /// All command endpoints of the lock, including `commandTopic`.
    let endpoints: Set<CommandEndpoint>
    /// The topic uses of the lock, which may conflict with those of another lock of the same broker.
    let uses: Set<TopicUse>

    let parts: ProfileBody
    let routes: TopicRoutes
    /// The commands of the lock, each with its topic.
    private let commands: [LockOperation: (topic: MQTTTopic, form: CommandTemplate)]

    /// - Parameters:
    ///   - variables: an address without `broker` and `profile`.
    ///   - isAttached: whether the lock is already attached. If so, topic rules that were added
    ///     later are not applied, so that they do not make the lock unreachable.
    /// - Throws: every problem of the address, with fields `address.KEY`.
    package init(_ profile: Profile, variables: [String: JSONValue], isAttached: Bool = false) throws(AddressErrors) {
        var address = AddressValues(profile, variables)
        let texts = address.texts(profile)
        var parts = profile.parts.resolved(with: texts)
        if address.problems.isEmpty {
            switch profile.hook {
            case .homeassistant: HomeAssistantHook(address: address.values).apply(to: &parts, &address.problems)
            case nil: break
            }
        }
        address.checkTopics(of: profile, parts, isAttached: isAttached)
        guard address.problems.isEmpty else { throw address.errors }
        // The last form uses the lock's own topic. A form before it may use the topic of a bridge's API, which many locks share.
        let own = [LockOperation.unlock, .lock, .unlatch].lazy.compactMap { parts.commands[$0]?.last }
        guard let commandTopic = own.compactMap({ MQTTTopic($0.topic.text) }).first else {
            throw AddressErrors([AddressErrors.Mistake(field: "address", problem: VariableProblem.required.rawValue)])
        }
        (self.profile, self.parts, self.commandTopic) = (profile, parts, commandTopic)
        commands = parts.commands.compactMapValues { forms in
            forms.first.flatMap { form in MQTTTopic(form.topic.text).map { ($0, form) } }
        }
        endpoints = CommandEndpoint.all(of: profile, own: commandTopic, parts, resolvedWith: texts)
        stateRequests = parts.refresh.prefix(1).compactMap { part in
            MQTTTopic(part.topic.text).map {
                OutgoingMessage(topic: $0, payload: part.bytes(code: nil, reference: ""), qos: .atMostOnce)
            }
        }
        let observedTopics = commands.values.map(\.topic) + parts.commandTopics.compactMap { MQTTTopic($0.text) }
        routes = TopicRoutes(parts, commandTopics: observedTopics, stateRequest: stateRequests.first?.topic)
        uses = TopicUse.all(of: parts, commandTopics: observedTopics)
        capabilities = LockCapabilities(
            commands.keys.compactMap(\.requiredCapability) + ProfileCapability.all(of: parts).compactMap(\.capability))
    }

    /// Whether the lock requires a code for every command.
    package var needsCode: Bool { parts.needsCode }

    /// Whether a code is sent with this command.
    func acceptsCode(_ operation: LockOperation) -> Bool { commands[operation]?.form.payloadWithCode != nil }

    /// The messages that request the lock's state; empty if the state cannot be queried.
    package let stateRequests: [OutgoingMessage]

    /// Whether to request the state if a command is unanswered at half of its timeout.
    package var retriesStateRequest: Bool { parts.retriesStateRequest && !stateRequests.isEmpty }

    /// Whether only responses to commands are published on a topic. A bridge publishes the responses of all its locks on one
    /// topic.
    func carriesOnlyAcks(_ topic: String) -> Bool {
        guard let route = routes[topic] else { return false }
        return route.values.isEmpty && route.events.isEmpty && !route.isCommand && !route.acks.isEmpty
    }

    /// Whether a message is a state request to another lock of the same bridge.
    func isStateRequestToOtherLock(_ message: MQTTMessage) -> Bool {
        guard let route = routes[message.topic] else { return false }
        return route.isStateRequest && route.values.isEmpty && route.events.isEmpty && !route.isCommand && route.acks.isEmpty
            && !isStateRequest(message)
    }

    /// Decodes a message and updates `state`. A message on a topic that the profile does not use has no effect.
    package func decode(_ message: MQTTMessage, _ state: inout DialectState) -> DecodedMessage {
        var decoder = MessageDecoder(self, message, state)
        decoder.run()
        state = decoder.state
        return decoder.decoded
    }

    /// Decodes a message that was read before the command in flight was sent: it reports the earlier state of the lock, and is no
    /// response to the command.
    package func decodeEarlier(_ message: MQTTMessage, _ state: inout DialectState) -> DecodedMessage {
        guard let inFlight = state.inFlight else { return decode(message, &state) }
        let isStateRequested = state.staleStateFilter?.isStateRequested ?? false
        state.inFlight = nil
        var decoded = decode(message, &state)
        if setInFlight(inFlight.operation, reference: inFlight.reference, at: inFlight.sentAt, &state) {
            decoded.publish += stateRequests
        }
        state.staleStateFilter?.isStateRequested = isStateRequested
        return decoded
    }

    /// Encodes a command, and the state requests to send after it. Records the command as in flight, unless it throws.
    ///
    /// - Parameters:
    ///   - reference: unique to the command.
    ///   - now: the gateway's clock; `nil` if unknown: then the device's timestamps are not compared with it.
    /// - Throws: `.unsupported` if this lock does not support the operation, or if a code is given and the command has none.
    package func encodeCommand(
        _ operation: LockOperation, code: Secret<String>?, reference: String, at now: Timestamp? = nil,
        _ state: inout DialectState
    ) throws(AdapterError) -> (command: OutgoingMessage, stateRequests: [OutgoingMessage]) {
        guard let (topic, form) = commands[operation], code == nil || acceptsCode(operation) else { throw .unsupported }
        let needsStateRequest = setInFlight(operation, reference: form.hasReference ? reference : nil, at: now, &state)
        let payload = form.bytes(code: code?.reveal(), reference: reference)
        let message = OutgoingMessage(topic: topic, payload: payload, qos: parts.commandQoS)
        return (message, needsStateRequest ? stateRequests : [])
    }

    /// Records a command as in flight.
    ///
    /// - Returns: whether the lock's state must be requested, as its reports may repeat old values.
    private func setInFlight(
        _ operation: LockOperation, reference: String?, at now: Timestamp?, _ state: inout DialectState
    ) -> Bool {
        let isInCommandedState = state.position.lockState.satisfies(operation)
        let isKnown = state.quality == .confirmed
        let isCertain = isKnown && !state.hasUnansweredCommand
        state.inFlight = DialectState.InFlightCommand(
            operation: operation, reference: reference, sentAt: now, wasInCommandedState: isInCommandedState && isCertain)
        state.staleStateFilter =
            mayBeCached(isKnown: isKnown, now)
            ? StaleStateFilter(
                operation, knownPosition: isKnown ? state.position : nil, sentAt: now?.milliseconds, after: state.staleStateFilter
            ) : nil
        return republishesCachedState && (isInCommandedState || !isCertain)
    }

    /// Whether each message repeats all known values.
    var republishesCachedState: Bool { parts.republishesCachedState || profile.quirks.contains(.republishesCachedState) }

    /// Whether reports after a command may be stale. A bridge whose messages have timestamps
    /// repeats old values when it starts. Old values can be recognized only if a state is known.
    private func mayBeCached(isKnown: Bool, _ now: Timestamp?) -> Bool {
        if republishesCachedState { return true }
        return !isKnown && now != nil && parts.values.contains { !$0.times.isEmpty }
    }

    /// Ends a command whose outcome the lock has reported; later reports may still be filtered as stale.
    package func completeCommand(_ state: inout DialectState) { state.inFlight = nil }

    /// Ends the command in flight, if there is one. Its outcome was not reported by the lock.
    package func abandonCommand(_ state: inout DialectState) {
        if state.inFlight != nil { state.hasUnansweredCommand = true }
        state.inFlight = nil
        state.dropPassingJam()
    }

    /// Concludes the outcome of a command from the lock's silence until just before the deadline.
    ///
    /// - Returns: `.confirmed` for a lock that does not report when it is already in the commanded state, and had reported that
    ///   state live; else an empty result.
    package func concludeFromSilence(_ state: inout DialectState) -> DecodedMessage {
        var decoded = DecodedMessage()
        guard profile.quirks.contains(.alreadyInStateIsSuccess), let inFlight = state.inFlight, inFlight.wasInCommandedState,
            state.quality == .confirmed, state.availability != .offline,
            state.position.lockState.satisfies(inFlight.operation)
        else { return decoded }
        decoded.command = .confirmed
        return decoded
    }

    /// Records that the connection to the broker is lost: the known state becomes stale, the availability unknown.
    package func connectionLost(_ state: inout DialectState) -> DecodedMessage {
        let wasJammed = state.dropPassingJam()
        state.markStale()
        state.availability = .unknown
        state.availabilityByItem = [:]
        state.repeatableEvents = Set(parts.events.indices)
        // In merged messages, a difference found after the reconnect may be an old change, so
        // forget the last values. A value with its own topic is published when it changes.
        if republishesCachedState { state.lastEventValues = [:] }
        for key in state.states.keys { state.states[key]?.quality = .stale }
        var report = DecodedMessage.Report()
        (report.quality, report.availability) = (.stale, .unknown)
        if wasJammed { report.position = .jammed }
        var decoded = DecodedMessage()
        decoded.reports = [report]
        return decoded
    }

    /// Returns the payload of a command without its code, for responses that repeat it.
    func payload(of operation: LockOperation) -> String? { commands[operation]?.form.payload.text }

    /// Whether the profile uses messages on this topic.
    package func usesTopic(_ topic: String) -> Bool { routes[topic] != nil }

    /// Returns the operation and the reference of a command that any client has published; the reference is empty if the command
    /// has none. Returns `nil` for any other message, and for a retained one.
    package func command(in message: MQTTMessage) -> (LockOperation, reference: String)? {
        guard !message.isRetained else { return nil }
        for (operation, command) in commands where command.topic.description == message.topic {
            if let reference = command.form.reference(in: message.payload) { return (operation, reference) }
        }
        return nil
    }

    /// Whether a message is this lock's state request, as delivered by the broker.
    func isStateRequest(_ message: MQTTMessage) -> Bool {
        stateRequests.contains { $0.topic.description == message.topic && $0.payload == message.payload }
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

extension CommandTemplate {
    /// Matches a payload with this command in its form without a code.
    ///
    /// - Returns: the reference in the payload, empty for a command that has none; `nil` if the payload does not match.
    func reference(in payload: [UInt8]) -> String? {
        guard let text = String(streamSafe: payload) else { return nil }
        guard hasReference else { return text == self.payload.text ? "" : nil }
        let texts = self.payload.pieces.map { if case .text(let text) = $0 { text } else { "" } }
        guard self.payload.names == [CommandTemplate.reference], let first = texts.first, let last = texts.last,
            text.utf8.count >= first.utf8.count + last.utf8.count, text.hasPrefix(first), text.hasSuffix(last)
        else { return nil }
        return String(text.dropFirst(first.count).dropLast(last.count))
    }
}
