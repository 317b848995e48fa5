import DoorwardMQTT
import DoorwardTesting

extension MQTTTestClient {
    /// Why connections ended or could not be established, in order.
    var failures: [MQTTFailure] { events.compactMap { if case .disconnected(let failure) = $0 { failure } else { nil } } }
}

extension MQTTEvent {
    /// Returns whether the event is a message with this topic and payload that is not retained.
    func isLiveMessage(_ payload: [UInt8], on topic: String) -> Bool {
        guard case .message(let message) = self else { return false }
        return message.topic == topic && message.payload == payload && !message.isRetained
    }
}
