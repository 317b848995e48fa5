internal import DoorwardYAML

extension Profile {
    /// Notes mistakes of the profile as a whole, after its keys have been checked one by one.
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
