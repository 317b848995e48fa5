internal import CMosquitto
internal import DoorwardDomain

/// The events that the libmosquitto callbacks of one client record. The callbacks run inside the
/// client's functions, so the lock that protects the client also protects the events.
final class MosquittoCallbacks {
    /// Contents of the broker's CONNACK.
    struct ConnectResult {
        /// The reason code; 0 means that the connection is accepted.
        var code: Int32
        /// Receive Maximum: messages of QoS 1 that may be unacknowledged at a time.
        var receiveMaximum: UInt16 = 65_535
        /// Maximum QoS; 0 where the broker acknowledges no messages.
        var maximumQoS: UInt8 = 2
    }

    /// Maximum number and total bytes of the messages kept until the next call of `takeMessages`, which each step makes. More
    /// messages arrive in one step only if the broker packs them so densely that the library does not stop reading.
    private static let (maxMessages, maxBytes) = (4096, 32 * 1024 * 1024)

    /// Longest payload that is accepted; a message with a longer one is dropped on arrival.
    private let maximumPayloadBytes: Int
    private var payloadBytes = 0

    var connectResult: ConnectResult?
    private(set) var messages: [MQTTMessage] = []
    /// Number of messages that were received and dropped, as they were too long or too many.
    private(set) var dropped = 0
    /// Topics and sizes of the dropped messages that were too long, at most `maxTooLong`.
    private(set) var tooLong: [(topic: String, bytes: Int)] = []
    /// Maximum number of records in `tooLong`.
    private static let maxTooLong = 16
    var pubacks: [(packetID: Int32, code: Int32)] = []
    /// Received SUBACKs: the reason code of each filter.
    var subacks: [(packetID: Int32, codes: [Int32])] = []
    /// Packet identifiers of received UNSUBACKs.
    var unsubacks: [Int32] = []
    /// Reason code of the broker's DISCONNECT.
    var disconnectReason: Int32?
    /// The library's error log, at most 16 lines, the newest last.
    private(set) var errorLog: [String] = []

    init(maximumPayloadBytes: Int) { self.maximumPayloadBytes = maximumPayloadBytes }

    /// Whether anything has arrived from the broker since the last call of `takeMessages`.
    var hasEvents: Bool {
        !(messages.isEmpty && pubacks.isEmpty && subacks.isEmpty && unsubacks.isEmpty) || dropped > 0
    }

    /// - Returns: the messages that have arrived since the last call, how many were dropped, and which of them were too long.
    func takeMessages() -> (messages: [MQTTMessage], dropped: Int, tooLong: [(topic: String, bytes: Int)]) {
        defer { (messages, dropped, payloadBytes, tooLong) = ([], 0, 0, []) }
        return (messages, dropped, tooLong)
    }

    private func receive(_ message: mosquitto_message) {
        let count = Int(message.payloadlen)
        guard let topic = message.topic, count <= maximumPayloadBytes, messages.count < Self.maxMessages,
            payloadBytes < Self.maxBytes
        else {
            dropped += 1
            if let topic = message.topic.map({ String(cString: $0) }), topic.isStreamSafe, count > maximumPayloadBytes,
                tooLong.count < Self.maxTooLong
            {
                tooLong.append((topic, count))
            }
            return
        }
        let text = String(cString: topic)
        // Drop a message whose topic is not stream-safe: no lock's filter matches it, only a wildcard of discovery.
        guard text.isStreamSafe else { return }
        payloadBytes += count
        messages.append(
            MQTTMessage(
                topic: text, payload: Array(UnsafeRawBufferPointer(start: message.payload, count: count)),
                isRetained: message.retain, qos: message.qos == 0 ? .atMostOnce : .atLeastOnce))
    }

    private func logError(_ text: String) {
        errorLog.append(text)
        if errorLog.count > 16 { errorLog.removeFirst() }
    }

    // MARK: - Callbacks

    static func register(on pointer: OpaquePointer) {
        mosquitto_connect_v5_callback_set(pointer) { _, context, code, _, properties in
            var connectResult = ConnectResult(code: code)
            mosquitto_property_read_int16(
                properties, Int32(MQTT_PROP_RECEIVE_MAXIMUM.rawValue), &connectResult.receiveMaximum, false)
            mosquitto_property_read_byte(properties, Int32(MQTT_PROP_MAXIMUM_QOS.rawValue), &connectResult.maximumQoS, false)
            MosquittoCallbacks.of(context)?.connectResult = connectResult
        }
        mosquitto_message_v5_callback_set(pointer) { _, context, message, _ in
            if let message { MosquittoCallbacks.of(context)?.receive(message.pointee) }
        }
        mosquitto_publish_v5_callback_set(pointer) { _, context, packetID, code, _ in
            MosquittoCallbacks.of(context)?.pubacks.append((packetID, code))
        }
        mosquitto_subscribe_v5_callback_set(pointer) { _, context, packetID, count, codes, _ in
            let codes = UnsafeBufferPointer(start: codes, count: codes == nil ? 0 : Int(max(0, count)))
            MosquittoCallbacks.of(context)?.subacks.append((packetID, Array(codes)))
        }
        mosquitto_unsubscribe_v5_callback_set(pointer) { _, context, packetID, _ in
            MosquittoCallbacks.of(context)?.unsubacks.append(packetID)
        }
        mosquitto_disconnect_v5_callback_set(pointer) { _, context, code, _ in
            MosquittoCallbacks.of(context)?.disconnectReason = code
        }
        mosquitto_log_callback_set(pointer) { _, context, level, text in
            if level == MOSQ_LOG_ERR, let text { MosquittoCallbacks.of(context)?.logError(String(cString: text)) }
        }
    }

    /// Returns the object that records the events of the client. The object exists during a callback, as the client retains it.
    private static func of(_ context: UnsafeMutableRawPointer?) -> MosquittoCallbacks? {
        context.map { Unmanaged<MosquittoCallbacks>.fromOpaque($0).takeUnretainedValue() }
    }
}
