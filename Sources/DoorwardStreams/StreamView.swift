internal import DoorwardDomain
internal import DoorwardKernel
internal import DoorwardPolicy
import Synchronization

/// The view of one caller at one instant: a version of the directory, the caller's rights in it, and the time.
///
/// It selects the objects of a query by the same functions as the lists of the API, and renders them as its responses contain them.
struct StreamView: Sendable {
    /// The version of the directory.
    let snapshot: CurrentDirectory.Snapshot
    /// The caller in this version.
    let subject: Subject
    /// The time of decisions.
    let now: DecisionTime
    private let wall: Timestamp
    private let devices: any DeviceStatuses

    var tenancy: TenancyDirectory { _read { yield snapshot.directory } }

    init(_ caller: Caller, in snapshot: CurrentDirectory.Snapshot, devices: any DeviceStatuses, clock: TrustedClock) {
        (self.snapshot, self.devices) = (snapshot, devices)
        (now, wall) = (clock.decisionTime(), clock.now())
        subject = snapshot.directory.subject(of: caller.principal, at: now)
    }

    /// The abilities of the caller, rendered. All streams of a user share one result for each version of the directory.
    ///
    /// Those of a user with guest access are not shared: they depend on the time, and on the uses that are left, too.
    func renderedAbilities(_ render: (Abilities) -> [UInt8]) -> [UInt8] {
        func rendered() -> [UInt8] {
            render(
                Abilities(
                    rules: SecurityService.abilityRules(of: subject, at: now, in: tenancy),
                    nextChangeAt: SecurityService.nextAbilityChange(of: subject, after: now, in: tenancy)))
        }
        guard subject.seesByRolesAlone, let user = subject.userID else { return rendered() }
        return snapshot.abilities.value(of: user, rendered)
    }
}

/// An item that is read from the store.
enum StoredItem: Sendable {
    /// A command of the caller.
    case command(StoredCommand)
    /// An access record.
    case record(AccessRecord)
}

/// Selects and renders the objects of queries. `StreamView` itself does this for the items that are read from the store.
protocol StreamSource {
    /// The objects of a query, in the order of their ids.
    func members(of query: StreamQuery) -> [StreamObject]
    /// Whether an object is one of the query.
    func contains(_ object: StreamObject, in query: StreamQuery) -> Bool
    /// The value in JSON of an object that a query contains.
    func rendered(_ object: StreamObject) -> [UInt8]
}

extension StreamView: StreamSource {
    func members(of query: StreamQuery) -> [StreamObject] {
        let candidates: [StreamObject] =
            switch query {
            case .devices:
                SecurityService.visibleDeviceIDs(for: subject, at: now, in: tenancy).map { StreamObject(.device, $0) }
            case .units: SecurityService.visibleUnitIDs(for: subject, in: tenancy).map { StreamObject(.unit, $0) }
            case .properties: SecurityService.visiblePropertyIDs(for: subject, in: tenancy).map { StreamObject(.property, $0) }
            case .portfolios: SecurityService.visiblePortfolioIDs(for: subject, in: tenancy).map { StreamObject(.portfolio, $0) }
            case .guestAccesses: tenancy.readableGuestAccesses(by: subject).map { StreamObject(.guestAccess, $0.id) }
            case .subscriptions:
                SecurityService.visiblePortfolioIDs(for: subject, in: tenancy).map { StreamObject(.subscription, $0) }
            case .permissions: [.permissions]
            case .accessRecords, .commands: []
            }
        return candidates.filter { contains($0, in: query) }
    }

    func contains(_ object: StreamObject, in query: StreamQuery) -> Bool {
        guard object.type == query.type, subject.isEnabled else { return false }
        switch query {
        case .devices(let filter, let search): return contains(object.id(), filter, search)
        case .units(let parent, let search):
            guard let unit = tenancy.unit(object.id()), parent.map({ unit.propertyID == $0 }) ?? true else { return false }
            return allows(.unitRead, on: .unit(unit.id)) && search?.matches(unit.name) != false
        case .properties(let parent, let search):
            guard let property = tenancy.property(object.id()), allows(.propertyRead, on: .property(property.id)) else {
                return false
            }
            let filter: ParentFilter<Portfolio> = parent.map { .query($0) } ?? .any
            let passes = filter.passes(property.portfolioID) {
                sees("portfolioId", of: .property, .property(property.id))
            }
            return passes && search?.matches(property.name) != false
        case .portfolios(let search):
            guard let portfolio = tenancy.portfolio(object.id()) else { return false }
            return allows(.portfolioRead, on: .portfolio(portfolio.id)) && search?.matches(portfolio.name) != false
        case .guestAccesses(let filter, let search): return contains(object.id(), filter, search)
        case .subscriptions(let named):
            let id: PortfolioID = object.id()
            return tenancy.portfolio(id) != nil && named.map { $0 == id } != false
                && allows(.subscriptionRead, on: .portfolio(id))
        case .permissions: return subject.userID != nil
        case .accessRecords, .commands: return false
        }
    }

    private func contains(_ id: DeviceID, _ filter: DeviceFilter, _ search: NameSearch?) -> Bool {
        guard SecurityService.decide(subject, .viewStatus, on: id, at: now, override: false, in: tenancy).isAllowed,
            let device = tenancy.device(id)
        else { return false }
        return filter.passes(device, status: devices.status(of: id)) { sees($0, of: .device, .device(id)) }
            && search?.matches(device.name) != false
    }

    private func contains(_ id: GuestAccessID, _ filter: GuestAccessFilter, _ search: NameSearch?) -> Bool {
        guard let access = tenancy.guestAccess(id), tenancy.lists(access, to: subject),
            filter.passes(access, at: wall, isLinked: { tenancy.hasLink(access, shownTo: subject, at: wall) })
        else { return false }
        return search.map { search in access.label.map(search.matches) ?? false } ?? true
    }

    private func allows(_ permission: ManagementPermission, on object: ManagedObject) -> Bool {
        SecurityService.allows(subject, permission, on: object, in: tenancy).isAllowed
    }

    private func sees(_ field: String, of kind: FieldTable.Kind, _ object: FieldObject) -> Bool {
        let level = SecurityService.fieldLevel(of: subject, for: object, at: now, in: tenancy)
        return FieldTable.sees(field, of: kind, at: level ?? .publicLevel)
    }

    /// Whether the caller may now read an item under a query.
    func contains(_ item: StoredItem, in query: StreamQuery) -> Bool {
        switch item {
        case .command(let command): contains(command, in: query)
        case .record(let record): contains(record, in: query)
        }
    }

    /// Whether the caller may now read a record under a query.
    func contains(_ record: AccessRecord, in query: StreamQuery) -> Bool {
        guard case .accessRecords(let filter?) = query, subject.isEnabled, filter.passes(record.body) else { return false }
        return tenancy.recordScopes(of: subject, filteredBy: filter).contains { $0.covers(record.body) }
    }

    /// Whether a command is the caller's own, and one of the query.
    func contains(_ stored: StoredCommand, in query: StreamQuery) -> Bool {
        guard case .commands(let device) = query, subject.isEnabled else { return false }
        return subject.isActor(stored.command.actor) && device.map { $0 == stored.command.deviceID } ?? true
    }

    /// Renders with the fields that the caller sees.
    private var renderer: ProjectedRenderer { ProjectedRenderer(subject, in: snapshot, at: now, devices: devices) }

    func rendered(_ item: StoredItem) -> [UInt8] {
        var writer = JSONWriter()
        switch item {
        case .command(let command): renderer.command(command, into: &writer)
        case .record(let record): renderer.record(record, into: &writer)
        }
        return writer.bytes
    }

    func rendered(_ object: StreamObject) -> [UInt8] {
        var writer = JSONWriter()
        write(object, into: &writer)
        return writer.bytes
    }

    private func write(_ object: StreamObject, into writer: inout JSONWriter) {
        switch object.type {
        case .device:
            if let device = tenancy.device(object.id()) { return renderer.device(device, into: &writer) }
        case .unit:
            if let unit = tenancy.unit(object.id()) { return renderer.unit(unit, into: &writer) }
        case .property:
            if let property = tenancy.property(object.id()) { return renderer.property(property, into: &writer) }
        case .portfolio:
            if let portfolio = tenancy.portfolio(object.id()) { return renderer.portfolio(portfolio, into: &writer) }
        case .guestAccess:
            if let access = tenancy.guestAccess(object.id()) { return renderer.guestAccess(access, into: &writer) }
        case .subscription:
            if let portfolio = tenancy.portfolio(object.id()) {
                return writer.object { writer in
                    writer.field("portfolioId", portfolio.id)
                    tenancy.subscription(of: portfolio, at: wall).writeFields(into: &writer)
                }
            }
        case .permissions:
            return writer.rendered(
                renderedAbilities { abilities in
                    var writer = JSONWriter()
                    writer.object { abilities.writeFields(tag: abilities.tag, into: &$0) }
                    return writer.bytes
                })
        case .accessRecord, .command: break
        }
        // Only an object that the view contains is rendered, and the view does not change.
        writer.null()
    }
}
