internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardMQTT
internal import Logging

/// Faults that the gateway itself detects on the transport to one lock.
struct DeliveryFaults {
    /// The filters to which the broker refuses the subscription, on this connection.
    var refusedFilters: Set<MQTTFilter> = []
    /// Whether the broker rejected the last command, or did not deliver it.
    var isCommandNotDelivered = false
    /// Whether the broker delivers the gateway's own commands on this lock's command topic back to the gateway; `nil` until
    /// known.
    var returnsCommands: Bool?
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
    /// Ends the command whose frame the broker has rejected (MQTT 5.0, section 3.4.2.1).
    ///
    /// - Returns: false if this is not the frame of this lock's last command.
    func reject(_ frame: MQTTPublishID, reason: String, isNotAuthorized: Bool) -> Bool {
        var isOwn = false
        change { state in
            guard let delivery = state.delivery, delivery.frame.id == frame, delivery.rejection == nil else { return }
            isOwn = true
            state.delivery?.rejection = (reason, isNotAuthorized)
            logUndelivered(delivery, "command rejected by the broker: \(reason)")
            raise(&state) { $0.isCommandNotDelivered = true }
            guard state.order?.id == delivery.command else { return }
            // The lock never received the command, so no later report is an echo of it.
            state.echo = nil
            deliver(.refusal(isNotAuthorized ? .notAuthorised : .transport), &state, after: delivery.command)
            endOrder(&state)
        }
        return isOwn
    }

    /// Records that the broker refuses the subscription to one of the lock's topics.
    func refuseSubscription(_ filter: MQTTFilter) {
        change { state in raise(&state) { $0.refusedFilters.insert(filter) } }
    }

    /// Records that the broker grants a subscription that it had refused, to one of the lock's topics.
    func grantSubscription(_ filter: MQTTFilter) {
        change { state in raise(&state) { $0.refusedFilters.remove(filter) } }
    }

    /// Returns the known reason why a command has failed or timed out.
    func problem(of command: CommandID) -> TransportProblem? {
        guard link.isConnected else { return link.disconnectedProblem }
        if isWithoutCode { return Self.noCode }
        var problem: TransportProblem?
        change { state in
            guard let delivery = state.delivery, delivery.command == command else { return }
            let topic = "topic `\(delivery.topic)`"
            if let (reason, isNotAuthorized) = delivery.rejection {
                let why = isNotAuthorized ? "the gateway is not authorized to publish to \(topic)" : "\(reason), \(topic)"
                problem = TransportProblem(
                    detail: "Broker `\(link.broker.name)` rejected the command: \(why). Check the broker's access control list.",
                    summary: "The MQTT broker rejected the command.")
            } else if isMissing(delivery, state) {
                problem = TransportProblem(
                    detail:
                        "Broker `\(link.broker.name)` did not deliver the command: it did not come back to the gateway on \(topic). "
                        + "The broker's access control list probably keeps the gateway from publishing there.",
                    summary: "The MQTT broker did not deliver the command.")
                guard !state.delivered.isCommandNotDelivered else { return }
                logUndelivered(delivery, "command not delivered by the broker: not authorized to publish?")
                raise(&state) { $0.isCommandNotDelivered = true }
            }
        }
        return problem
    }

    private static let noCode = TransportProblem(
        detail: "The lock needs a code, and none is stored; store it with PUT /api/v1/devices/:id/settings.",
        summary: "The lock needs a code, and none is stored.")

    /// Whether no command can be sent because the lock's code is missing.
    private var isWithoutCode: Bool { dialect.needsCode && surroundings.codes[id] == nil }

    /// Whether the broker has been responsive since a command, but has not delivered the command to the gateway's subscription.
    /// Acknowledgements do not show this: a broker acknowledges no frame of QoS 0, and a broker of MQTT 3.1.1 also acknowledges
    /// the frames that it drops.
    func isMissing(_ delivery: CommandDelivery, _ state: State) -> Bool {
        !delivery.isDelivered && state.delivered.returnsCommands != false && link.isBrokerResponsive(since: delivery.frame.number)
            && !state.delivered.refusedFilters.contains(MQTTFilter(delivery.topic))
    }

    private func logUndelivered(_ delivery: CommandDelivery, _ sentence: String) {
        surroundings.logger.error(
            "\(sentence)",
            metadata: [
                "device": "\(id)", "broker": "\(link.broker.name)", "topic": "\(delivery.topic)",
                "command": "\(delivery.command)",
            ])
    }

    /// Records that the last command was received back by the gateway, or answered by the lock.
    func noteDelivered(_ state: inout State, isAnswer: Bool) {
        guard let delivery = state.delivery, !delivery.isDelivered else { return }
        state.delivery?.isDelivered = true
        raise(&state) { delivered in
            delivered.isCommandNotDelivered = false
            // A single-process broker delivers a command to the gateway before the lock can answer. If the answer arrives first,
            // this broker does not deliver commands back to the gateway.
            delivered.returnsCommands = !isAnswer
        }
    }

    /// Forgets the last command's delivery and the refused filters, when the connection is lost.
    func forgetDelivery(_ state: inout State) {
        state.delivery = nil
        raise(&state) { $0.refusedFilters = [] }
    }

    /// Reports the faults that the gateway itself detects, if they have changed.
    func reportFaults() {
        change { state in raise(&state) { _ in } }
    }

    /// Applies a change, and reports the lock's faults if it changes them.
    private func raise(_ state: inout State, _ body: (inout DeliveryFaults) -> Void) {
        body(&state.delivered)
        let faults = gatewayFaults(state)
        guard !state.isDetached, faults != state.delivered.reported else { return }
        deliver(.faults(Set(state.memory.faults.map(\.rawValue))), &state, after: state.lastOrder?.id)
    }

    /// Returns the faults of the lock that the gateway itself detects.
    func gatewayFaults(_ state: State) -> Set<LockFault> {
        var faults = state.delivered.all(commandFilters: dialect.commandFilters)
        if state.isGone { faults.insert(.gone) }
        if state.renamedID != nil { faults.insert(.renamed) }
        if isWithoutCode { faults.insert(.needsCode) }
        return faults
    }
}
