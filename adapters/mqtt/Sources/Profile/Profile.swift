internal import DoorwardDomain
internal import DoorwardMQTT
package import DoorwardYAML

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

/// The topics and payloads of a profile: as templates in a profile, and resolved for one lock.
struct ProfileBody: Hashable, Sendable {
    /// How several topics are combined to one availability.
    enum Mode: String, CaseIterable, Hashable, Sendable { case all, any, latest }

    /// States, door, battery, faults, availability: in the order in which one message is read.
    var values: [StateMapping] = []
    var availabilityMode = Mode.all
    var events: [EventMapping] = []
    /// For each movement, the forms of its command. The first form whose variables all have values is used.
    var commands: [LockOperation: [CommandTemplate]] = [:]
    /// More topics on which commands are published.
    var commandTopics: [ProfileTemplate] = []
    /// Payloads on a command topic that are no command.
    var idlePayloads: Set<String> = []
    var acks: [AckMapping] = []
    var refresh: [CommandTemplate] = []
    /// Whether to request the state if a command is unanswered at half of its timeout.
    var retriesStateRequest = false
    /// Whether each message repeats all known values, whatever the profile's quirks are.
    var republishesCachedState = false
    var commandQoS = MQTTQoS.atMostOnce
    /// Whether the lock requires a code for every command.
    var needsCode = false

    /// Resolves the variables; parts with a missing variable are left out.
    func resolved(with values: [String: String]) -> ProfileBody {
        var parts = self
        parts.values = self.values.compactMap { $0.resolved(with: values) }
        parts.events = events.compactMap { $0.resolved(with: values) }
        parts.acks = acks.compactMap { $0.resolved(with: values) }
        parts.commandTopics = commandTopics.compactMap { $0.resolved(with: values) }
        parts.commands = commands.mapValues { forms in forms.compactMap { $0.resolved(with: values) } }.filter {
            !$0.value.isEmpty
        }
        parts.refresh = refresh.lazy.compactMap { $0.resolved(with: values) }.first.map { [$0] } ?? []
        return parts
    }

    func has(_ aspect: StateMapping.Aspect) -> Bool { values.contains { $0.aspect == aspect } }
}

/// Whether a part of a profile applies to an address, by the values of two variables.
struct PartCondition: Hashable, Sendable {
    /// Disabled if this variable has a value other than `false` and the empty text.
    var unless: String?
    /// Disabled if this variable has no value, `false` or the empty text.
    var onlyWith: String?

    func holds(_ values: [String: String]) -> Bool {
        func isGiven(_ name: String) -> Bool { values[name].map { $0 != "false" && !$0.isEmpty } ?? false }
        return unless.map { !isGiven($0) } ?? true && onlyWith.map { isGiven($0) } ?? true
    }
}

extension Profile {
    /// Notes errors of the profile as a whole, after its keys have been checked one by one.
    func validate(_ file: YAMLSection) {
        let commands = parts.commands.values.joined()
        let topics = Set(commands.map(\.topic))
        for part in parts.values where part.aspect == .state && topics.contains(part.reader.topic) {
            file["state"].note("`state.topic` is a command's topic too: the lock's state would be what Doorward itself has sent")
        }
        if !file["state"].isPresent, hook == nil {
            file["state"].note("a profile needs `state` with a `topic`, or no command can ever be confirmed")
        }
        for refresh in parts.refresh
        where commands.contains(where: { $0.topic == refresh.topic && $0.payload == refresh.payload }) {
            file["refresh"].note("`refresh` sends the same as a command; a state request must not move the lock")
        }
        for part in parts.values {
            if let text = part.ambiguousText { file[part.aspect.section].note("`\(text)` has two meanings in one map") }
        }
        if parts.ambiguousCommand != nil { file["commands"].note("`commands.lock` sends the same as another command") }
        if parts.values.count + parts.events.count + parts.acks.count > 100 {
            file.note("the profile has more than 100 parts; most profiles have about twelve")
        }
    }
}

extension StateMapping.Aspect {
    /// The section of a profile that describes this aspect.
    fileprivate var section: String {
        switch self {
        case .state: "state"
        case .door: "door"
        case .batteryLevel, .batteryLow: "battery"
        case .faults: "faults"
        case .availability: "availability"
        }
    }
}

extension YAMLFormat {
    /// Profiles, of at most 64 KiB: ten times the longest shipped one.
    static let profile = YAMLFormat(
        "a profile", maxBytes: 65_536,
        hints: ("; a profile is a page or two", "; a profile begins with `profile: NAME`"), linePrefix: ":",
        ignoresEmptyValues: true, removedKeys: ProfileKeys.removed, removedWords: ProfileKeys.removedWords)
}

extension Profile {
    /// Reads a profile file; `docs/profiles.md` describes the format.
    ///
    /// - Parameters:
    ///   - yaml: the text of the file.
    ///   - file: its name, for messages.
    /// - Throws: every mistake of the file, each with its line.
    package init(yaml: String, file: String) throws(YAMLErrors) {
        self = try YAMLFormat.profile.read(yaml, file: file, keys: ProfileKeys.profile) { Profile($0, yaml) }
    }

    /// Reads a profile file on disk.
    ///
    /// - Parameter path: also the name in messages.
    /// - Throws: all errors of the file, or an error if it cannot be read.
    package init(path: String) throws(YAMLErrors) {
        try self.init(yaml: YAMLFormat.profile.text(ofFile: path), file: path)
    }

    private init(_ file: YAMLSection, _ yaml: String) {
        self.init()
        self.yaml = yaml
        readIdentity(file)
        variables = ProfileVariable.all(in: file["vars"])
        let parser = ProfileParser(variables, hasBase: file["base"].isPresent)
        base = parser.base(file["base"])
        hook = file["hook"].word(DialectHook.self)
        parser.read(file, into: &self)
        capabilities = ProfileCapability.all(of: parts).union(hook?.capabilities ?? [])
        if file.isFileSound { validate(file) }
    }

    private mutating func readIdentity(_ file: YAMLSection) {
        file.require("profile", "commands")
        id =
            file["profile"].value("a name of lower-case letters, digits and dashes") { text in
                let isName = text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
                return isName && (1...40).contains(text.count) ? text : nil
            } ?? ""
        version = file["version"].text() ?? ""
        description = file["description"].text() ?? ""
        origin = file["source"].text() ?? ""
        quirks = Set(file["quirks"].items().compactMap { $0.word(ProfileQuirk.self) })
    }
}
