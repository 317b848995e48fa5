import AdapterMQTT
import Metrics
import Synchronization

/// Shows on the metrics page what the MQTT adapter has counted.
final class MQTTMetrics: Sendable {
    private let adapter: MQTTAdapter
    private let brokers: (all: Meter, connected: Meter)
    private let counters: [(counter: Counter, value: @Sendable (MQTTCounts) -> Int)]
    private let last = Mutex(MQTTCounts())

    init(_ adapter: MQTTAdapter, _ factory: any MetricsFactory) {
        func counter(_ name: String, _ value: @escaping @Sendable (MQTTCounts) -> Int) -> (Counter, @Sendable (MQTTCounts) -> Int) {
            (Counter(label: "doorward_mqtt_\(name)_total", factory: factory), value)
        }
        self.adapter = adapter
        brokers = (
            Meter(label: "doorward_mqtt_brokers", factory: factory), Meter(label: "doorward_mqtt_brokers_connected", factory: factory)
        )
        counters = [
            counter("disconnects") { $0.disconnects }, counter("connections_cut") { $0.cutAsStuck },
            counter("orders") { $0.orders }, counter("questions") { $0.questions },
            counter("frames_refused") { $0.framesRefused }, counter("messages") { $0.messages },
            counter("messages_dropped") { $0.messagesDropped }, counter("messages_odd") { $0.messagesOdd },
        ]
    }

    /// Brings the page up to date.
    func sample() {
        let now = adapter.counts
        let before = last.withLock { last in
            defer { last = now }
            return last
        }
        brokers.all.set(Int64(now.brokers))
        brokers.connected.set(Int64(now.connected))
        for (counter, value) in counters { counter.increment(by: max(0, value(now) - value(before))) }
    }
}
