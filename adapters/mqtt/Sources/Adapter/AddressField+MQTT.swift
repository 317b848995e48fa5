internal import DoorwardAdapterKit

extension AddressField {
    /// The keys that every MQTT address has; a profile adds its own variables.
    ///
    /// - Parameters:
    ///   - brokers: the names of all configured brokers.
    ///   - profiles: the ids of all profiles.
    static func ofMQTT(brokers: [String], profiles: [String]) -> [AddressField] {
        [broker(.word(brokers)), profile(profiles)]
    }

    static func broker(_ form: Form) -> AddressField {
        AddressField("broker", form, isRequired: true, meaning: "The broker's name in the gateway's configuration.")
    }

    static func profile(_ ids: [String]) -> AddressField {
        AddressField(
            "profile", .word(ids), isRequired: true,
            meaning: "The profile of the lock; `doorward profile show` lists the further keys that it needs.")
    }
}
