internal import DoorwardDomain

/// What a profile file cannot say: a change to its parts for one address, by a name that the file gives.
enum DialectHook: String, CaseIterable, Hashable, Sendable {
    /// Home Assistant's templates and lists in an address.
    case homeassistant

    /// The abilities that it can give a lock beside those that follow from the file.
    var abilities: Set<ProfileAbility> {
        switch self {
        case .homeassistant: [.acceptsCode, .canRefresh]
        }
    }

    /// - Parameters:
    ///   - address: the values as they were given, by the names of the variables.
    ///   - parts: filled in from the profile, to be changed.
    /// - Throws: every mistake in what it reads.
    func apply(_ address: [String: JSONValue], to parts: inout ProfileParts) throws(AddressProblems) {
        switch self {
        case .homeassistant: try HomeAssistantHook(address: address).apply(to: &parts)
        }
    }
}

/// What is wrong with an address, by its keys.
struct AddressProblems: Error, Hashable {
    var problems: [String: VariableProblem]
}
