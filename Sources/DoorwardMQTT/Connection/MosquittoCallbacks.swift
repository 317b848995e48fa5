internal import CMosquitto
internal import DoorwardDomain

/// The events that the libmosquitto callbacks of one handle record. The callbacks run inside the
/// handle's functions, so the lock that protects the handle also protects the events.
final class MosquittoCallbacks {
    /// Contents of the broker's CONNACK.
    struct Answer {
        /// The reason code; 0 means that the connection is accepted.
        var code: Int32
        /// Receive Maximum: frames of QoS 1 that may be unacknowledged at a time.
        var receiveMaximum: UInt16 = 65_535
        /// Maximum QoS; 0 where the broker acknowledges no messages.
        var highestQuality: UInt8 = 2
    }

    /// Maximum number and total bytes of the messages kept until the next call of `take`, which
    /// each step makes. More messages arrive in one step only if the broker packs them so densely
    /// that the library does not stop reading.
    private static let (maxMessages, maxBytes) = (4096, 32 * 1024 * 1024)

    /// Longest payload that is accepted; a message with a longer one is dropped on arrival.
    private let maximumPayloadBytes: Int
    private var bytes = 0

    var answer: Answer?
    private(set) var messages: [MQTTMessage] = []
    /// Number of messages that were received and dropped, as they were too long or too many.
    private(set) var dropped = 0
    /// Topics and sizes of the dropped messages that were too long, at most `maxTooLong`.
    private(set) var tooLong: [(topic: String, bytes: Int)] = []
    /// Maximum number of records in `tooLong`.
    private static let maxTooLong = 16
    var acknowledgements: [(number: Int32, code: Int32)] = []
    /// Received SUBACKs: the reason code of each filter.
    var subscriptions: [(number: Int32, codes: [Int32])] = []
    /// Packet identifiers of received UNSUBACKs.
    var unsubscriptions: [Int32] = []
    /// Reason code of the broker's DISCONNECT.
    var goodbye: Int32?
    /// The library's error log, at most 16 lines, the newest last.
    private(set) var errorLog: [String] = []

    init(maximumPayloadBytes: Int) { self.maximumPayloadBytes = maximumPayloadBytes }

    /// Whether anything has arrived from the broker since the last call of `take`.
    var hasAny: Bool {
        !(messages.isEmpty && acknowledgements.isEmpty && subscriptions.isEmpty && unsubscriptions.isEmpty) || dropped > 0
    }

    /// - Returns: the messages that have arrived since the last call, how many were dropped, and which of them were too long.
    func take() -> (messages: [MQTTMessage], dropped: Int, tooLong: [(topic: String, bytes: Int)]) {
        defer { (messages, dropped, bytes, tooLong) = ([], 0, 0, []) }
        return (messages, dropped, tooLong)
    }

    private func hear(_ message: mosquitto_message) {
        let count = Int(message.payloadlen)
        guard let topic = message.topic, count <= maximumPayloadBytes, messages.count < Self.maxMessages, bytes < Self.maxBytes
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
        bytes += count
        messages.append(
            MQTTMessage(
                topic: text, payload: Array(UnsafeRawBufferPointer(start: message.payload, count: count)),
                isRetained: message.retain, qos: message.qos == 0 ? .atMostOnce : .atLeastOnce))
    }

    private func complain(_ text: String) {
        errorLog.append(text)
        if errorLog.count > 16 { errorLog.removeFirst() }
    }

    // MARK: - Callbacks

    static func listen(to pointer: OpaquePointer) {
        mosquitto_connect_v5_callback_set(pointer) { _, context, code, _, properties in
            var answer = Answer(code: code)
            mosquitto_property_read_int16(
                properties, Int32(MQTT_PROP_RECEIVE_MAXIMUM.rawValue), &answer.receiveMaximum, false)
            mosquitto_property_read_byte(properties, Int32(MQTT_PROP_MAXIMUM_QOS.rawValue), &answer.highestQuality, false)
            MosquittoCallbacks.of(context)?.answer = answer
        }
        mosquitto_message_v5_callback_set(pointer) { _, context, message, _ in
            if let message { MosquittoCallbacks.of(context)?.hear(message.pointee) }
        }
        mosquitto_publish_v5_callback_set(pointer) { _, context, number, code, _ in
            MosquittoCallbacks.of(context)?.acknowledgements.append((number, code))
        }
        mosquitto_subscribe_v5_callback_set(pointer) { _, context, number, count, codes, _ in
            let codes = UnsafeBufferPointer(start: codes, count: codes == nil ? 0 : Int(max(0, count)))
            MosquittoCallbacks.of(context)?.subscriptions.append((number, Array(codes)))
        }
        mosquitto_unsubscribe_v5_callback_set(pointer) { _, context, number, _ in
            MosquittoCallbacks.of(context)?.unsubscriptions.append(number)
        }
        mosquitto_disconnect_v5_callback_set(pointer) { _, context, code, _ in MosquittoCallbacks.of(context)?.goodbye = code }
        mosquitto_log_callback_set(pointer) { _, context, level, text in
            if level == MOSQ_LOG_ERR, let text { MosquittoCallbacks.of(context)?.complain(String(cString: text)) }
        }
    }

    /// Returns the object that records the events of the handle. The object exists during a
    /// callback, as the handle retains it.
    private static func of(_ context: UnsafeMutableRawPointer?) -> MosquittoCallbacks? {
        context.map { Unmanaged<MosquittoCallbacks>.fromOpaque($0).takeUnretainedValue() }
    }
}
