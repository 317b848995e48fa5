package import DoorwardControl
package import DoorwardDomain

extension StoreTransaction {
    /// Adds the preconditions, counters, commands and records of another transaction behind those that there are.
    package mutating func append(_ other: StoreTransaction) {
        let count = records.count
        requires += other.requires
        counters += other.counters
        commands += other.commands.map { change in
            if case .begin(let command, let intent, let owner) = change {
                .begin(command, intent: intent + count, owner: owner)
            } else {
                change
            }
        }
        records += other.records
    }
}

/// Transactions for tests of a store: commands with the records of their intents and outcomes, and single records, in a
/// small tenancy with two portfolios.
package struct StoreScript: Sendable {
    /// Everything that the script is made of; more can be said in it before `tenancy` is written.
    package var world: World
    /// The one whose log nearly all of the script's records stand in.
    package let portfolio: PortfolioID
    /// The only one of `portfolio`.
    package let property: PropertyID
    /// The only one of `property`.
    package let unit: UnitID
    /// Hangs on `unit`.
    package let door: DeviceID
    /// Hangs on `property`.
    package let gate: DeviceID
    /// Gives every command, and holds no role: a store asks for no right.
    package let user: UserID
    /// For what must not show in the log of `portfolio`.
    package let otherPortfolio: PortfolioID
    /// The only one of `otherPortfolio`; it has no unit.
    package let otherProperty: PropertyID
    /// Hangs on `otherProperty`.
    package let otherDoor: DeviceID
    /// What the next record or command is dated.
    package var now: Timestamp

    /// The same seed gives the same ids; scripts of different seeds share none.
    package init(seed: UInt64) {
        var world = World(seed: seed)
        portfolio = world.portfolio("Oak Street")
        property = world.property("No. 5", in: portfolio)
        unit = world.unit("2B", in: property)
        door = world.device("Flat door", in: .unit(unit))
        gate = world.device("Gate", in: .property(property))
        user = world.user("Ada", lastName: "Lovelace")
        otherPortfolio = world.portfolio("Elm Street")
        otherProperty = world.property("No. 7", in: otherPortfolio)
        otherDoor = world.device("Front door", in: .property(otherProperty))
        now = world.createdAt
        self.world = world
    }

    /// The tenancy.
    package var tenancy: StoreTransaction { StoreTransaction(changes: world.changes) }

    /// `user`, with a name for the store to seal.
    package var actor: Actor { Actor(kind: .user, id: user.description, name: "Ada Lovelace", userID: user) }

    /// Where a device hangs now; nowhere if this script did not make it.
    package func stamp(_ device: DeviceID) -> DeviceStamp {
        world.device(device).map { DeviceStamp($0) } ?? DeviceStamp(deviceID: device)
    }

    /// The log of a device's portfolio, or the gateway's.
    package func log(of device: DeviceID) -> LogID { stamp(device).log }

    // MARK: Commands

    /// An unlock by `user`, or by whom else, ten seconds from its deadline, that has not begun: nothing is written of it.
    package mutating func command(on device: DeviceID, by other: Actor? = nil, reason: String? = nil) -> Command {
        Command(
            id: world.id(), deviceID: device, operation: .unlock, actor: other ?? actor, source: .api, reason: reason,
            rule: .association(world.id(), .tenant), requestedAt: now, deadline: now.advanced(by: .seconds(10)))
    }

    /// The command with the record of its intent.
    package mutating func begin(_ command: Command, owner: GatewayNumber = .single) -> StoreTransaction {
        StoreTransaction(commands: [.begin(command, intent: 0, owner: owner)], records: [PendingRecord(intent(of: command))])
    }

    /// The record that goes with `.begin`, with a new id each time.
    package mutating func intent(of command: Command) -> RecordBody {
        RecordBody(
            log: log(of: command.deviceID), id: world.id(), at: now, kind: .commandIntent, actor: command.actor,
            source: command.source, operation: command.operation, decision: .allowed, rule: command.rule,
            device: stamp(command.deviceID), commandID: command.id, statedReason: command.reason, override: command.override)
    }

    /// The command as it stands after the lock has confirmed.
    package func confirmed(_ command: Command) -> Command {
        var ended = command
        (ended.state, ended.sent, ended.changed) = (.confirmed, true, true)
        (ended.stateBefore, ended.stateAfter) = (.locked, .unlocked)
        (ended.dispatchedAt, ended.completedAt) = (now, now.advanced(by: .milliseconds(40)))
        return ended
    }

    /// The end of the command with the record of its outcome.
    package mutating func end(_ command: Command) -> StoreTransaction {
        let outcome = RecordBody(
            log: log(of: command.deviceID), id: world.id(), at: now, kind: .commandOutcome, actor: command.actor,
            source: command.source, operation: command.operation, rule: command.rule, device: stamp(command.deviceID),
            commandID: command.id, outcome: command.state, stateBefore: command.stateBefore, stateAfter: command.stateAfter,
            latencyMs: 40)
        return StoreTransaction(commands: [.end(command)], records: [PendingRecord(outcome)])
    }

    // MARK: Records

    /// What a lock reported, in the log of the device's portfolio or in another.
    package mutating func event(on device: DeviceID, log: LogID? = nil) -> RecordBody {
        RecordBody(
            log: log ?? self.log(of: device), id: world.id(), at: now, kind: .deviceEvent,
            actor: Actor(kind: .device, id: device.description), source: .device, device: stamp(device), event: .locked,
            method: .manual)
    }

    /// Something of the gateway's own life.
    package mutating func gatewayEvent() -> RecordBody {
        RecordBody(log: .gateway, id: world.id(), at: now, kind: .gateway, actor: .gateway, source: .gateway, event: .start)
    }

    // MARK: Sign-in

    /// A session of `user` that ends an hour from `now`; its tokens are up to the test.
    package mutating func session() -> Session {
        Session(id: world.id(), userID: user, createdAt: now, expiresAt: now.advanced(by: .seconds(3600)))
    }
}
