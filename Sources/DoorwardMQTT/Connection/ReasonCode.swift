internal import CMosquitto

/// Reason codes of MQTT 5.0 (section 2.4).
enum ReasonCode {
    static let topicFilterInvalid: Int32 = 0x8F
    static let packetTooLarge: Int32 = 0x95

    static func text(_ code: Int32) -> String { String(cString: mosquitto_reason_string(code)) }
}
