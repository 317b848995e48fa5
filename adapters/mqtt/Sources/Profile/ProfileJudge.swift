internal import DoorwardDomain

/// Finds mistakes of a profile as a whole, after its keys have been checked one by one.
struct ProfileJudge {
    private let file: ProfileSection
    private let profile: Profile
    private let mistakes: ProfileMistakeList

    init(_ file: ProfileSection, _ profile: Profile, _ mistakes: ProfileMistakeList) {
        (self.file, self.profile, self.mistakes) = (file, profile, mistakes)
    }

    func judge() {
        let commands = Set(profile.parts.commands.values.joined().map(\.topic))
        for part in profile.parts.values where part.aspect == .state && commands.contains(part.reader.topic) {
            file.note(
                "`state.topic` is a command's topic too: the lock's state would be what Doorward itself has sent", at: "state")
        }
        if file.field("state") == nil, profile.hook == nil {
            mistakes.add(1, "state", "a profile needs `state` with a `topic`, or no command can ever be confirmed")
        }
        for refresh in profile.parts.refresh {
            let isCommand = profile.parts.commands.values.joined().contains {
                $0.topic == refresh.topic && $0.payload == refresh.payload
            }
            if isCommand { file.note("`refresh` sends what a command sends; asking must move nothing", at: "refresh") }
        }
        for part in profile.parts.values {
            if let text = part.ambiguousText { file.note("`\(text)` stands for two things in one map", at: part.aspect.section) }
        }
        if profile.parts.ambiguousCommand != nil {
            file.note("`commands.lock` sends the same as another command", at: "commands")
        }
        noteTooMany()
    }

    private func noteTooMany() {
        let parts = profile.parts
        if parts.values.count + parts.events.count + parts.answers.count > 100 {
            mistakes.add(1, "", "the profile has more than 100 parts; a lock has a dozen")
        }
    }
}

extension StateMapping.Aspect {
    /// The section of a profile that describes it.
    var section: String {
        switch self {
        case .state: "state"
        case .door: "door"
        case .batteryLevel, .batteryLow: "battery"
        case .faults: "faults"
        case .availability: "availability"
        }
    }
}
