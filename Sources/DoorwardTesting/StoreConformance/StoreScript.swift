package import DoorwardControl
package import DoorwardDomain

/// Builds transactions for tests of a store, in a small tenancy with two portfolios. A transaction
/// contains a command with the record of its intent or outcome, or single records.
package struct StoreScript: Sendable {
    /// The tenancy of the script. A test can add entities before it commits `tenancy`.
    package var fixture: TenancyFixture
    /// The portfolio whose log contains nearly all records of the script.
    package let portfolio: PortfolioID
    /// The only property of `portfolio`.
    package let property: PropertyID
    /// The only unit of `property`.
    package let unit: UnitID
    /// A lock that is assigned to `unit`.
    package let door: DeviceID
    /// A lock that is assigned to `property`.
    package let gate: DeviceID
    /// The actor of all commands. It has no role, because a store checks no permissions.
    package let user: UserID
    /// A portfolio for records that must not appear in the log of `portfolio`.
    package let otherPortfolio: PortfolioID
    /// The only property of `otherPortfolio`; it has no unit.
    package let otherProperty: PropertyID
    /// A lock that is assigned to `otherProperty`.
    package let otherDoor: DeviceID
    /// The time of the next record or command.
    package var now: Timestamp

    /// Creates the entities of the script. The same seed gives the same ids; scripts with different seeds share no id.
    package init(seed: UInt64) {
        var fixture = TenancyFixture(seed: seed)
        portfolio = fixture.portfolio("Oak Street")
        property = fixture.property("No. 5", in: portfolio)
        unit = fixture.unit("2B", in: property)
        door = fixture.device("Flat door", in: .unit(unit))
        gate = fixture.device("Gate", in: .property(property))
        user = fixture.user("Ada", lastName: "Lovelace")
        otherPortfolio = fixture.portfolio("Elm Street")
        otherProperty = fixture.property("No. 7", in: otherPortfolio)
        otherDoor = fixture.device("Front door", in: .property(otherProperty))
        now = fixture.createdAt
        self.fixture = fixture
    }

    /// The transaction that creates the tenancy.
    package var tenancy: StoreTransaction { StoreTransaction(changes: fixture.changes) }

    /// `user` as an actor, with a name that the store must encrypt.
    package var actor: RecordActor { RecordActor(kind: .user, id: user.description, name: "Ada Lovelace", userID: user) }

    /// Returns a snapshot of a device with its current position. The snapshot of a device that the
    /// script did not create has no position.
    package func snapshot(_ device: DeviceID) -> DeviceSnapshot {
        fixture.device(device).map { DeviceSnapshot($0) } ?? DeviceSnapshot(deviceID: device)
    }

    /// The log of `portfolio`.
    package var log: LogID { .portfolio(portfolio) }

    /// Returns the log of a device's portfolio; the gateway's log for a device without a portfolio.
    package func log(of device: DeviceID) -> LogID { snapshot(device).log }

    // MARK: Commands

    /// Returns a new unlock command by `user`, or by another actor, with a deadline ten seconds
    /// later. The command is not written.
    package mutating func command(on device: DeviceID, by other: RecordActor? = nil, reason: String? = nil) -> Command {
        Command(
            id: fixture.id(), deviceID: device, operation: .unlock, actor: other ?? actor, source: .api, reason: reason,
            rule: .association(fixture.id(), .tenant), requestedAt: now, deadline: now.advanced(by: .seconds(10)))
    }

    /// Returns a transaction that begins the command, with the record of its intent.
    package mutating func begin(_ command: Command) -> StoreTransaction {
        StoreTransaction(commands: [.begin(command, intent: 0)], records: [PendingRecord(intent(of: command))])
    }

    /// Returns the record of the command's intent. Each call returns a new record id.
    package mutating func intent(of command: Command) -> RecordBody {
        RecordBody(
            log: log(of: command.deviceID), id: fixture.id(), at: now, kind: .commandIntent, actor: command.actor,
            source: command.source, operation: command.operation, decision: .allowed, rule: command.rule,
            device: snapshot(command.deviceID), commandID: command.id, statedReason: command.reason, override: command.override)
    }

    /// Returns the command in its state after the lock has confirmed it.
    package func confirmed(_ command: Command) -> Command {
        var ended = command
        (ended.state, ended.sent, ended.changed) = (.confirmed, true, true)
        (ended.stateBefore, ended.stateAfter) = (.locked, .unlocked)
        (ended.dispatchedAt, ended.completedAt) = (now, now.advanced(by: .milliseconds(40)))
        return ended
    }

    /// Returns a transaction that ends the command, with the record of its outcome.
    package mutating func end(_ command: Command) -> StoreTransaction {
        let outcome = RecordBody(
            log: log(of: command.deviceID), id: fixture.id(), at: now, kind: .commandOutcome, actor: command.actor,
            source: command.source, operation: command.operation, rule: command.rule, device: snapshot(command.deviceID),
            commandID: command.id, outcome: command.state, stateBefore: command.stateBefore, stateAfter: command.stateAfter,
            latencyMs: 40)
        return StoreTransaction(commands: [.end(command)], records: [PendingRecord(outcome)])
    }

    // MARK: Records

    /// Returns a record of a lock's report, in the log of the device's portfolio or in another log, by the lock or by another actor.
    package mutating func event(on device: DeviceID, log: LogID? = nil, by actor: RecordActor? = nil) -> RecordBody {
        RecordBody(
            log: log ?? self.log(of: device), id: fixture.id(), at: now, kind: .deviceEvent,
            actor: actor ?? RecordActor(kind: .device, id: device.description), source: .device, device: snapshot(device),
            event: .locked,
            method: .manual)
    }

    /// Returns a record of the gateway's own start.
    package mutating func gatewayEvent() -> RecordBody {
        RecordBody(log: .gateway, id: fixture.id(), at: now, kind: .gateway, actor: .gateway, source: .gateway, event: .start)
    }

    // MARK: Sign-in

    /// Returns a session of `user`, or of another user, that expires an hour after `now`. The test must add the session's tokens.
    package mutating func session(of other: UserID? = nil) -> Session {
        Session(id: fixture.id(), userID: other ?? user, createdAt: now, expiresAt: now.advanced(by: .seconds(3600)))
    }
}

extension RecordScope {
    /// The records of a unit at all instants.
    package static func unit(_ id: UnitID, in portfolio: PortfolioID) -> Self {
        .unit(id, in: portfolio, from: Timestamp(milliseconds: .min))
    }
}
