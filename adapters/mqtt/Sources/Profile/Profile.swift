internal import DoorwardDomain

/// An MQTT dialect of locks, as a profile file describes it.
package struct Profile: Hashable, Sendable {
    /// The id by which addresses refer to it: lower-case letters, digits and dashes.
    package internal(set) var id = ""
    /// The file's own version, for people; empty if it has none.
    package internal(set) var version = ""
    /// One sentence about the profile.
    package internal(set) var description = ""
    /// The source of the profile's facts.
    package internal(set) var origin = ""
    /// The variables of an address beside `broker` and `profile`, in the order of the file.
    package internal(set) var variables: [ProfileVariable] = []
    /// The capabilities of a lock with this profile. An address may leave out some of them.
    package internal(set) var capabilities: Set<ProfileCapability> = []
    /// Seconds that a command usually takes; `nil` if the profile does not state it.
    package internal(set) var timeoutSeconds: Int?
    /// The text of the file.
    package internal(set) var yaml = ""

    var parts = ProfileBody()
    var quirks: Set<ProfileQuirk> = []
    /// Code for what the file cannot describe.
    var hook: DialectHook?
    /// The value of `base`, resolved before everything else.
    var base: ProfileTemplate?
}

/// The capabilities of a profile's locks, by the names that profiles use.
package enum ProfileCapability: String, CaseIterable, Sendable {
    /// Can withdraw the latch.
    case canOpen
    /// Reports the bolt while it is moving.
    case reportsIntermediate
    /// Detects a jam.
    case reportsJam
    /// Has a door contact.
    case reportsDoor
    /// Reports its battery's level, or that it is low.
    case reportsBattery
    /// Reports how it was operated.
    case reportsOperator
    /// Reports wrong codes.
    case reportsFailedAttempts
    /// Accepts a code with a command.
    case acceptsCode
    /// Its state can be requested.
    case canRefresh
    /// Responds to commands.
    case acksCommand
    /// Its responses can be matched with commands.
    case correlates
    /// Its state is derived from the commands sent.
    case assumedState

    /// The corresponding capability of a lock; `nil` if the gateway has none.
    var capability: LockCapabilities? {
        switch self {
        case .canOpen: .unlatch
        case .reportsIntermediate: .intermediateStates
        case .reportsJam: .jam
        case .reportsDoor: .door
        case .reportsBattery: .battery
        case .reportsOperator: .operator
        case .reportsFailedAttempts: .failedAttempts
        case .acceptsCode: .acceptsCode
        case .canRefresh: .refresh
        case .acksCommand, .correlates, .assumedState: nil
        }
    }
}

/// Peculiarities of a profile's locks.
package enum ProfileQuirk: String, CaseIterable, Sendable {
    /// The lock reports the gateway's own commands as operations. While a command is in flight, such an operation is no event.
    case ignoreOwnEcho
    /// The lock sends no report when it is already in the commanded state.
    case alreadyInStateIsSuccess
    /// The bridge generates `locking` and `unlocking` by itself, so these states prove nothing.
    case syntheticIntermediate
    /// Each message repeats all known values, so a state in it need not be new.
    case republishesCachedState = "mergesCache"
}
