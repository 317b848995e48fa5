public import DoorwardDomain

/// Receives the locks' reports. Returns at once; may be called from any thread, also from inside `send`.
public protocol ReportReceiver: Sendable {
    /// Receives one report. The reports of a lock arrive in the order in which the lock sent them.
    func receive(_ report: LockReport)
}

/// One report of one lock, translated into the gateway's terms.
public struct LockReport: Hashable, Sendable {
    /// The attached lock that the report is about.
    public let deviceID: DeviceID
    /// The reported fact.
    public let fact: Fact
    /// The last command that had been handed over to the lock when its adapter received this report; `nil` if there was none.
    /// Only a report that was received after a command was handed over can confirm or refuse the command. An earlier report
    /// cannot, even if it is delivered later.
    public let after: CommandID?

    /// Whether this state only repeats an `.event` that was reported shortly before. Such a state
    /// is processed like any other report, but is not recorded in the log a second time.
    public let isRepeat: Bool

    /// Creates a report. Truncates the fact's texts to their limits, and makes them stream-safe (`StreamSafeText`).
    public init(deviceID: DeviceID, _ fact: Fact, after: CommandID?, isRepeat: Bool = false) {
        (self.deviceID, self.fact, self.after, self.isRepeat) = (deviceID, fact.bounded, after, isRepeat)
    }

    /// Maximum length of an operator's name in a report, in bytes.
    public static let maxOperatorNameBytes = 800
    /// Maximum number of fault codes in a report.
    public static let maxFaults = 64
    /// Maximum length of a fault code in bytes; a longer one is dropped.
    public static let maxFaultBytes = 64

    /// The facts that a lock can report.
    public enum Fact: Hashable, Sendable {
        /// The bolt state. Only a report of quality `.confirmed`, which the lock has sent live, can end a command.
        case state(LockState, quality: StateQuality, method: EventMethod?, operatorName: String?)
        /// Whether the door is open, as reported by the lock's own door sensor or by a separate sensor.
        case door(DoorState)
        /// The charge from 0 to 100, and the lock's own low-battery warning. A value is `nil` if
        /// the lock's message does not contain it.
        case battery(level: Int?, low: Bool?)
        /// Whether the lock can be reached; `nil` if this is no longer known.
        case availability(Bool?)
        /// The lock or its bridge has refused the command in flight.
        case refusal(LockRefusal)
        /// An event that is not a state, such as a tamper alarm or a wrong code.
        case event(RecordEvent, method: EventMethod?, operatorName: String?)
        /// The complete set of present faults, as codes in camel case such as `notFullyLocked`, `tamper`, `uncalibrated` or
        /// `gone`. Empty when no fault is present any more. A jam is reported as a state instead.
        case faults(Set<String>)
        /// The settings of the lock, reported by the lock itself. Ends a command that changes the settings if they are equal to
        /// those of the command; any other report of settings has no effect.
        case settings(LockSettings)
        /// The manufacturer, model and firmware version of the lock, reported by the lock or its bridge.
        case product(LockProduct)
        /// The transport delivered a command after its deadline: the lock may still execute it.
        case deliveredLate(CommandID)
    }
}

extension LockReport.Fact {
    /// The same fact with stream-safe texts of limited length, whatever text the adapter passed.
    fileprivate var bounded: Self {
        switch self {
        case .state(let state, let quality, let method, let name?):
            .state(state, quality: quality, method: method, operatorName: Self.bounded(name))
        case .event(let event, let method, let name?): .event(event, method: method, operatorName: Self.bounded(name))
        case .faults(let codes) where codes.count > LockReport.maxFaults || !codes.allSatisfy(Self.isFaultCode):
            .faults(Set(codes.filter(Self.isFaultCode).sorted().prefix(LockReport.maxFaults)))
        case .product(let product): .product(product.bounded)
        case .state, .event, .faults, .door, .battery, .availability, .refusal, .settings, .deliveredLate: self
        }
    }

    private static func bounded(_ name: String) -> String {
        name.truncated(toBytes: LockReport.maxOperatorNameBytes).streamSafe
    }

    private static func isFaultCode(_ code: String) -> Bool {
        code.utf8.count <= LockReport.maxFaultBytes && code.isStreamSafe
    }
}

/// The reason why a lock or its bridge did not execute a command. The raw values are those of the command's `outcomeDetail`.
public enum LockRefusal: String, CaseIterable, Sendable {
    /// The lock is busy, for example with another command or an update.
    case busy
    /// The bridge does not permit the gateway to send this command.
    case notAuthorised = "not_authorised"
    /// The code for the command is wrong or missing.
    case invalidCode = "invalid_code"
    /// The battery is too low to move the bolt.
    case lowPower = "low_power"
    /// The lock has not been calibrated.
    case notCalibrated = "not_calibrated"
    /// The lock does not support the command.
    case unsupported
    /// The command was lost between the bridge and the lock.
    case transport
    /// The bridge reports that the lock is offline.
    case offline = "device_offline"
    /// The bolt is jammed. Its position is reported as a state.
    case jammed
    /// Any other cause.
    case other
}
