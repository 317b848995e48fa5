package import DoorwardAdapterKit

extension AdapterGuide {
    /// The guide of the simulator.
    package static let simulator = AdapterGuide(
        kind: "simulator",
        attaching: """
            locks in memory, for trials and tests. All keys can be left out: \
            \(AddressField.ofSimulator.map(\.name).joined(separator: ", ")).
            """,
        examples: [
            #"doorward attach "Front door" --adapter simulator --property "Quay 1""#,
            """
            doorward attach Cellar --adapter simulator --property "Quay 1" --unit 1A \\
              --address latencyMs=400 batteryLevel=80
            """,
        ])
}
