/// The log that a record stands in: one for each portfolio, and one for the gateway itself.
package enum LogID: Hashable, Sendable, CustomStringConvertible {
    case gateway
    case portfolio(PortfolioID)

    /// The id on the wire: `gateway`, or the portfolio's id.
    package var description: String {
        switch self {
        case .gateway: "gateway"
        case .portfolio(let id): id.description
        }
    }

    package init?(_ text: String) {
        if text == "gateway" {
            self = .gateway
        } else if let id = PortfolioID(text) {
            self = .portfolio(id)
        } else {
            return nil
        }
    }

    package var portfolioID: PortfolioID? {
        switch self {
        case .gateway: nil
        case .portfolio(let id): id
        }
    }
}

/// One entry of an access log: a decision, an outcome, an event or a change, as it is read back.
package struct AccessRecord: Hashable, Sendable {
    /// The place in the log, from 0 without gaps; also the leaf's index in the log's Merkle tree.
    package let seq: UInt64
    package var body: RecordBody

    package init(seq: UInt64, body: RecordBody) { (self.seq, self.body) = (seq, body) }
}

/// What a record says. The store adds the `seq`, and raises `at` to the log's last instant where the clock is below it.
///
/// Personal values (`actor.name`, `clientAddress`, `statedReason`, `override`, and those marked so in `details`) are kept
/// beside the record under the key of the person they belong to; the record itself holds commitments to them.
package struct RecordBody: Hashable, Sendable {
    package var log: LogID
    package var id: RecordID
    package var at: Timestamp
    package var kind: RecordKind
    package var actor: Actor
    package var source: RecordSource
    package var operation: LockOperation?
    package var decision: RecordDecision?
    package var reason: DenialReason?
    package var rule: Rule?
    package var clientAddress: String?
    package var requestID: String?
    package var device: DeviceStamp?
    /// Where it happened, when it happened to no device: what a role or a unit was given in. A device says so itself.
    package var place: TenancyPlace?
    package var commandID: CommandID?
    package var outcome: CommandState?
    package var outcomeDetail: String?
    package var stateBefore: LockState?
    package var stateAfter: LockState?
    /// From dispatch to end, in milliseconds.
    package var latencyMs: Int64?
    /// What the caller typed as the command's `reason`.
    package var statedReason: String?
    /// The reason of an override that was needed.
    package var override: String?
    package var event: RecordEvent?
    package var method: EventMethod?
    package var action: ChangeAction?
    package var target: RecordTarget?
    package var details: [String: RecordValue]

    package init(
        log: LogID, id: RecordID, at: Timestamp, kind: RecordKind, actor: Actor, source: RecordSource,
        operation: LockOperation? = nil, decision: RecordDecision? = nil, reason: DenialReason? = nil, rule: Rule? = nil,
        clientAddress: String? = nil, requestID: String? = nil, device: DeviceStamp? = nil, place: TenancyPlace? = nil,
        commandID: CommandID? = nil,
        outcome: CommandState? = nil, outcomeDetail: String? = nil, stateBefore: LockState? = nil, stateAfter: LockState? = nil,
        latencyMs: Int64? = nil, statedReason: String? = nil, override: String? = nil, event: RecordEvent? = nil,
        method: EventMethod? = nil, action: ChangeAction? = nil, target: RecordTarget? = nil, details: [String: RecordValue] = [:]
    ) {
        (self.log, self.id, self.at, self.kind, self.actor, self.source) = (log, id, at, kind, actor, source)
        (self.operation, self.decision, self.reason, self.rule) = (operation, decision, reason, rule)
        (self.clientAddress, self.requestID, self.commandID) = (clientAddress, requestID, commandID)
        (self.device, self.place) = (device, place)
        (self.outcome, self.outcomeDetail, self.stateBefore, self.stateAfter) = (outcome, outcomeDetail, stateBefore, stateAfter)
        (self.latencyMs, self.statedReason, self.override) = (latencyMs, statedReason, override)
        (self.event, self.method, self.action, self.target, self.details) = (event, method, action, target, details)
    }
}

extension RecordBody {
    /// The unit, property and portfolio that the record belongs to, as they were then.
    package var unitID: UnitID? { device.map(\.unitID) ?? place?.unitID }
    package var propertyID: PropertyID? { device.map(\.propertyID) ?? place?.propertyID }
    package var portfolioID: PortfolioID? { device.map(\.portfolioID) ?? place?.portfolioID }
}

/// A part of the hierarchy, with what lies above it.
package struct TenancyPlace: Hashable, Sendable {
    package var unitID: UnitID?
    package var propertyID: PropertyID?
    package var portfolioID: PortfolioID?

    package init(unitID: UnitID? = nil, propertyID: PropertyID? = nil, portfolioID: PortfolioID? = nil) {
        (self.unitID, self.propertyID, self.portfolioID) = (unitID, propertyID, portfolioID)
    }
}

/// A device and where it hung when the record was written.
package struct DeviceStamp: Hashable, Sendable {
    package var deviceID: DeviceID
    package var deviceName: String?
    package var unitID: UnitID?
    package var propertyID: PropertyID?
    package var portfolioID: PortfolioID?

    package init(
        deviceID: DeviceID, deviceName: String? = nil, unitID: UnitID? = nil, propertyID: PropertyID? = nil,
        portfolioID: PortfolioID? = nil
    ) {
        (self.deviceID, self.deviceName) = (deviceID, deviceName)
        (self.unitID, self.propertyID, self.portfolioID) = (unitID, propertyID, portfolioID)
    }

    package init(_ device: LockDevice) {
        self.init(
            deviceID: device.id, deviceName: device.name, unitID: device.unitID, propertyID: device.propertyID,
            portfolioID: device.portfolioID)
    }
}

/// What an administrative change was made to: `type` is the entity's name in the domain, such as `Portfolio`.
package struct RecordTarget: Hashable, Sendable {
    package var type: String
    package var id: String

    package init(type: String, id: String) { (self.type, self.id) = (type, id) }
}

/// A value inside `details`.
package indirect enum RecordValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case string(String)
    case array([RecordValue])
    case object([String: RecordValue])
    /// A name or another personal value, of `person` if they are a user: only a commitment to it is in the record.
    case personal(String, person: UserID?)
    /// What is left of a personal value after its person was erased, or for a reader without the values.
    case withheld
}

/// What a record is about. Raw values are the wire's and the format's.
package enum RecordKind: String, CaseIterable, Codable, Sendable {
    case commandIntent = "COMMAND_INTENT"
    case commandOutcome = "COMMAND_OUTCOME"
    case denial = "DENIAL"
    case deviceEvent = "DEVICE_EVENT"
    case adminChange = "ADMIN_CHANGE"
    case session = "SESSION"
    case gateway = "GATEWAY"
}

/// What was decided on a command.
package enum RecordDecision: String, CaseIterable, Codable, Sendable {
    case allowed = "ALLOWED"
    case denied = "DENIED"
}

/// What happened: at a lock by itself, at a sign-in, or in the gateway's own life.
package enum RecordEvent: String, CaseIterable, Codable, Sendable {
    case locked = "LOCKED"
    case unlocked = "UNLOCKED"
    case unlatched = "UNLATCHED"
    case jammed = "JAMMED"
    case tamper = "TAMPER"
    case offline = "OFFLINE"
    case online = "ONLINE"
    case batteryLow = "BATTERY_LOW"
    case doorOpened = "DOOR_OPENED"
    case doorClosed = "DOOR_CLOSED"
    case doorForced = "DOOR_FORCED"
    case attemptFailed = "ATTEMPT_FAILED"
    case keypadLockout = "KEYPAD_LOCKOUT"
    case credentialChanged = "CREDENTIAL_CHANGED"
    case signedIn = "SIGNED_IN"
    case signedOut = "SIGNED_OUT"
    case signInFailed = "SIGN_IN_FAILED"
    case refreshReused = "REFRESH_REUSED"
    case start = "START"
    case stop = "STOP"
    case clockStep = "CLOCK_STEP"
    case checkpoint = "CHECKPOINT"
    case keyRotated = "KEY_ROTATED"
    case recovered = "RECOVERED"
    case denialsSuppressed = "DENIALS_SUPPRESSED"
    case export = "EXPORT"
    case erasure = "ERASURE"
    case retentionCut = "RETENTION_CUT"
}

/// By what means a lock was moved, as far as it says.
package enum EventMethod: String, CaseIterable, Codable, Sendable {
    case manual = "MANUAL"
    case keypad = "KEYPAD"
    case key = "KEY"
    case button = "BUTTON"
    case auto = "AUTO"
    case rfid = "RFID"
    case fingerprint = "FINGERPRINT"
    case fob = "FOB"
    case app = "APP"
    case schedule = "SCHEDULE"
    case remote = "REMOTE"
    case unknown = "UNKNOWN"
}

/// What an administrative change did to its target.
package enum ChangeAction: String, CaseIterable, Codable, Sendable {
    case create = "CREATE"
    case update = "UPDATE"
    case delete = "DELETE"
    case assign = "ASSIGN"
    case remove = "REMOVE"
    case grant = "GRANT"
    case revoke = "REVOKE"
    case move = "MOVE"
    case disable = "DISABLE"
    case enable = "ENABLE"
}
