internal import DoorwardAdapterKit

extension AddressField {
    /// The keys that every address on a broker has; the profile adds its own variables.
    static let ofMQTT: [AddressField] = [
        AddressField("broker", .text, isRequired: true, meaning: "The broker's name in the gateway's configuration."),
        AddressField(
            "profile", .text, isRequired: true,
            meaning: "The dialect that the lock speaks; `doorward profile list` names them, and `profile show` the further keys."),
    ]
}
