public import DoorwardDomain

/// Receives what locks say. Returns at once; safe to call from any thread, also from inside `send`.
public protocol ReportReceiver: Sendable {
    /// Takes one message. A lock's messages come in the order in which the lock said them.
    func receive(_ report: LockReport)
}

/// One message of one lock, in the gateway's words.
public struct LockReport: Hashable, Sendable {
    /// The attached lock that speaks.
    public let deviceID: DeviceID
    /// What it says.
    public let fact: Fact
    /// The order that was the last to have been handed over to the lock when its adapter took in what it said; `nil` before
    /// the first. Only a report after an order can be the lock's word on it: what was said before the hand-over is not, however
    /// late it is delivered.
    public let after: CommandID?

    /// It tells where the bolt is after something that an `.event` has told a moment ago: it counts as any other, and is no second
    /// line in the log.
    public let isRepeat: Bool

    /// Truncates the fact's texts to their limits, and makes them stream-safe (`StreamSafeText`).
    public init(deviceID: DeviceID, _ fact: Fact, after: CommandID?, isRepeat: Bool = false) {
        (self.deviceID, self.fact, self.after, self.isRepeat) = (deviceID, fact.bounded, after, isRepeat)
    }

    /// Maximum length of an operator's name in a report, in bytes.
    public static let maxOperatorNameBytes = 800
    /// Maximum number of fault codes in a report.
    public static let maxFaults = 64
    /// Maximum length of a fault code in bytes; a longer one is dropped.
    public static let maxFaultBytes = 64

    /// What the lock says.
    public enum Fact: Hashable, Sendable {
        /// Where the bolt is. Only quality `.confirmed`, a live word of the lock, can end a command.
        case state(LockState, quality: StateQuality, method: EventMethod?, operatorName: String?)
        /// Whether the door stands open, from the lock's own contact or one beside it.
        case door(DoorState)
        /// 0 to 100, and the lock's own warning; each `nil` where this message does not say.
        case battery(level: Int?, low: Bool?)
        /// Whether the lock can be reached; `nil` when the transport no longer knows.
        case availability(Bool?)
        /// The lock or its bridge refuses the order that is under way.
        case refusal(LockRefusal)
        /// Something that is no state: a tamper alarm, a wrong code.
        case event(RecordEvent, method: EventMethod?, operatorName: String?)
        /// Everything that is wrong with the lock at this moment beside a jam, which is a state: words in camel case such as
        /// `notFullyLocked`, `tamper`, `uncalibrated`, `gone`. The whole set each time; empty when all is well again.
        case faults(Set<String>)
        /// The transport delivered a command after its deadline: the lock may still execute it.
        case deliveredLate(CommandID)
    }
}

extension LockReport.Fact {
    /// The same fact with stream-safe texts of limited length, whatever the adapter's source for them was.
    fileprivate var bounded: Self {
        switch self {
        case .state(let state, let quality, let method, let name?):
            .state(state, quality: quality, method: method, operatorName: Self.bounded(name))
        case .event(let event, let method, let name?): .event(event, method: method, operatorName: Self.bounded(name))
        case .faults(let words) where words.count > LockReport.maxFaults || !words.allSatisfy(Self.isFaultWord):
            .faults(Set(words.filter(Self.isFaultWord).sorted().prefix(LockReport.maxFaults)))
        case .state, .event, .faults, .door, .battery, .availability, .refusal, .deliveredLate: self
        }
    }

    private static func bounded(_ name: String) -> String {
        name.truncated(toBytes: LockReport.maxOperatorNameBytes).streamSafe
    }

    private static func isFaultWord(_ word: String) -> Bool {
        word.utf8.count <= LockReport.maxFaultBytes && word.isStreamSafe
    }
}

/// Why a lock or its bridge did not do what it was told. Raw values are the command's `outcomeDetail`.
public enum LockRefusal: String, CaseIterable, Sendable {
    /// It is doing something else: another order, an update.
    case busy
    /// The bridge does not let the gateway do this.
    case notAuthorised = "not_authorised"
    /// A code that the order needs is wrong or missing.
    case invalidCode = "invalid_code"
    /// The battery no longer moves the bolt.
    case lowPower = "low_power"
    /// The lock has not learnt where its ends are.
    case notCalibrated = "not_calibrated"
    /// The lock does not know the order.
    case unsupported
    /// The order got lost between the bridge and the lock.
    case transport
    /// The bridge knows the lock to be away.
    case offline = "device_offline"
    /// The bolt stuck; where it is now, a state tells.
    case jammed
    /// A cause that this list has no word for.
    case other
}
