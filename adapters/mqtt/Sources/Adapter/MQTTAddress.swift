internal import DoorwardAdapterKit
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
        var mistakes: [AddressErrors.Mistake] = []
        func text(_ key: String) -> String {
            switch address[key] {
            case .string(let text) where !text.isEmpty: return text
            case nil, .null: mistakes.append(.init(field: "address.\(key)", problem: "required"))
            default: mistakes.append(.init(field: "address.\(key)", problem: "wrong_type"))
            }
            return ""
        }
        (broker, profile) = (text("broker"), text("profile"))
        variables = address.filter { $0.key != "broker" && $0.key != "profile" }
        guard mistakes.isEmpty else { throw AddressErrors(mistakes) }
    }
}
