internal import CMosquitto

/// Texts of connection failures.
extension ConnectionStateMachine {
    /// Reason codes for an unsupported protocol version: 1 in MQTT 3.1.1, 0x84 in MQTT 5.0.
    private static let foreignProtocol: Set<Int32> = [1, 0x84]
    /// Reason codes for failed authentication or authorization: 4 and 5 in MQTT 3.1.1, the others in MQTT 5.0.
    private static let stranger: Set<Int32> = [4, 5, 0x86, 0x87, 0x8C]

    func refusal(_ code: Int32) -> MQTTFailure {
        if version == .five, Self.foreignProtocol.contains(code) { return .refused("it does not support MQTT 5") }
        let words = version == .five ? mosquitto_reason_string(code) : mosquitto_connack_string(code)
        let reason = words.map { String(cString: $0) } ?? "code \(code)"
        guard Self.stranger.contains(code) else { return .refused(reason) }
        return .refused("\(reason) Check the user name, the password, and the broker's permissions for this user.")
    }

    /// Returns the failure to report: the text of the broker's DISCONNECT if it sent one with a reason code of an error. If the
    /// broker closed the connection before its CONNACK, the failure contains advice; any other failure is returned unchanged.
    mutating func shown(_ failure: MQTTFailure) -> MQTTFailure {
        if let goodbye = handle?.events.goodbye, goodbye >= 0x80 {
            return .lost(String(cString: mosquitto_reason_string(goodbye)))
        }
        guard case .opening = phase, case .lost = failure else { return failure }
        guard settings.tls == nil else {
            return .lost("the broker closed it without a response; check that this port uses TLS")
        }
        return .lost("the broker closed it without a response; check that this is an MQTT port, and whether it requires TLS")
    }

    /// Whether the failure may mean that the broker does not support MQTT 5: some such brokers close the connection without a
    /// reason code.
    mutating func isFallBack(after failure: MQTTFailure) -> Bool {
        guard case .opening = phase, version == .five else { return false }
        switch failure {
        case .lost: return !isKnownToSpeakFive
        case .refused: return handle?.events.answer.map { Self.foreignProtocol.contains($0.code) } ?? false
        case .unreachable, .tlsFailed, .stuck, .notResponding, .stopped: return false
        }
    }
}
