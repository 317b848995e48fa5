internal import DoorwardDomain

/// Code for dialects that a profile file cannot describe: changes the profile's parts for one address. The file names the hook.
enum DialectHook: String, CaseIterable, Hashable, Sendable {
    /// Reads Home Assistant's templates and lists in an address.
    case homeassistant

    /// The capabilities that the hook can add to those that follow from the file.
    var capabilities: Set<ProfileCapability> {
        switch self {
        case .homeassistant: [.acceptsCode, .canRefresh]
        }
    }

    /// - Parameters:
    ///   - address: the given values, by the names of the variables.
    ///   - parts: the parts of the profile, resolved for the address; they are changed in place.
    /// - Throws: every problem of the values that the hook reads.
    func apply(_ address: [String: JSONValue], to parts: inout ProfileBody) throws(AddressProblems) {
        switch self {
        case .homeassistant: try HomeAssistantHook(address: address).apply(to: &parts)
        }
    }
}

/// The problems of an address, by its keys.
struct AddressProblems: Error, Hashable {
    var problems: [String: VariableProblem]
}
