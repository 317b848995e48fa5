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
        switch (word, rest.first, rest.count) {
        case ("thumb-turn", nil, _): self = .thumbTurn
        case ("garbage", nil, _): self = .garbage
        case ("retained", nil, _): self = .retained
        case ("offline", nil, _): self = .offline
        case ("online", nil, _): self = .online
        case ("reboot", nil, _): self = .reboot
        case ("jam", nil, _), ("half-way", nil, _), ("drop", nil, _), ("duplicate", nil, _), ("late", nil, _),
            ("wrong-state", nil, _):
            guard let fault = Fault(rawValue: word) else { return nil }
            self = .fault(fault)
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

    /// Applies an action that does not affect the connection.
    func apply(to lock: inout SimulatedLock) {
        switch self {
        case .thumbTurn: lock.turnThumb()
        case .garbage: lock.sendGarbage()
        case .retained: lock.retainStaleState()
        case .fault(let fault): lock.context.requestedFaults.insert(fault)
        case .keypad(let slot): lock.enterCode(slot: slot)
        case .battery(let percent): lock.setBattery(percent)
        case .door(let isOpen): lock.setDoor(open: isOpen)
        case .offline, .online, .reboot: break
        }
    }
}
