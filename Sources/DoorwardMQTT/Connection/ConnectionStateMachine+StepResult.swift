internal import CMosquitto
internal import DoorwardDomain

/// Input and result of one step, which `step` executes.
extension ConnectionStateMachine {
    /// The readiness of the socket, as `poll` reported it.
    struct Readiness {
        var isReadable = false
        var isWritable = false
        /// Whether the connection has been closed in both directions, or has failed.
        var isClosed = false
    }

    /// The action of the thread until the next step.
    enum NextAction {
        case poll(Int32, forWriting: Bool, until: MonotonicInstant)
        case sleep(until: MonotonicInstant)
        /// Make a client of this protocol version, and pass it to `adopt`. Making a client blocks.
        case createClient(MQTTVersion)
    }

    /// Result of one step.
    struct StepResult {
        var events: [MQTTEvent] = []
        /// Number of messages that were dropped, as they were too long or too many.
        var dropped = 0
        /// Whether the answer to a probe was read. The answer proves liveness only after all
        /// messages that came before it have been delivered; see `confirmDelivered`.
        var hasProbeResponse = false
    }
}

/// Texts of connection failures.
extension ConnectionStateMachine {
    /// Reason codes for an unsupported protocol version: 1 in MQTT 3.1.1, 0x84 in MQTT 5.0.
    private static let unsupportedProtocolCodes: Set<Int32> = [1, 0x84]
    /// Reason codes for failed authentication or authorization: 4 and 5 in MQTT 3.1.1, the others in MQTT 5.0.
    private static let authorizationErrors: Set<Int32> = [4, 5, 0x86, 0x87, 0x8C]

    func failure(forReasonCode code: Int32) -> MQTTFailure {
        if version == .v5, Self.unsupportedProtocolCodes.contains(code) {
            return .connectionRefused("it does not support MQTT 5")
        }
        let text = version == .v5 ? mosquitto_reason_string(code) : mosquitto_connack_string(code)
        let reason = text.map { String(cString: $0) } ?? "code \(code)"
        guard Self.authorizationErrors.contains(code) else { return .connectionRefused(reason) }
        return .connectionRefused("\(reason) Check the user name, the password, and the broker's permissions for this user.")
    }

    /// Returns the failure to report: the text of the broker's DISCONNECT if it sent one with a reason code of an error. If the
    /// broker closed the connection before its CONNACK, the failure contains advice; any other failure is returned unchanged.
    mutating func reportedFailure(for failure: MQTTFailure) -> MQTTFailure {
        if let reason = client?.events.disconnectReason, reason >= 0x80 {
            return .connectionLost(String(cString: mosquitto_reason_string(reason)))
        }
        guard case .connecting = phase, case .connectionLost = failure else { return failure }
        guard settings.tls == nil else {
            return .connectionLost("the broker closed it without a response; check that this port uses TLS")
        }
        return .connectionLost(
            "the broker closed it without a response; check that this is an MQTT port, and whether it requires TLS")
    }

    /// Whether the failure may mean that the broker does not support MQTT 5: some such brokers close the connection without a
    /// reason code.
    mutating func fallsBackToMQTT311(after failure: MQTTFailure) -> Bool {
        guard case .connecting = phase, version == .v5 else { return false }
        switch failure {
        case .connectionLost: return !hasAcceptedMQTT5
        case .connectionRefused:
            return client?.events.connectResult.map { Self.unsupportedProtocolCodes.contains($0.code) } ?? false
        case .unreachable, .tlsFailed, .writeTimeout, .notResponding, .stopped: return false
        }
    }
}

/// Reason codes of MQTT 5.0 (section 2.4).
enum ReasonCode {
    static let topicFilterInvalid: Int32 = 0x8F
    static let packetTooLarge: Int32 = 0x95

    static func text(_ code: Int32) -> String { String(cString: mosquitto_reason_string(code)) }
}
