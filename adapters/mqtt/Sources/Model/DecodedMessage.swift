package import DoorwardDomain
package import DoorwardMQTT

/// One message, decoded for one lock.
package struct DecodedMessage: Hashable, Sendable {
    /// Changes of the lock's known state, in order; empty if the message changes nothing.
    package var reports: [Report] = []
    /// Reported events, in the order of the message; none from a retained message.
    package var events: [LockEvent] = []
    /// The response to the command in flight.
    package var command: CommandResponse?
    /// Anomalies of the message, without duplicates.
    package var diagnostics: [Diagnostic] = []
    /// State requests to send in response. None of them moves the lock.
    package var publish: [OutgoingMessage] = []

    /// The reported values of one message; `nil` for values that the message does not contain.
    package struct Report: Hashable, Sendable {
        /// Position of the bolt.
        package var position: BoltState?
        /// The quality of `position`, or of the known position if `position` is `nil`.
        package var quality: StateQuality?
        /// Whether the lock is reachable, combined from all availability topics.
        package var availability: Availability?
        /// Position of the door leaf.
        package var door: DoorPosition?
        /// Percent.
        package var battery: Double?
        /// The lock's own warning.
        package var isBatteryLow: Bool?
        /// All faults that are known now, not only the changes.
        package var faults: Set<LockFault>?
    }
}

/// A message to be published. It cannot be retained.
package struct OutgoingMessage: Hashable, Sendable {
    /// Topic to publish to.
    package var topic: MQTTTopic
    /// The payload, at most a few hundred bytes. It is empty if an empty payload requests the state.
    package var payload: [UInt8]
    /// `.atLeastOnce` only if the profile requires it.
    package var qos: MQTTQoS
}

/// Position of a bolt, in the names that profiles use.
package enum BoltState: String, CaseIterable, Sendable {
    /// The same positions as in `LockState`.
    case locked, unlocked, locking, unlocking, jammed, unknown
    /// Bolt and latch are withdrawn: the door can be pushed open.
    case open
    /// The latch is being withdrawn.
    case opening

    /// The corresponding `LockState`.
    package var lockState: LockState {
        switch self {
        case .locked: .locked
        case .unlocked: .unlocked
        case .open: .unlatched
        case .locking: .locking
        case .unlocking, .opening: .unlocking
        case .jammed: .jammed
        case .unknown: .unknown
        }
    }
}

/// State of a door contact.
package enum DoorPosition: String, CaseIterable, Sendable {
    /// `unknown` also where the contact is disabled.
    case open, closed, unknown
    /// The contact is broken or tampered with.
    case fault
}

/// Whether a lock is reachable.
package enum Availability: String, CaseIterable, Sendable {
    /// `unknown` until every required availability topic has been received.
    case online, offline, unknown
}

/// An event at a lock. It does not report the present position of the bolt.
package struct LockEvent: Hashable, Sendable {
    /// Kind of event. Raw values are the names in profiles.
    package enum Kind: String, CaseIterable, Sendable {
        /// The bolt was moved, or an attempt was made; a code was changed; something is wrong.
        case operation, attemptFailed, credentialChanged, jam, tamper, keypadLockout, doorForced
    }

    /// The operation on the bolt.
    package enum Operation: String, CaseIterable, Sendable { case lock, unlock, open, none, unknown }

    /// How the lock was operated.
    package enum Method: String, CaseIterable, Sendable {
        /// `remote` is another program or bridge, `app` a smartphone, `auto` the lock itself.
        case keypad, rfid, fingerprint, manual, key, button, fob, remote, app, auto, schedule, homekit, unknown
    }

    /// The kind, which determines the meaning of the fields below.
    package var kind: Kind
    /// For `.operation`, and for a failed attempt that names the attempted operation.
    package var operation: Operation?
    /// Whether the operation succeeded; `nil` if the lock reports an operation before it moves, or does not report success.
    package var isDone: Bool?
    /// How the lock was operated; `nil` if the dialect never reports it, `.unknown` if only this event does not.
    package var method: Method?
    /// Number of the code's slot in the lock, not the code.
    package var userSlot: Int?
    /// Number of the used credential in the lock.
    package var credentialID: Int?
    /// Number of the operator's authorisation in the lock.
    package var authorisationID: Int?
    /// Why an attempt failed.
    package var rejection: RejectionReason?
}

/// A fault of a lock or of its connection. Raw values appear in a device's `faults`.
package enum LockFault: String, CaseIterable, Comparable, Sendable {
    /// The lock has not been calibrated: its end positions are not known.
    case uncalibrated
    /// The lock is starting, or being calibrated.
    case busyInternal
    /// The bolt is not fully extended.
    case notFullyLocked
    /// The housing was tampered with.
    case tamper
    /// The door was opened while the lock was locked.
    case doorForced
    /// The door contact is faulty.
    case doorSensorFault
    /// The keypad accepts no codes for a while, after too many wrong codes.
    case keypadLockout
    /// The lock reports a low battery.
    case batteryLow
    /// Discovery has reported that the lock was removed.
    case gone
    /// The broker rejected the last command, or did not deliver it.
    case commandNotDelivered
    /// The lock requires a code for commands, and none is stored.
    case needsCode
    /// The broker refuses the gateway's subscription to topics that the lock reports on.
    case subscriptionRefused
    /// The lock's bridge lists it under another name than the one under which it was attached.
    case renamed

    /// The faults that a lock can report itself, and that a profile may therefore name.
    package static let ofLocks = allCases.filter {
        ![.gone, .renamed, .needsCode, .commandNotDelivered, .subscriptionRefused].contains($0)
    }

    /// Alphabetical, so that lists have a stable order.
    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// The response of a lock, or of its bridge, to the command in flight.
package enum CommandResponse: Hashable, Sendable {
    /// The command was accepted; the bolt need not have moved.
    case accepted
    /// The lock reports the commanded state, by a live message after the command was sent.
    case confirmed
    /// The command was not executed.
    case rejected(RejectionReason)
}

/// Why a command was not executed.
package enum RejectionReason: String, CaseIterable, Sendable {
    /// The names that profiles use; `unknown` for a reason that a profile has no name for.
    case notAuthorised, invalidCode, schedule, busy, jammed, lowPower, notCalibrated, unsupported, offline, transport, unknown
}

/// A malformed or unexpected property of a message. Never contains a code or a PIN.
package enum Diagnostic: Hashable, Sendable, CustomStringConvertible {
    /// The payload is not UTF-8, too long, or not in the form that the profile gives.
    case malformedPayload
    /// The value is well formed, but not in the profile; the raw text, at most 64 characters.
    case unmappedValue(String)
    /// A number is out of range.
    case outOfRange
    /// An event was retained: it happened some time ago, or never.
    case retainedEventIgnored
    /// A command is retained on the broker. A lock would execute it each time that it subscribes.
    case retainedCommandFound
    /// The message is a response, but not to the command in flight.
    case unexpectedAck

    /// The diagnostic's name, and the raw text if there is one.
    package var description: String {
        switch self {
        case .malformedPayload: "malformedPayload"
        case .unmappedValue(let raw): "unmappedValue: \(raw)"
        case .outOfRange: "outOfRange"
        case .retainedEventIgnored: "retainedEventIgnored"
        case .retainedCommandFound: "retainedCommandFound"
        case .unexpectedAck: "unexpectedAck"
        }
    }
}
