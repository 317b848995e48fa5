package import DoorwardAdapterKit
internal import DoorwardDomain

/// The address of a lock on a broker: `{broker, profile, …the profile's own variables}`.
struct MQTTAddress {
    /// The broker's name in the configuration.
    let broker: String
    /// The profile's id.
    let profile: String
    /// The remaining keys: the profile's variables.
    let variables: [String: JSONValue]

    /// - Throws: missing or malformed values of `broker` and `profile`; does not check whether they exist.
    init(_ address: [String: JSONValue]) throws(AddressErrors) {
        var problems: [String: String] = [:]
        func text(_ key: String) -> String {
            switch address[key] {
            case .string(let text) where !text.isEmpty: return text
            case nil, .null: problems[key] = "required"
            default: problems[key] = "wrong_type"
            }
            return ""
        }
        (broker, profile) = (text("broker"), text("profile"))
        variables = address.filter { $0.key != "broker" && $0.key != "profile" }
        guard problems.isEmpty else { throw AddressErrors(problems) }
    }
}

/// The keys that every MQTT address has; a profile adds its own variables.
extension AddressField {
    static func broker(_ form: Form) -> AddressField {
        AddressField("broker", form, isRequired: true, description: "The broker's name in the gateway's configuration.")
    }

    static func profile(_ ids: [String]) -> AddressField {
        AddressField(
            "profile", .word(ids), isRequired: true,
            description: "The profile of the lock; `doorward profile show` lists the further keys that it needs.")
    }
}

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
