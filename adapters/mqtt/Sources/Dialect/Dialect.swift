package import DoorwardAdapterKit
package import DoorwardDomain
package import DoorwardMQTT

/// A profile and a lock's address, bound: the way to speak to that one lock. Pure: no clock, no network.
package struct Dialect: Sendable {
    /// What it was made of.
    package let profile: Profile
    /// What this lock can do: what the profile says, as far as the address gives it the topics.
    package let capabilities: LockCapabilities
    /// What to subscribe to: exact topics, and a wildcard where a dialect names its events in topics.
    package let filters: [MQTTFilter]
    /// Those of `filters` on which somebody may leave a command, and the lock never says how it is.
    let commandFilters: Set<MQTTFilter>
    /// The subscriptions by which the lock's answers arrive: the broker must grant those to its state topics.
    let answerPaths: MQTTAnswerPaths
    /// The lock's own topic for an unlock (else a lock, else an unlatch), by which one lock of a broker is told from another. Orders
    /// may go to another one, where a bridge has an API for all of its locks.
    package let commandTopic: MQTTTopic
    /// Everywhere that it obeys, `commandTopic` among them.
    let places: Set<CommandPlace>
    /// Its uses of topics, which may conflict with those of another lock of its broker.
    let uses: Set<TopicUse>
    /// How surely the broker should hand its messages on.
    package let subscribes: MQTTQuality

    let parts: ProfileParts
    let routes: TopicRoutes
    private let frames: [LockOperation: CommandFrame]
    private let question: Outgoing?

    /// - Parameters:
    ///   - variables: an address without `broker` and `profile`.
    ///   - isAttached: the lock is attached already: topic rules that were added later do not make it unreachable.
    /// - Throws: every mistake of the address, fields `address.KEY`.
    package init(
        _ profile: Profile, variables: [String: JSONValue], isAttached: Bool = false
    ) throws(AddressMistakes) {
        let binding = try DialectBinding(profile, variables, isAttached: isAttached)
        (self.profile, parts, capabilities) = (profile, binding.parts, binding.capabilities)
        (routes, frames) = (binding.routes, binding.frames)
        (commandTopic, places, uses) = (binding.commandTopic, binding.places, binding.uses)
        (filters, commandFilters) = (binding.routes.filters, Set(binding.routes.commandFilters))
        answerPaths = binding.routes.answerPaths
        question = binding.question
        subscribes = binding.parts.subscribeQuality == .atLeastOnce ? .atLeastOnce : .atMostOnce
    }

    /// Whether the lock takes no command without a code.
    package var needsCode: Bool { parts.needsCode }

    /// Whether a code is sent along with a command.
    func takesCode(_ operation: LockOperation) -> Bool { frames[operation]?.takesCode ?? false }

    /// What to ask to learn the lock's state; empty where it cannot be asked.
    package var questions: [Outgoing] { question.map { [$0] } ?? [] }

    /// Whether to ask once more when half of the time of a command is over without an answer.
    package var asksAgain: Bool { parts.asksAgain && question != nil }

    /// Seconds that a command may take by nature, for documentation; `nil` where the profile does not say.
    package var timeoutSeconds: Int? { profile.timeoutSeconds }

    /// Whether what comes on a topic says nothing but how commands went: bridges say so of all their locks on one topic.
    func isOfAnswersOnly(_ topic: String) -> Bool {
        guard let route = routes[topic] else { return false }
        return route.values.isEmpty && route.events.isEmpty && !route.isCommand && !route.answers.isEmpty
    }

    /// Whether a message is a question to another lock of the same bridge.
    func isQuestionToOthers(_ message: MQTTMessage) -> Bool {
        guard let route = routes[message.topic] else { return false }
        return route.isQuestion && route.values.isEmpty && route.events.isEmpty && !route.isCommand && route.answers.isEmpty
            && !isQuestion(message)
    }

    /// Takes one message in: what it means, and what is remembered. Any message may be given; what is none of this lock's is
    /// silent.
    package func hear(_ message: MQTTMessage, _ memory: inout LockMemory) -> Heard {
        var hearing = Hearing(self, message, memory)
        hearing.run()
        memory = hearing.memory
        return hearing.heard
    }

    /// Takes a message in from before the command that is under way: it tells how the lock was when the command left, and says
    /// nothing of the command.
    package func hearOfBefore(_ message: MQTTMessage, _ memory: inout LockMemory) -> Heard {
        guard let underWay = memory.underWay else { return hear(message, &memory) }
        let isAsked = memory.doubt?.isAsked ?? false
        memory.underWay = nil
        var heard = hear(message, &memory)
        if begin(underWay.operation, reference: underWay.reference, at: underWay.orderedAt, &memory) {
            heard.publish += questions
        }
        memory.doubt?.isAsked = isAsked
        return heard
    }

    /// The frame of an order, and reading frames that follow it; notes the order as under way. Nothing is noted when it throws.
    ///
    /// - Parameters:
    ///   - reference: unique to the order.
    ///   - now: by the gateway's clock; `nil` where nobody knows, and then what a device says of its own time is not held against it.
    /// - Throws: `.unsupported` for what this lock cannot do, or for a code that it does not take.
    package func order(
        _ operation: LockOperation, code: Secret<String>?, reference: String, at now: Timestamp? = nil,
        _ memory: inout LockMemory
    ) throws(AdapterError) -> (command: Outgoing, questions: [Outgoing]) {
        guard let frame = frames[operation], code == nil || frame.takesCode else { throw .unsupported }
        let needsAnswer = begin(operation, reference: frame.bearsReference ? reference : nil, at: now, &memory)
        return (frame.outgoing(code: code?.reveal(), reference: reference), needsAnswer ? questions : [])
    }

    /// Notes a command as under way.
    ///
    /// - Returns: whether the lock has to be asked, as what it would say of itself may be old.
    private func begin(
        _ operation: LockOperation, reference: String?, at now: Timestamp?, _ memory: inout LockMemory
    ) -> Bool {
        let wasThere = memory.position.lockState.satisfies(operation)
        let isKnown = memory.quality == .confirmed
        let isSure = isKnown && !memory.isUnanswered
        memory.underWay = LockMemory.UnderWay(operation, reference: reference, at: now, wasThere: wasThere && isSure)
        memory.doubt =
            mayRepeat(isKnown: isKnown, now)
            ? Doubt(operation, known: isKnown ? memory.position : nil, orderedAt: now?.milliseconds, after: memory.doubt) : nil
        return mergesCache && (wasThere || !isSure)
    }

    /// Each message repeats what was known before.
    var mergesCache: Bool { parts.mergesCache || profile.quirks.contains(.mergesCache) }

    /// Whether what follows an order may be old. A bridge that tells the device's time tells old values when it starts: that is
    /// of matter where nothing is known against which they show as old.
    private func mayRepeat(isKnown: Bool, _ now: Timestamp?) -> Bool {
        if mergesCache { return true }
        return !isKnown && now != nil && parts.values.contains { !$0.times.isEmpty }
    }

    /// Ends a command whose outcome the lock has reported; a doubt about later messages remains.
    package func endOrder(_ memory: inout LockMemory) { memory.underWay = nil }

    /// Ends a command, if one is in flight, whose outcome the lock has not reported.
    package func giveUpOrder(_ memory: inout LockMemory) {
        if memory.underWay != nil { memory.isUnanswered = true }
        memory.underWay = nil
    }

    /// The lock has been silent until just before the deadline.
    ///
    /// - Returns: `.confirmed` for a lock that says nothing when it already is where it should be, and was there by its live
    ///   word; else nothing.
    package func silence(_ memory: inout LockMemory) -> Heard {
        var heard = Heard()
        guard profile.quirks.contains(.alreadyInStateIsSuccess), let underWay = memory.underWay, underWay.wasThere,
            memory.quality == .confirmed, memory.availability != .offline,
            memory.position.lockState.satisfies(underWay.operation)
        else { return heard }
        heard.command = .confirmed
        return heard
    }

    /// The connection to the broker is gone: what is known becomes stale, availability unknown.
    package func lose(_ memory: inout LockMemory) -> Heard {
        memory.loseTrack()
        memory.availability = .unknown
        memory.reach = [:]
        // In merged messages a value that has changed may have changed long ago; elsewhere it was published when it did.
        if mergesCache { memory.lastTold = [:] }
        for key in memory.states.keys { memory.states[key]?.quality = .stale }
        var report = Heard.Report()
        (report.quality, report.availability) = (.stale, .unknown)
        var heard = Heard()
        heard.reports = [report]
        return heard
    }

    /// The text of the frame that is under way, for answers that repeat it.
    func payload(of operation: LockOperation) -> String? { frames[operation]?.plainPayload }

    /// Whether the profile uses messages on this topic.
    package func isHeard(on topic: String) -> Bool { routes[topic] != nil }

    /// The operation of a command in a message of any sender, and the reference that it bears: empty for none. `nil` for any
    /// other message, and for a retained one.
    package func order(seenIn message: MQTTMessage) -> (LockOperation, reference: String)? {
        guard !message.isRetained else { return nil }
        for (operation, frame) in frames where frame.topic.description == message.topic {
            if let reference = frame.reference(in: message.payload) { return (operation, reference) }
        }
        return nil
    }

    /// Whether a message is the question of `questions`, on its way to the lock.
    func isQuestion(_ message: MQTTMessage) -> Bool {
        question.map { $0.topic.description == message.topic && $0.payload == message.payload } ?? false
    }
}
