internal import DoorwardDomain

/// A way in which locks speak MQTT, as a profile file describes it.
package struct Profile: Hashable, Sendable {
    /// What an address names it by: lower-case letters, digits and dashes.
    package internal(set) var id = ""
    /// The file's own, for people; empty where it does not say.
    package internal(set) var version = ""
    /// One sentence.
    package internal(set) var description = ""
    /// Where its facts come from.
    package internal(set) var origin = ""
    /// What an address must and may hold beside `broker` and `profile`, in the order of the file.
    package internal(set) var variables: [ProfileVariable] = []
    /// What such a lock can do at best, as it follows from the file; an address may leave some of it out.
    package internal(set) var abilities: Set<ProfileAbility> = []
    /// Seconds that a command may take by nature; `nil` where the profile does not say.
    package internal(set) var timeoutSeconds: Int?
    /// The text of the file.
    package internal(set) var yaml = ""

    var parts = ProfileParts()
    var quirks: Set<ProfileQuirk> = []
    /// What the file cannot say, by its name.
    var hook: DialectHook?
    /// `base`, filled in before everything else.
    var base: ProfileTemplate?
}

/// What locks of a profile can do, in the words of profiles.
package enum ProfileAbility: String, CaseIterable, Sendable {
    /// Can pull the latch.
    case canOpen
    /// Tells of the bolt on its way.
    case reportsIntermediate
    /// Notices a jam.
    case reportsJam
    /// Has a door contact.
    case reportsDoor
    /// Tells its battery's level, or that it is low.
    case reportsBattery
    /// Tells by what means it was moved.
    case reportsOperator
    /// Tells of wrong codes.
    case reportsFailedAttempts
    /// Takes a code with a command.
    case acceptsCode
    /// Can be asked for its state.
    case canRefresh
    /// Answers commands.
    case acksCommand
    /// Its answers can be told from answers to others.
    case correlates
    /// Its state is derived from what it was sent.
    case assumedState

    /// The gateway's word; `nil` for what the gateway has no word for.
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

/// What locks of a profile do that others do not.
package enum ProfileQuirk: String, CaseIterable, Sendable {
    /// It tells of the gateway's own commands as of anybody's: while one is under way that is no event.
    case ignoreOwnEcho
    /// It says nothing when it already is where a command wants it.
    case alreadyInStateIsSuccess
    /// Its bridge says `locking` and `unlocking` by itself: they prove nothing.
    case syntheticIntermediate
    /// Each message repeats what was known before: a state in it need not be news.
    case mergesCache
}
