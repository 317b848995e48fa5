/// Identifies an access log. Each portfolio has a log, and so has the gateway itself.
package enum LogID: Hashable, Sendable, CustomStringConvertible {
    /// The gateway's log: sign-ins, super admins' changes, events of unassigned devices, and all
    /// other events that concern no portfolio.
    case gateway
    /// The log of a portfolio: the events of its properties, units and devices. The log is kept after the portfolio is deleted.
    case portfolio(PortfolioID)

    /// The id in the API: `gateway`, or the portfolio's id.
    package var description: String { portfolioID?.description ?? "gateway" }

    /// Parses a log id; `nil` if the text is not a well-formed log id. Does not check that the log exists.
    package init?(_ text: String) {
        let id = PortfolioID(text)
        guard id != nil || text == "gateway" else { return nil }
        self = Self(of: id)
    }

    /// The log of a portfolio; without one, the gateway's log.
    package init(of portfolio: PortfolioID?) { self = portfolio.map { .portfolio($0) } ?? .gateway }

    /// The portfolio whose log this is; `nil` for the gateway's log.
    package var portfolioID: PortfolioID? { if case .portfolio(let id) = self { id } else { nil } }
}

/// One record of an access log, as read back: a decision, an outcome, an event or an administrative change.
package struct AccessRecord: Hashable, Sendable {
    /// The record's sequence number in the log, from 0 without gaps; also its leaf index in the log's Merkle tree.
    package let seq: UInt64
    /// The content of the record. Its encoded bytes contain commitments in place of the personal values.
    package var body: RecordBody

    package init(seq: UInt64, body: RecordBody) { (self.seq, self.body) = (seq, body) }
}

/// The content of a record. The store assigns the `seq`. If `at` is earlier than the log's last
/// record, the store replaces `at` by the time of that record.
///
/// The personal values (`actor.name`, `clientAddress`, `statedReason`, `override`, and `personal`
/// values in `details`) are stored beside the record, each encrypted under the key of the person
/// whom it concerns. The record itself contains only commitments to the values.
package struct RecordBody: Hashable, Sendable {
    /// The log that contains the record. A change to several portfolios is written to the log of
    /// each portfolio, as a separate record.
    package var log: LogID
    /// The id of the record itself, generated together with the record.
    package var id: RecordID
    /// The time of the event, by the gateway's clock. It is never earlier than the time of the record with the preceding `seq`.
    package var at: Timestamp
    /// Determines which of the fields below are used.
    package var kind: RecordKind
    /// The actor. In the log of a portfolio, an actor to whom the device is not visible is recorded as `RecordActor.outside`; the
    /// gateway's log contains the actor's identity.
    package var actor: RecordActor
    /// The interface through which the request or report reached the gateway.
    package var source: RecordSource
    /// The requested lock operation; `nil` if there was none.
    package var operation: LockOperation?
    /// The decision on an operation; `nil` for events and changes.
    package var decision: RecordDecision?
    /// The reason of a denial; `nil` if the request was not denied.
    package var reason: DenialReason?
    /// The rule that allowed the operation, or came nearest to allowing it. `nil` if there was no
    /// decision, or if no rule covers the device.
    package var rule: Rule?
    /// The client's IP address; `nil` if no client was involved.
    package var clientAddress: String?
    /// The request's id in the gateway's own logs; `nil` if no request caused the record.
    package var requestID: String?
    /// The lock, and its position in the hierarchy at the time `at`; `nil` if the record concerns no lock.
    package var device: DeviceSnapshot?
    /// The part of the hierarchy that the record concerns, such as the unit that a role was
    /// assigned on. Used only without a `device`, which contains its own position.
    package var path: EntityPathIDs?
    /// Correlates the intent, the outcome and later reports of one command.
    package var commandID: CommandID?
    /// The final state of a command; only in the record of its outcome.
    package var outcome: CommandState?
    /// The cause or reason that accompanies `outcome`, such as `jammed` or `device_offline`.
    package var outcomeDetail: String?
    /// The lock's state when the command was sent; for a command that was not sent, the state when
    /// it was accepted. `nil` if unknown.
    package var stateBefore: LockState?
    /// The lock's state at the end of the command, or after the event.
    package var stateAfter: LockState?
    /// The time from dispatch to outcome, in milliseconds.
    package var latencyMs: Int64?
    /// The `reason` that the caller gave with the command.
    package var statedReason: String?
    /// The reason given for an override that the decision required.
    package var override: String?
    /// The event, in a record of a device event, a session or the gateway's lifecycle.
    package var event: RecordEvent?
    /// How the lock was operated; `nil` if the record is about no operation of the lock.
    package var method: EventMethod?
    /// The kind of the change to `target`, in a record of an administrative change.
    package var action: ChangeAction?
    /// The entity that was changed; `nil` in all other records.
    package var target: RecordTarget?
    /// Further data by name, such as `before` and `after` of a change.
    package var details: [String: RecordValue]

    package init(
        log: LogID, id: RecordID, at: Timestamp, kind: RecordKind, actor: RecordActor, source: RecordSource,
        operation: LockOperation? = nil, decision: RecordDecision? = nil, reason: DenialReason? = nil, rule: Rule? = nil,
        clientAddress: String? = nil, requestID: String? = nil, device: DeviceSnapshot? = nil, path: EntityPathIDs? = nil,
        commandID: CommandID? = nil,
        outcome: CommandState? = nil, outcomeDetail: String? = nil, stateBefore: LockState? = nil, stateAfter: LockState? = nil,
        latencyMs: Int64? = nil, statedReason: String? = nil, override: String? = nil, event: RecordEvent? = nil,
        method: EventMethod? = nil, action: ChangeAction? = nil, target: RecordTarget? = nil, details: [String: RecordValue] = [:]
    ) {
        (self.log, self.id, self.at, self.kind, self.actor, self.source) = (log, id, at, kind, actor, source)
        (self.operation, self.decision, self.reason, self.rule) = (operation, decision, reason, rule)
        (self.clientAddress, self.requestID, self.commandID) = (clientAddress, requestID, commandID)
        (self.device, self.path) = (device, path)
        (self.outcome, self.outcomeDetail, self.stateBefore, self.stateAfter) = (outcome, outcomeDetail, stateBefore, stateAfter)
        (self.latencyMs, self.statedReason, self.override) = (latencyMs, statedReason, override)
        (self.event, self.method, self.action, self.target, self.details) = (event, method, action, target, details)
    }
}

extension RecordBody {
    /// The unit of `device` at the time of the record; without a device, the unit of `path`. `nil`
    /// if the record concerns no unit.
    package var unitID: UnitID? { device.map(\.unitID) ?? path?.unitID }
    /// The property of `device` at the time of the record; without a device, the property of
    /// `path`. `nil` if the record concerns no property.
    package var propertyID: PropertyID? { device.map(\.propertyID) ?? path?.propertyID }
    /// The portfolio of `device` at the time of the record; without a device, the portfolio of `path`. It can differ from the
    /// portfolio of `log`, because some records are also written to the gateway's log.
    package var portfolioID: PortfolioID? { device.map(\.portfolioID) ?? path?.portfolioID }
}

/// The ids of a portfolio, property or unit and of the entities above it.
package struct EntityPathIDs: Hashable, Sendable {
    /// The unit; `nil` for a path that ends at a property or a portfolio.
    package var unitID: UnitID?
    /// The property; `nil` for a path that ends at a portfolio.
    package var propertyID: PropertyID?
    /// The portfolio; `nil` only if `unitID` and `propertyID` are `nil` as well.
    package var portfolioID: PortfolioID?

    package init(unitID: UnitID? = nil, propertyID: PropertyID? = nil, portfolioID: PortfolioID? = nil) {
        (self.unitID, self.propertyID, self.portfolioID) = (unitID, propertyID, portfolioID)
    }
}

/// A device with its name and position in the hierarchy when the record was written.
package struct DeviceSnapshot: Hashable, Sendable {
    /// The id of the device. Records keep it after the device is removed.
    package var deviceID: DeviceID
    /// The name when the record was written: renaming the device does not change the record.
    package var deviceName: String?
    /// The unit; `nil` for a device that is assigned to the property itself, or unassigned.
    package var unitID: UnitID?
    /// The property; `nil` for an unassigned device.
    package var propertyID: PropertyID?
    /// The portfolio; `nil` for an unassigned device.
    package var portfolioID: PortfolioID?

    package init(
        deviceID: DeviceID, deviceName: String? = nil, unitID: UnitID? = nil, propertyID: PropertyID? = nil,
        portfolioID: PortfolioID? = nil
    ) {
        (self.deviceID, self.deviceName) = (deviceID, deviceName)
        (self.unitID, self.propertyID, self.portfolioID) = (unitID, propertyID, portfolioID)
    }

    /// The log for the device's records: the log of the device's portfolio, or the gateway's log for an unassigned device.
    package var log: LogID { LogID(of: portfolioID) }

    /// A snapshot of the device as it is now.
    package init(_ device: LockDevice) {
        self.init(
            deviceID: device.id, deviceName: device.name, unitID: device.unitID, propertyID: device.propertyID,
            portfolioID: device.portfolioID)
    }
}

/// The entity that was changed by an administrative change.
package struct RecordTarget: Hashable, Sendable {
    /// The entity's type in the domain, such as `Portfolio` or `UserRoleAssociation`.
    package var type: String
    /// The entity's id, as in the API.
    package var id: String

    package init(type: String, id: String) { (self.type, self.id) = (type, id) }
}

/// A value in the `details` of a record.
package indirect enum RecordValue: Hashable, Sendable {
    /// JSON null: no value, such as a field before it was set.
    case null
    /// A JSON boolean, never encoded as 0 or 1.
    case bool(Bool)
    /// The only numeric type. The record stores integers within ±(2^53 − 1) as numbers, larger ones as strings.
    case integer(Int64)
    /// A string that is not personal. Personal values MUST be `personal`, so that the record contains only a commitment.
    case string(String)
    /// A JSON array. Its elements are encoded in this order.
    case array([RecordValue])
    /// A JSON object. Its members are encoded in the key order of RFC 8785, section 3.2.3.
    case object([String: RecordValue])
    /// A personal value, such as a name. `person` is the user whom it concerns; `nil` if that
    /// person is not a user. The record contains only a commitment to the value.
    case personal(String, person: UserID?)
    /// A personal value that was erased, or that the reader may not see.
    case withheld
}

/// The kind of a record. Raw values are those of the API and of the log format.
package enum RecordKind: String, CaseIterable, Codable, Sendable {
    /// A command was allowed. The record is durable before the command is sent.
    case commandIntent = "COMMAND_INTENT"
    /// The outcome of a command. Each command with an intent has exactly one record of this kind.
    case commandOutcome = "COMMAND_OUTCOME"
    /// A command was denied before it had an intent.
    case denial = "DENIAL"
    /// A lock reported an event that was caused by no command in flight: for example, the thumb
    /// turn was used, or the report of a command was received after the command had ended.
    case deviceEvent = "DEVICE_EVENT"
    /// A change to users, roles, grants, devices or the hierarchy.
    case adminChange = "ADMIN_CHANGE"
    /// A sign-in, a sign-out, a failed sign-in, or the second use of a refresh token.
    case session = "SESSION"
    /// The gateway's lifecycle: start, stop, recovery and the like.
    case gateway = "GATEWAY"
}

/// The decision on a command.
package enum RecordDecision: String, CaseIterable, Codable, Sendable {
    /// Allowed by the record's `rule`; the command is queued for its lock.
    case allowed = "ALLOWED"
    /// Denied for the record's `reason`; nothing was sent.
    case denied = "DENIED"
}

/// The kind of an administrative change.
package enum ChangeAction: String, CaseIterable, Codable, Sendable {
    /// The entity was created; `details` has its fields in `after`.
    case create = "CREATE"
    /// Fields were changed: `before` and `after` contain exactly the changed fields.
    case update = "UPDATE"
    /// The entity was deleted. The records about the entity are kept.
    case delete = "DELETE"
    /// A role was assigned to a user.
    case assign = "ASSIGN"
    /// A role was removed from a user.
    case remove = "REMOVE"
    /// A guest access was granted.
    case grant = "GRANT"
    /// A guest access was revoked before its window ended.
    case revoke = "REVOKE"
    /// A device was moved in the hierarchy.
    case move = "MOVE"
    /// A user was disabled: the user can no longer sign in, and all of the user's requests are denied.
    case disable = "DISABLE"
    /// A disabled user was enabled again.
    case enable = "ENABLE"
}

/// An event in a record: at a lock, of a session, or of the gateway's lifecycle.
public enum RecordEvent: String, CaseIterable, Codable, Sendable {
    /// The bolt was extended, and no command in flight had caused this.
    case locked = "LOCKED"
    /// The bolt was retracted by a thumb turn, a key, a code or the manufacturer's app, or by a command that had already ended.
    case unlocked = "UNLOCKED"
    /// The latch was retracted as well; recorded under the same conditions as `unlocked`.
    case unlatched = "UNLATCHED"
    /// The bolt met resistance and stopped between its end positions.
    case jammed = "JAMMED"
    /// The lock's tamper sensor was triggered.
    case tamper = "TAMPER"
    /// The lock or its bridge stopped responding.
    case offline = "OFFLINE"
    /// The lock responds again after an `offline`.
    case online = "ONLINE"
    /// The lock reported a low battery; the lock defines the threshold.
    case batteryLow = "BATTERY_LOW"
    /// The door contact changed from closed to open.
    case doorOpened = "DOOR_OPENED"
    /// The door contact changed from open to closed. The bolt can be in any state.
    case doorClosed = "DOOR_CLOSED"
    /// The door opened while the lock was locked.
    case doorForced = "DOOR_FORCED"
    /// A wrong code, card or fingerprint was used at the lock.
    case attemptFailed = "ATTEMPT_FAILED"
    /// The lock temporarily accepts no codes after too many wrong ones.
    case keypadLockout = "KEYPAD_LOCKOUT"
    /// A code, card or fingerprint was added to the lock or removed from it.
    case credentialChanged = "CREDENTIAL_CHANGED"
    /// A broker delivered a command after its deadline. The lock may have moved, regardless of the
    /// outcome that is recorded for the command.
    case commandDeliveredLate = "COMMAND_DELIVERED_LATE"
    /// A session was started with the correct password.
    case signedIn = "SIGNED_IN"
    /// A session ended before its expiry: the user signed out, or the user's sessions were ended, for example by a new password.
    case signedOut = "SIGNED_OUT"
    /// A sign-in failed: wrong password, unknown address, or disabled user.
    case signInFailed = "SIGN_IN_FAILED"
    /// A refresh token was used a second time. The token may be stolen, so its session was ended.
    case refreshReused = "REFRESH_REUSED"
    /// The gateway has started.
    case start = "START"
    /// The gateway was shut down in an orderly way. A crash leaves no such record.
    case stop = "STOP"
    /// The wall clock jumped relative to the monotonic clock.
    case clockStep = "CLOCK_STEP"
    /// The log's root was signed.
    case checkpoint = "CHECKPOINT"
    /// Records under a signed checkpoint have changed; no further checkpoint of that log is signed.
    case checkpointMismatch = "CHECKPOINT_MISMATCH"
    /// A key of the gateway was replaced.
    case keyRotated = "KEY_ROTATED"
    /// After a crash or a failure of the store, commands without an outcome were recorded as `UNKNOWN`; or an operator accepted
    /// that the log has lost records that were signed.
    case recovered = "RECOVERED"
    /// The denials of one principal reached the limit per minute. Further commands of the principal
    /// in that minute are rejected and not recorded.
    case denialsSuppressed = "DENIALS_SUPPRESSED"
    /// Records were exported as a bundle.
    case export = "EXPORT"
    /// The keys of a person were destroyed, which makes the person's values in the logs unreadable.
    case erasure = "ERASURE"
    /// Records older than the retention period were removed.
    case retentionCut = "RETENTION_CUT"
}

/// The method by which a lock was operated.
public enum EventMethod: String, CaseIterable, Codable, Sendable {
    /// The thumb turn, from inside.
    case manual = "MANUAL"
    /// A code entered at the lock.
    case keypad = "KEYPAD"
    /// A metal key.
    case key = "KEY"
    /// A button on the lock or beside the door.
    case button = "BUTTON"
    /// The lock operated by itself, for example by its auto-relock.
    case auto = "AUTO"
    /// A card or tag held to the lock.
    case rfid = "RFID"
    /// A finger on the lock's fingerprint reader. The gateway never receives the fingerprint.
    case fingerprint = "FINGERPRINT"
    /// A radio remote control of the lock's manufacturer.
    case fob = "FOB"
    /// An app that communicates with the lock without the gateway.
    case app = "APP"
    /// A timer in the lock or its bridge.
    case schedule = "SCHEDULE"
    /// A command over the network, including the gateway's own.
    case remote = "REMOTE"
    /// The lock does not report how it was operated.
    case unknown = "UNKNOWN"
}
