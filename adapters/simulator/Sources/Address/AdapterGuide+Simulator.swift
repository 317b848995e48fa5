package import DoorwardAdapterKit

extension AdapterGuide {
    /// Of the simulator.
    package static let simulator = AdapterGuide(
        kind: "simulator",
        attaching: """
            locks in memory, to try things on. All keys can be left out: \
            \(AddressField.ofSimulator.map(\.name).joined(separator: ", ")).
            """)
}
