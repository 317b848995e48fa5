import AdapterMQTT
import AdapterSimulator
import DoorwardAdapterKit

/// The only list of the adapters of this program, in the order of the help. To add an adapter, add one line here.
enum ShippedAdapters {
    static let all: [any AdapterFactory] = [SimulatorAdapterFactory(), MQTTAdapterFactory()]

    /// The values of a device's `adapter`.
    static let kinds = all.map(\.guide.kind)
}
