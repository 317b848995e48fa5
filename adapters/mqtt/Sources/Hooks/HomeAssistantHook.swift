internal import DoorwardDomain

/// Reads what a Home Assistant configuration of a lock says in templates and lists.
struct HomeAssistantHook {
    let address: [String: JSONValue]

    func apply(to parts: inout ProfileParts) throws(AddressProblems) {}
}
