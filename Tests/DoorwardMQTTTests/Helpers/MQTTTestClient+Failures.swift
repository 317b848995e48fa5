import DoorwardMQTT
import DoorwardTesting

extension MQTTTestClient {
    /// Why connections ended or could not be established, in order.
    var failures: [MQTTFailure] { events.compactMap { if case .disconnected(let failure) = $0 { failure } else { nil } } }
}
