internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardMQTT
internal import Logging
internal import Synchronization

/// Faults that the gateway itself detects on the transport to one lock.
struct DeliveryFaults {
    /// The filters to which the broker refuses the subscription, on this connection.
    var refusedFilters: Set<MQTTFilter> = []
    /// Whether the broker rejected the last command, or did not deliver it.
    var isCommandNotDelivered = false
    /// Whether the broker delivers the gateway's own commands on this lock's command topic back to the gateway; `nil` until
    /// known.
    var deliversOwnCommands: Bool?
    /// The faults detected by the gateway that were last reported.
    var reported: Set<LockFault> = []

    func all(commandFilters: Set<MQTTFilter>) -> Set<LockFault> {
        var faults: Set<LockFault> = isCommandNotDelivered ? [.commandNotDelivered] : []
        // A refused command topic is no fault: the gateway then misses commands of other clients, but no report of the lock.
        if !refusedFilters.isSubset(of: commandFilters) { faults.insert(.subscriptionRefused) }
        return faults
    }
}

extension MQTTLock {
    /// Ends the command that the broker has rejected (MQTT 5.0, section 3.4.2.1).
    ///
    /// - Returns: false if this is not the id of this lock's last command.
    func reject(_ id: MQTTPublishNumber, reason: String, isNotAuthorized: Bool) -> Bool {
        var isOwn = false
        update { state in
            guard let delivery = state.delivery, delivery.sent.id == id, delivery.rejection == nil else { return }
            isOwn = true
            state.delivery?.rejection = (reason, isNotAuthorized)
            logUndelivered(delivery, "command rejected by the broker: \(reason)")
            updateFaults(&state) { $0.isCommandNotDelivered = true }
            guard state.pendingCommand?.id == delivery.command else { return }
            // The lock never received the command, so no later report is an echo of it.
            state.echoFilter = nil
            enqueue(.refusal(isNotAuthorized ? .notAuthorised : .transport), &state, after: delivery.command)
            completeCommand(&state)
        }
        return isOwn
    }

    /// Records that the broker refuses the subscription to one of the lock's topics.
    func refuseSubscription(_ filter: MQTTFilter) {
        update { state in updateFaults(&state) { $0.refusedFilters.insert(filter) } }
    }

    /// Records that the broker grants a subscription that it had refused, to one of the lock's topics.
    func grantSubscription(_ filter: MQTTFilter) {
        update { state in updateFaults(&state) { $0.refusedFilters.remove(filter) } }
    }

    /// Returns the known reason why a command has failed or timed out.
    func problem(of command: CommandID) -> TransportProblem? {
        guard session.isConnected else { return session.disconnectedProblem }
        if isWithoutCode { return Self.noCode }
        var problem: TransportProblem?
        update { state in
            guard let delivery = state.delivery, delivery.command == command else { return }
            let topic = "topic `\(delivery.topic)`"
            if let (reason, isNotAuthorized) = delivery.rejection {
                let why = isNotAuthorized ? "the gateway is not authorized to publish to \(topic)" : "\(reason), \(topic)"
                problem = TransportProblem(
                    detail:
                        "Broker `\(session.broker.name)` rejected the command: \(why). Check the broker's access control list.",
                    summary: "The MQTT broker rejected the command.")
            } else if isMissing(delivery, state) {
                problem = TransportProblem(
                    detail:
                        "Broker `\(session.broker.name)` did not deliver the command: the gateway did not receive its own publish on "
                        + "\(topic). The broker's access control list probably keeps the gateway from publishing there.",
                    summary: "The MQTT broker did not deliver the command.")
                guard !state.deliveryFaults.isCommandNotDelivered else { return }
                logUndelivered(delivery, "command not delivered by the broker: not authorized to publish?")
                updateFaults(&state) { $0.isCommandNotDelivered = true }
            }
        }
        return problem
    }

    private static let noCode = TransportProblem(
        detail: "The lock needs a code, and none is stored; store it with PUT /api/v1/devices/:id/settings.",
        summary: "The lock needs a code, and none is stored.")

    /// Whether no command can be sent because the lock's code is missing.
    private var isWithoutCode: Bool { dialect.needsCode && context.codes.withLock { $0[id] } == nil }

    /// Whether the broker has been responsive since a command, but has not delivered the command to the gateway's subscription.
    /// Acknowledgements do not show this: a broker acknowledges no message of QoS 0, and a broker of MQTT 3.1.1 also acknowledges
    /// the messages that it drops.
    func isMissing(_ delivery: CommandDelivery, _ state: State) -> Bool {
        !delivery.isDelivered && state.deliveryFaults.deliversOwnCommands != false
            && session.isBrokerResponsive(since: delivery.sent.number)
            && !state.deliveryFaults.refusedFilters.contains(MQTTFilter(delivery.topic))
    }

    private func logUndelivered(_ delivery: CommandDelivery, _ text: String) {
        context.logger.error(
            "\(text)",
            metadata: [
                "device": "\(id)", "broker": "\(session.broker.name)", "topic": "\(delivery.topic)",
                "command": "\(delivery.command)",
            ])
    }

    /// Records that the last command was received back by the gateway, or answered by the lock.
    func recordDelivery(_ state: inout State, isAnswer: Bool) {
        guard let delivery = state.delivery, !delivery.isDelivered else { return }
        state.delivery?.isDelivered = true
        updateFaults(&state) { faults in
            faults.isCommandNotDelivered = false
            // A single-process broker delivers a command to the gateway before the lock can answer. If the answer arrives first,
            // this broker does not deliver commands back to the gateway.
            faults.deliversOwnCommands = !isAnswer
        }
    }

    /// Forgets the last command's delivery and the refused filters, when the connection is lost.
    func clearDelivery(_ state: inout State) {
        state.delivery = nil
        updateFaults(&state) { $0.refusedFilters = [] }
    }

    /// Reports the faults that the gateway itself detects, if they have changed.
    func reportFaults() {
        update { state in updateFaults(&state) { _ in } }
    }

    /// Applies a change, and reports the lock's faults if it changes them.
    private func updateFaults(_ state: inout State, _ body: (inout DeliveryFaults) -> Void) {
        body(&state.deliveryFaults)
        let faults = gatewayFaults(state)
        guard !state.isDetached, faults != state.deliveryFaults.reported else { return }
        enqueueFaults(&state)
    }

    /// Returns the faults of the lock that the gateway itself detects.
    func gatewayFaults(_ state: State) -> Set<LockFault> {
        var faults = state.deliveryFaults.all(commandFilters: dialect.commandFilters)
        if state.isRemoved { faults.insert(.gone) }
        if state.renamedID != nil { faults.insert(.renamed) }
        if isWithoutCode { faults.insert(.needsCode) }
        return faults
    }
}

/// Delivery status of the last command: whether the broker rejected it, and whether the gateway's own subscription to the command
/// topic has received it.
struct CommandDelivery {
    let command: CommandID
    let topic: MQTTTopic
    let sent: MQTTSentPublish
    /// Secret, as it may contain a lock's code.
    private let payload: Secret<[UInt8]>
    /// Whether the broker has delivered the command: the gateway has received it back, or the lock has answered it.
    var isDelivered = false
    /// The text of the reason code with which the broker rejected the command; `nil` if it has not rejected it.
    var rejection: (reason: String, isNotAuthorized: Bool)?

    init(_ command: CommandID, _ outgoing: OutgoingMessage, _ sent: MQTTSentPublish) {
        (self.command, topic, self.sent, payload) = (command, outgoing.topic, sent, Secret(outgoing.payload))
    }

    /// Whether a message is the command itself, as the broker delivers it to every subscriber of its topic.
    func matches(_ message: MQTTMessage) -> Bool {
        !message.isRetained && message.readAfter >= sent.number && TopicText(message.topic) == TopicText(topic.description)
            && message.payload == payload.reveal()
    }
}

/// Recently sent commands of one lock that the broker has not delivered back to the gateway. The gateway subscribes to the lock's
/// command topics, so that it detects when the broker delivers a command late.
struct PublishedCommands {
    /// Maximum number of remembered commands.
    private static let maxCount = 8
    /// How long a command is remembered after its deadline. A message that matches later may come from any client.
    private static let retention = Duration.seconds(300)

    private struct Publish {
        let command: CommandID
        let topic: String
        let payload: [UInt8]
        let until: MonotonicInstant
    }

    private var publishes: [Publish] = []

    mutating func record(_ command: CommandID, _ outgoing: OutgoingMessage, until: MonotonicInstant) {
        publishes.append(Publish(command: command, topic: outgoing.topic.description, payload: outgoing.payload, until: until))
        if publishes.count > Self.maxCount { publishes.removeFirst() }
    }

    /// Matches a received message with the commands. Of equal commands, one whose deadline has not passed matches first: the
    /// message is then no evidence that another command was delivered late.
    ///
    /// - Returns: the command to which the message belongs, if its deadline had passed.
    mutating func lateDelivery(of message: MQTTMessage, at now: MonotonicInstant) -> CommandID? {
        guard !publishes.isEmpty, !message.isRetained else { return nil }
        publishes.removeAll { now > $0.until.advanced(by: Self.retention) }
        let matches = publishes.indices.filter {
            publishes[$0].topic == message.topic && publishes[$0].payload == message.payload
        }
        guard let index = matches.first(where: { publishes[$0].until > now }) ?? matches.first else { return nil }
        let publish = publishes.remove(at: index)
        return publish.until > now ? nil : publish.command
    }
}

/// Filters the event by which a lock reports the gateway's own command as a remote operation.
struct CommandEchoFilter {
    /// How long after the command's deadline the event is filtered: bridges send it some time after the lock has reported its
    /// state.
    static let delay = Duration.seconds(5)

    private let event: RecordEvent?
    private let until: MonotonicInstant

    init(_ operation: LockOperation, until: MonotonicInstant) {
        (event, self.until) = (operation.eventOperation?.recordEvent, until)
    }

    /// Whether a fact is such an event. A state is never filtered, because it may confirm the command.
    func isEcho(_ fact: LockReport.Fact, at now: MonotonicInstant) -> Bool {
        guard now <= until, case .event(event, method: .remote, _) = fact, event != nil else { return false }
        return true
    }
}
