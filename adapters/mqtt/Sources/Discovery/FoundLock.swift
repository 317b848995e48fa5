package import DoorwardDomain

/// A lock that somebody on a broker has told of. Nothing is attached by it, and nothing of an attached lock changes by it: who
/// can publish could otherwise redirect an unlock.
package struct FoundLock: Hashable, Sendable {
    /// Stable within the broker as long as the lock is announced from the same place: `homeassistant:abc`,
    /// `zigbee2mqtt:0x00158d0001a2b3c4`, `homie:front/lock`.
    package var id: String
    /// What its announcement calls it, at most `FoundLock.longestName` characters of one line; `nil` where it has no name.
    package var name: String?
    /// As announced, bounded like `name`.
    package var manufacturer: String?
    /// As announced, bounded like `name`.
    package var model: String?
    /// The profile to attach it with: the one that serves it best, not the one it was announced in.
    package var profile: String
    /// The address without `broker` and `profile`, in the names that the profile takes.
    package var variables: [String: JSONValue]
    /// Further topics on which the same lock obeys, by other names that its bridge has for it.
    package var otherCommandTopics: [String] = []
    /// Whether `id` is the hardware's own, so that another command topic under it is another name of the same lock.
    package var isKnownByHardware = false
    /// Why it cannot be attached as it is, for a person: lower case, no full stop. `nil` when it can.
    package var problem: String?
    /// It was there, and has been taken away.
    package var isGone = false

    /// Names are cut to one line each, as strangers may have written them.
    package init(
        id: String, name: String? = nil, manufacturer: String? = nil, model: String? = nil, profile: String,
        variables: [String: JSONValue], problem: String? = nil
    ) {
        (self.id, self.profile, self.variables, self.problem) = (id, profile, variables, problem)
        self.name = Self.line(name)
        self.manufacturer = Self.line(manufacturer)
        self.model = Self.line(model)
    }

    /// Characters.
    package static let longestName = 120

    /// What strangers call a thing goes to terminals and pages: one line of it, without control characters.
    private static func line(_ text: String?) -> String? {
        guard let text else { return nil }
        let scalars = text.unicodeScalars.prefix(4 * longestName).map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                " " as Unicode.Scalar
            default: scalar
            }
        }
        let words = String(String.UnicodeScalarView(scalars)).split(separator: " ").joined(separator: " ")
        return words.isEmpty ? nil : String(words.prefix(longestName))
    }
}

/// What a message has changed among the found locks.
package enum DiscoveryChange: Hashable, Sendable {
    /// It was not there before, or had been taken away.
    case found(FoundLock)
    /// The same lock is announced otherwise: what it is now.
    case changed(FoundLock)
    /// As it was last, with `isGone`.
    case gone(FoundLock)

    /// The lock that it is about.
    package var lock: FoundLock {
        switch self {
        case .found(let lock), .changed(let lock), .gone(let lock): lock
        }
    }
}
