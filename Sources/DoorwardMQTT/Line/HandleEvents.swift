internal import CMosquitto

/// What the callbacks of one handle note. They are called from inside its functions, so under the same lock.
final class HandleEvents {
    /// The broker's answer to the connection: 0 lets the gateway in.
    var answer: (code: Int32, receiveMaximum: UInt16)?
    var messages: [MQTTMessage] = []
    var acknowledgements: [(number: Int32, code: Int32)] = []
    /// Answers to subscriptions: the reason code of each filter.
    var subscriptions: [(number: Int32, codes: [Int32])] = []
    /// Answered requests to unsubscribe.
    var unsubscriptions: [Int32] = []
    /// Reason code with which the broker has ended the connection.
    var goodbye: Int32?

    static func listen(to pointer: OpaquePointer) {
        mosquitto_connect_v5_callback_set(pointer) { _, context, code, _, properties in
            var maximum: UInt16 = 65_535
            mosquitto_property_read_int16(properties, Int32(MQTT_PROP_RECEIVE_MAXIMUM.rawValue), &maximum, false)
            HandleEvents.of(context)?.answer = (code, maximum)
        }
        mosquitto_message_v5_callback_set(pointer) { _, context, message, _ in
            guard let message = message?.pointee, let topic = message.topic else { return }
            let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
            HandleEvents.of(context)?.messages.append(
                MQTTMessage(
                    topic: String(cString: topic), payload: Array(payload), isRetained: message.retain,
                    quality: message.qos == 0 ? .atMostOnce : .atLeastOnce))
        }
        mosquitto_publish_v5_callback_set(pointer) { _, context, number, code, _ in
            HandleEvents.of(context)?.acknowledgements.append((number, code))
        }
        mosquitto_subscribe_v5_callback_set(pointer) { _, context, number, count, codes, _ in
            let codes = UnsafeBufferPointer(start: codes, count: codes == nil ? 0 : Int(max(0, count)))
            HandleEvents.of(context)?.subscriptions.append((number, Array(codes)))
        }
        mosquitto_unsubscribe_v5_callback_set(pointer) { _, context, number, _ in
            HandleEvents.of(context)?.unsubscriptions.append(number)
        }
        mosquitto_disconnect_v5_callback_set(pointer) { _, context, code, _ in HandleEvents.of(context)?.goodbye = code }
    }

    /// The handle that calls back holds these events, so they are there.
    private static func of(_ context: UnsafeMutableRawPointer?) -> HandleEvents? {
        context.map { Unmanaged<HandleEvents>.fromOpaque($0).takeUnretainedValue() }
    }
}
