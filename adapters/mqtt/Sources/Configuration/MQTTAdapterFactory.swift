package import DoorwardAdapterKit

/// Creates the MQTT adapter from the sections `mqtt` and `profiles`.
package struct MQTTAdapterFactory: Sendable {
    package init() {}
}

extension MQTTAdapterFactory: AdapterFactory {
    package var guide: AdapterGuide { .mqtt }
    package var sections: [ConfigurationSection] { [.mqtt, .profiles] }
    package var addressFields: [AddressField] { [.broker(.text), .profile(ProfileLibrary.shipped.ids)] }
    package var hasFurtherAddressFields: Bool { true }

    package func configure(_ settings: AdapterSettings) throws(ConfigurationError) -> (any ConfiguredAdapter)? {
        try MQTTConfiguration(settings)
    }
}
