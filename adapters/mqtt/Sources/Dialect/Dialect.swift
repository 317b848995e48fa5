package import DoorwardAdapterKit
package import DoorwardDomain
package import DoorwardMQTT

/// A profile, resolved for the address of one lock: encodes its commands and decodes its messages. Pure: no clock, no network.
package struct Dialect: Sendable {
    /// The profile from which this dialect was resolved.
    package let profile: Profile
    /// The capabilities of this lock: those of the profile whose topics can be resolved with the
    /// address.
    package let capabilities: LockCapabilities
    /// The subscriptions of the lock: exact topics, and a wildcard if the last topic level is the name of an event.
    package let filters: [MQTTFilter]
    /// The filters in `filters` for topics on which only commands are published. A retained command is detected there.
    let commandFilters: Set<MQTTFilter>
    /// The subscriptions through which the lock's answers arrive. The broker must grant the subscriptions to the lock's state
    /// topics.
    let answerPaths: MQTTResponseSubscriptions
    /// The lock's own topic for the unlock command or, if there is none, for lock or unlatch. It
    /// distinguishes the locks of a broker. Commands may be sent to another topic, where a bridge
    /// has an API for all of its locks.
    package let commandTopic: MQTTTopic
    /// All command endpoints of the lock, including `commandTopic`.
    let places: Set<CommandEndpoint>
    /// The topic uses of the lock, which may conflict with those of another lock of the same broker.
    let uses: Set<TopicUse>
    /// The QoS of the lock's subscriptions.
    package let subscribes: MQTTQoS

    let parts: ProfileBody
    let routes: TopicRoutes
    private let frames: [LockOperation: CommandFrame]
    private let question: OutgoingMessage?

    /// - Parameters:
    ///   - variables: an address without `broker` and `profile`.
    ///   - isAttached: whether the lock is already attached. If so, topic rules that were added
    ///     later are not applied, so that they do not make the lock unreachable.
    /// - Throws: every problem of the address, with fields `address.KEY`.
    package init(
        _ profile: Profile, variables: [String: JSONValue], isAttached: Bool = false
    ) throws(AddressErrors) {
        let binding = try ResolvedProfile(profile, variables, isAttached: isAttached)
        (self.profile, parts, capabilities) = (profile, binding.parts, binding.capabilities)
        (routes, frames) = (binding.routes, binding.frames)
        (commandTopic, places, uses) = (binding.commandTopic, binding.places, binding.uses)
        (filters, commandFilters) = (binding.routes.filters, Set(binding.routes.commandFilters))
        answerPaths = binding.routes.answerPaths
        question = binding.question
        subscribes = binding.parts.subscribeQuality == .atLeastOnce ? .atLeastOnce : .atMostOnce
    }

    /// Whether the lock requires a code for every command.
    package var needsCode: Bool { parts.needsCode }

    /// Whether a code is sent with this command.
    func takesCode(_ operation: LockOperation) -> Bool { frames[operation]?.takesCode ?? false }

    /// The messages that request the lock's state; empty if the state cannot be queried.
    package var questions: [OutgoingMessage] { question.map { [$0] } ?? [] }

    /// Whether to request the state if a command is unanswered at half of its timeout.
    package var retriesStateRequest: Bool { parts.retriesStateRequest && question != nil }

    /// Seconds that a command usually takes, for documentation; `nil` if the profile does not state it.
    package var timeoutSeconds: Int? { profile.timeoutSeconds }

    /// Whether only responses to commands are published on a topic. A bridge publishes the responses of all its locks on one
    /// topic.
    func isOfAnswersOnly(_ topic: String) -> Bool {
        guard let route = routes[topic] else { return false }
        return route.values.isEmpty && route.events.isEmpty && !route.isCommand && !route.answers.isEmpty
    }

    /// Whether a message is a state request to another lock of the same bridge.
    func isQuestionToOthers(_ message: MQTTMessage) -> Bool {
        guard let route = routes[message.topic] else { return false }
        return route.isQuestion && route.values.isEmpty && route.events.isEmpty && !route.isCommand && route.answers.isEmpty
            && !isQuestion(message)
    }

    /// Decodes a message and updates `memory`. A message on a topic that the profile does not use has no effect.
    package func decode(_ message: MQTTMessage, _ memory: inout DialectState) -> DecodedMessage {
        var hearing = MessageDecoder(self, message, memory)
        hearing.run()
        memory = hearing.memory
        return hearing.heard
    }

    /// Decodes a message that was read before the command in flight was sent: it reports the earlier state of the lock, and is no
    /// response to the command.
    package func decodeEarlier(_ message: MQTTMessage, _ memory: inout DialectState) -> DecodedMessage {
        guard let underWay = memory.underWay else { return decode(message, &memory) }
        let isAsked = memory.doubt?.isAsked ?? false
        memory.underWay = nil
        var heard = decode(message, &memory)
        if begin(underWay.operation, reference: underWay.reference, at: underWay.orderedAt, &memory) {
            heard.publish += questions
        }
        memory.doubt?.isAsked = isAsked
        return heard
    }

    /// Encodes a command, and the state requests to send after it. Records the command as in flight, unless it throws.
    ///
    /// - Parameters:
    ///   - reference: unique to the command.
    ///   - now: the gateway's clock; `nil` if unknown: then the device's timestamps are not compared with it.
    /// - Throws: `.unsupported` if this lock does not support the operation, or if a code is given
    ///   and the command has none.
    package func order(
        _ operation: LockOperation, code: Secret<String>?, reference: String, at now: Timestamp? = nil,
        _ memory: inout DialectState
    ) throws(AdapterError) -> (command: OutgoingMessage, questions: [OutgoingMessage]) {
        guard let frame = frames[operation], code == nil || frame.takesCode else { throw .unsupported }
        let needsAnswer = begin(operation, reference: frame.bearsReference ? reference : nil, at: now, &memory)
        return (frame.outgoing(code: code?.reveal(), reference: reference), needsAnswer ? questions : [])
    }

    /// Records a command as in flight.
    ///
    /// - Returns: whether the lock's state must be requested, as its reports may repeat old values.
    private func begin(
        _ operation: LockOperation, reference: String?, at now: Timestamp?, _ memory: inout DialectState
    ) -> Bool {
        let wasThere = memory.position.lockState.satisfies(operation)
        let isKnown = memory.quality == .confirmed
        let isSure = isKnown && !memory.isUnanswered
        memory.underWay = DialectState.InFlightCommand(operation, reference: reference, at: now, wasThere: wasThere && isSure)
        memory.doubt =
            mayBeCached(isKnown: isKnown, now)
            ? StaleStateFilter(
                operation, known: isKnown ? memory.position : nil, orderedAt: now?.milliseconds, after: memory.doubt) : nil
        return republishesCachedState && (wasThere || !isSure)
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
    package func endOrder(_ memory: inout DialectState) { memory.underWay = nil }

    /// Ends the command in flight, if there is one. Its outcome was not reported by the lock.
    package func giveUpOrder(_ memory: inout DialectState) {
        if memory.underWay != nil { memory.isUnanswered = true }
        memory.underWay = nil
    }

    /// Concludes the outcome of a command from the lock's silence until just before the deadline.
    ///
    /// - Returns: `.confirmed` for a lock that does not report when it is already in the commanded state, and had reported that
    ///   state live; else an empty result.
    package func silence(_ memory: inout DialectState) -> DecodedMessage {
        var heard = DecodedMessage()
        guard profile.quirks.contains(.alreadyInStateIsSuccess), let underWay = memory.underWay, underWay.wasThere,
            memory.quality == .confirmed, memory.availability != .offline,
            memory.position.lockState.satisfies(underWay.operation)
        else { return heard }
        heard.command = .confirmed
        return heard
    }

    /// Records that the connection to the broker is lost: the known state becomes stale, the availability unknown.
    package func lose(_ memory: inout DialectState) -> DecodedMessage {
        memory.markStale()
        memory.availability = .unknown
        memory.reach = [:]
        // In merged messages, a difference found after the reconnect may be an old change, so
        // forget the last values. A value with its own topic is published when it changes.
        if republishesCachedState { memory.lastTold = [:] }
        for key in memory.states.keys { memory.states[key]?.quality = .stale }
        var report = DecodedMessage.Report()
        (report.quality, report.availability) = (.stale, .unknown)
        var heard = DecodedMessage()
        heard.reports = [report]
        return heard
    }

    /// Returns the payload of a command without its code, for responses that repeat it.
    func payload(of operation: LockOperation) -> String? { frames[operation]?.plainPayload }

    /// Whether the profile uses messages on this topic.
    package func isHeard(on topic: String) -> Bool { routes[topic] != nil }

    /// Returns the operation and the reference of a command that any client has published; the reference is empty if the command
    /// has none. Returns `nil` for any other message, and for a retained one.
    package func order(seenIn message: MQTTMessage) -> (LockOperation, reference: String)? {
        guard !message.isRetained else { return nil }
        for (operation, frame) in frames where frame.topic.description == message.topic {
            if let reference = frame.reference(in: message.payload) { return (operation, reference) }
        }
        return nil
    }

    /// Whether a message is this lock's state request, as delivered by the broker.
    func isQuestion(_ message: MQTTMessage) -> Bool {
        question.map { $0.topic.description == message.topic && $0.payload == message.payload } ?? false
    }
}
