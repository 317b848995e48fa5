/// A control command on standard input: an action, and the name of the lock (or bridge) that it applies to.
struct ControlCommand: Hashable, Sendable {
    enum Action: Hashable, Sendable {
        case thumbTurn, garbage, retained, offline, online, reboot
        /// A fault that happens once, at the next opportunity.
        case fault(Fault)
        case keypad(slot: Int)
        case battery(Double)
        case door(isOpen: Bool)
    }

    let action: Action
    let target: String

    /// - Returns: `nil` if the line is no valid command.
    init?(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        guard words.count >= 2, let action = Action(words[0], words.dropFirst(2)) else { return nil }
        (self.action, target) = (action, words[1])
    }

    static let help = """
        jam|half-way|drop|duplicate|late|wrong-state LOCK    at the next occasion
        garbage|retained|reboot LOCK                now
        offline|online LOCK                         until the other is asked for
        thumb-turn LOCK                             to the other side
        keypad LOCK SLOT                            the code of that slot is typed
        door LOCK open|closed
        battery LOCK PERCENT
        quit
        """
}

extension ControlCommand.Action {
    fileprivate init?(_ word: String, _ rest: ArraySlice<String>) {
        let simple: [String: Self] = [
            "thumb-turn": .thumbTurn, "garbage": .garbage, "retained": .retained, "offline": .offline, "online": .online,
            "reboot": .reboot, "jam": .fault(.jam), "half-way": .fault(.halfWay), "drop": .fault(.drop),
            "duplicate": .fault(.duplicate), "late": .fault(.late), "wrong-state": .fault(.wrongState),
        ]
        switch (word, rest.first, rest.count) {
        case (_, nil, _):
            guard let action = simple[word] else { return nil }
            self = action
        case ("keypad", let slot?, 1):
            guard let slot = Int(slot) else { return nil }
            self = .keypad(slot: slot)
        case ("battery", let percent?, 1):
            guard let percent = Double(percent), (0...100).contains(percent) else { return nil }
            self = .battery(percent)
        case ("door", "open", 1): self = .door(isOpen: true)
        case ("door", "closed", 1): self = .door(isOpen: false)
        default: return nil
        }
    }
}
