import AdapterMQTT
import AdapterSimulator
import DoorwardAdapterKit

/// The adapters of this program, in the order in which people are told of them: the one list of them. A new adapter is one line here.
enum ShippedAdapters {
    static let all: [any AdapterFactory] = [SimulatorAdapterFactory(), MQTTAdapterFactory()]

    /// What devices carry in `adapter`.
    static let kinds = all.map(\.guide.kind)
}
