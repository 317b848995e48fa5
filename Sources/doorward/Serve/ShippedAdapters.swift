import AdapterMQTT
import AdapterSimulator
import DoorwardAdapterKit

/// The adapters of this program, in the order in which people are told of them. What makes them is `Gateway.open`.
enum ShippedAdapters {
    /// Each adapter's own words; its kind is in no other list.
    static let guides: [AdapterGuide] = [.simulator, .mqtt]
}
