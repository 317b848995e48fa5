package import DoorwardAdapterKit

extension AdapterGuide {
    /// The guide of the MQTT adapter.
    package static let mqtt = AdapterGuide(
        kind: "mqtt",
        attaching: """
            real locks on a broker of the gateway's configuration. The keys are broker, profile (the lock's dialect), \
            and the profile's own; `doorward profile show PROFILE` lists those.
            """,
        examples: [
            """
            doorward attach Gate --adapter mqtt --profile zigbee2mqtt --property "Quay 1" \\
              --address broker=home name=gate
            """
        ])
}
