/// The log that a record stands in: one for each portfolio, and one for the gateway itself.
package enum LogID: Hashable, Sendable, CustomStringConvertible {
    /// Sign-ins, super admins' work, unassigned devices, and what concerns no portfolio.
    case gateway
    /// Whatever happened to the portfolio's places and devices. It outlives the portfolio.
    case portfolio(PortfolioID)

    /// The id on the wire: `gateway`, or the portfolio's id.
    package var description: String {
        switch self {
        case .gateway: "gateway"
        case .portfolio(let id): id.description
        }
    }

    /// The log of an id on the wire; `nil` for a text that is no log's id, whether or not the log exists.
    package init?(_ text: String) {
        if text == "gateway" {
            self = .gateway
        } else if let id = PortfolioID(text) {
            self = .portfolio(id)
        } else {
            return nil
        }
    }

    /// `nil` for the gateway's log.
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
    /// What it says. Commitments in the log stand for the personal values in it.
    package var body: RecordBody

    package init(seq: UInt64, body: RecordBody) { (self.seq, self.body) = (seq, body) }
}

/// What a record says. The store adds the `seq`, and raises `at` to the log's last instant where the clock is below it.
///
/// Personal values (`actor.name`, `clientAddress`, `statedReason`, `override`, and those marked so in `details`) are kept
/// beside the record under the key of the person they belong to; the record itself holds commitments to them.
package struct RecordBody: Hashable, Sendable {
    /// A change to several portfolios stands in the log of each, as a record of its own.
    package var log: LogID
    /// Of the record, whatever it is about; made when the record is.
    package var id: RecordID
    /// When it happened, by the gateway's clock; never before the record with the `seq` below.
    package var at: Timestamp
    /// Decides which of the fields below mean something.
    package var kind: RecordKind
    /// Who did it. A stranger to the portfolio is `Actor.outside` here, and named in the gateway's log.
    package var actor: Actor
    /// By which way it came in.
    package var source: RecordSource
    /// What was asked of the lock; `nil` where nothing was.
    package var operation: LockOperation?
    /// On an operation; `nil` for events and changes.
    package var decision: RecordDecision?
    /// Why it was denied; `nil` when it was not.
    package var reason: DenialReason?
    /// What the right rested on, or came nearest to; `nil` where nothing was decided or no rule reached the device.
    package var rule: Rule?
    /// The IP address that the request came from; `nil` for what came from no client.
    package var clientAddress: String?
    /// The id of the request in the gateway's own logs; `nil` for what no request caused.
    package var requestID: String?
    /// The lock, with its place at that time; `nil` for what concerns no lock.
    package var device: DeviceStamp?
    /// Where it happened, when it happened to no device: what a role or a unit was given in. A device says so itself.
    package var place: TenancyPlace?
    /// What ties intent, outcome and later reports of one command together.
    package var commandID: CommandID?
    /// How a command ended; only in the record of its outcome.
    package var outcome: CommandState?
    /// The cause or reason that the table of ends has for `outcome`.
    package var outcomeDetail: String?
    /// The lock's state when the command was taken on, or sent; `nil` where nobody knew.
    package var stateBefore: LockState?
    /// The lock's state at the end of the command, or after the event.
    package var stateAfter: LockState?
    /// From dispatch to end, in milliseconds.
    package var latencyMs: Int64?
    /// What the caller typed as the command's `reason`.
    package var statedReason: String?
    /// The reason of an override that was needed.
    package var override: String?
    /// What happened, in a record of an event, a session or the gateway's life.
    package var event: RecordEvent?
    /// By what means the lock was moved; `nil` where nothing moved.
    package var method: EventMethod?
    /// What was done to `target`, in a record of an administrative change.
    package var action: ChangeAction?
    /// What was changed; `nil` in all other records.
    package var target: RecordTarget?
    /// What more there is to say, by name: `before` and `after` of a change, for example.
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
    /// The device's, or else that of `place`, as it was then; `nil` for what concerns no unit.
    package var unitID: UnitID? { device.map(\.unitID) ?? place?.unitID }
    /// `nil` for what concerns no property; a later move of the device changes nothing here.
    package var propertyID: PropertyID? { device.map(\.propertyID) ?? place?.propertyID }
    /// `nil` for what concerns no portfolio. A change stands in the gateway's log too, so this need not be that of `log`.
    package var portfolioID: PortfolioID? { device.map(\.portfolioID) ?? place?.portfolioID }
}

/// A part of the hierarchy, with what lies above it.
package struct TenancyPlace: Hashable, Sendable {
    /// `nil` for the property as a whole.
    package var unitID: UnitID?
    /// `nil` for the portfolio as a whole.
    package var propertyID: PropertyID?
    /// `nil` only where all three are.
    package var portfolioID: PortfolioID?

    package init(unitID: UnitID? = nil, propertyID: PropertyID? = nil, portfolioID: PortfolioID? = nil) {
        (self.unitID, self.propertyID, self.portfolioID) = (unitID, propertyID, portfolioID)
    }
}

/// A device and where it hung when the record was written.
package struct DeviceStamp: Hashable, Sendable {
    /// It stays in records when the device is gone.
    package var deviceID: DeviceID
    /// As it was then: a later change of name does not change the record.
    package var deviceName: String?
    /// `nil` for a device that hung on the property itself, or nowhere.
    package var unitID: UnitID?
    /// `nil` for a device that hung nowhere.
    package var propertyID: PropertyID?
    /// `nil` for a device that hung nowhere.
    package var portfolioID: PortfolioID?

    package init(
        deviceID: DeviceID, deviceName: String? = nil, unitID: UnitID? = nil, propertyID: PropertyID? = nil,
        portfolioID: PortfolioID? = nil
    ) {
        (self.deviceID, self.deviceName) = (deviceID, deviceName)
        (self.unitID, self.propertyID, self.portfolioID) = (unitID, propertyID, portfolioID)
    }

    /// Where what happens to the device is written down: in its portfolio's log, or the gateway's for one that hangs nowhere.
    package var log: LogID { portfolioID.map { .portfolio($0) } ?? .gateway }

    /// The device as it is now.
    package init(_ device: LockDevice) {
        self.init(
            deviceID: device.id, deviceName: device.name, unitID: device.unitID, propertyID: device.propertyID,
            portfolioID: device.portfolioID)
    }
}

/// What an administrative change was made to: `type` is the entity's name in the domain, such as `Portfolio`.
package struct RecordTarget: Hashable, Sendable {
    /// Such as `Portfolio` or `UserRoleAssociation`.
    package var type: String
    /// The entity's id on the wire.
    package var id: String

    package init(type: String, id: String) { (self.type, self.id) = (type, id) }
}

/// A value inside `details`.
package indirect enum RecordValue: Hashable, Sendable {
    /// Something that has no value, such as a field before it was set.
    case null
    /// Never written as 0 or 1.
    case bool(Bool)
    /// The only kind of number; a record keeps those within ±(2^53 − 1) as such, larger ones as text.
    case integer(Int64)
    /// Nothing personal: that is `personal`, of which the record keeps a commitment only.
    case string(String)
    /// The order counts, and is that of the record's bytes.
    case array([RecordValue])
    /// In the record's bytes the names stand in the order of RFC 8785, section 3.2.3.
    case object([String: RecordValue])
    /// A name or another personal value, of `person` if they are a user: only a commitment to it is in the record.
    case personal(String, person: UserID?)
    /// What is left of a personal value after its person was erased, or for a reader without the values.
    case withheld
}

/// What a record is about. Raw values are the wire's and the format's.
package enum RecordKind: String, CaseIterable, Codable, Sendable {
    /// A command was allowed and is about to be sent; durable before anything moves.
    case commandIntent = "COMMAND_INTENT"
    /// How a command ended: one for each command that has an intent.
    case commandOutcome = "COMMAND_OUTCOME"
    /// A command that was denied before it had an intent.
    case denial = "DENIAL"
    /// What a lock reported by itself, or after its command had ended.
    case deviceEvent = "DEVICE_EVENT"
    /// A change to who may do what.
    case adminChange = "ADMIN_CHANGE"
    /// A sign-in, a sign-out, or an attempt at one.
    case session = "SESSION"
    /// The gateway's own life.
    case gateway = "GATEWAY"
}

/// What was decided on a command.
package enum RecordDecision: String, CaseIterable, Codable, Sendable {
    /// By the record's `rule`; the command goes on to its lock.
    case allowed = "ALLOWED"
    /// For the record's `reason`; nothing was sent.
    case denied = "DENIED"
}

/// What an administrative change did to its target.
package enum ChangeAction: String, CaseIterable, Codable, Sendable {
    /// Made anew; `details` has its fields in `after`.
    case create = "CREATE"
    /// Fields were changed: those and no others stand in `before` and `after`.
    case update = "UPDATE"
    /// Taken away; the records about it stay.
    case delete = "DELETE"
    /// A role was given to a user.
    case assign = "ASSIGN"
    /// A role was taken from a user.
    case remove = "REMOVE"
    /// A guest access was given.
    case grant = "GRANT"
    /// A guest access was ended before its time.
    case revoke = "REVOKE"
    /// A device hangs somewhere else now.
    case move = "MOVE"
    /// A user may not sign in any more, nor do anything.
    case disable = "DISABLE"
    /// A disabled user is one like others again.
    case enable = "ENABLE"
}
