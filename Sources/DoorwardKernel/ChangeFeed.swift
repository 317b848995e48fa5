import DequeModule
package import DoorwardDomain
package import DoorwardPolicy
import Synchronization

/// An object that has changed. Its current value is read from its source: the directory, the device runtime or the store.
package enum ChangedObject: Hashable, Sendable {
    /// The portfolio's own fields changed.
    case portfolio(PortfolioID)
    /// The property's own fields, or its portfolio, changed.
    case property(PropertyID)
    /// The unit's own fields, or its list of common areas, changed.
    case unit(UnitID)
    /// The device was changed in the tenancy, or removed from it.
    case device(DeviceID)
    /// The lock's state, battery or availability changed.
    case deviceStatus(DeviceID)
    /// The user's own fields changed.
    case user(UserID)
    /// The access changed, or its window began or ended.
    case guestAccess(GuestAccessID)
    /// The user's permissions changed, by a change of the tenancy or because a window began or ended.
    case permissions(of: UserID)
    /// Records were appended to the log.
    case log(LogID)
    /// The command was accepted or changed its state. The user is the actor, or created the API key that is; `nil` for others.
    case command(CommandID, by: UserID?)

    /// A guest access, and the permissions of its guest.
    static func objects(of id: GuestAccessID, in directory: TenancyDirectory) -> [ChangedObject] {
        [.guestAccess(id)] + (directory.guestAccess(id)?.guestUserID.map { [.permissions(of: $0)] } ?? [])
    }
}

/// A position in a `ChangeFeed`. Positions of different feeds, and so of different runs of the gateway, are not comparable.
package struct FeedPosition: Hashable, Comparable, Sendable {
    fileprivate let number: UInt64

    /// Compares positions of one feed: the earlier position is smaller.
    package static func < (a: Self, b: Self) -> Bool { a.number < b.number }
}

/// The changes in the gateway, in order. Each change is kept for at least `retention`, unless more
/// than `maxObjects` objects changed. The sequence starts when a reader first requests a position.
///
/// An object is listed once, at its latest change: readers need its current value, not the intermediate ones. The size of the
/// feed is therefore bounded by the number of *different* objects that changed, regardless of how often they change.
///
/// Four sources append to the feed: `CurrentDirectory`, `DeviceRuntime`, `StoreGuard`, and
/// `WindowTimer` for windows that begin or end. They append a change only after it has taken
/// effect: a reader that has a position can read the new values of all changes up to it.
package final class ChangeFeed: Sendable {
    /// The changes after a position.
    package struct Changes: Sendable {
        /// The changed objects in the order of their latest change, without duplicates.
        package let objects: [ChangedObject]
        /// The position from which to continue.
        package let position: FeedPosition
    }

    /// How long a change is kept, unless there are more than `maxObjects`.
    package static let retention = Duration.seconds(600)
    /// The maximum number of different objects kept, about 100 bytes each.
    package static let maxObjects = 262_144

    fileprivate struct Entry {
        let number: UInt64
        let object: ChangedObject
        let appendedAt: MonotonicInstant
    }

    fileprivate struct State {
        /// The entries in ascending order of their numbers; includes entries that a later entry for the same object has replaced.
        var entries = Deque<Entry>()
        /// The number of the latest entry for each object.
        var latest: [ChangedObject: UInt64] = [:]
        var last: UInt64 = 0
        /// All changes after this number are still known.
        var oldestKnown: UInt64 = 0
        /// Whether a position was ever requested. Until then there is no position to continue from, and no change is kept.
        var isRead = false
        /// The next change fulfils it; `nil` if no task waits for a change.
        var next: Promise<Void>?
    }

    private let clock: any GatewayClock
    private let retention: Duration
    private let maxObjects: Int
    private let state = Mutex(State())

    package init(clock: any GatewayClock, retention: Duration = ChangeFeed.retention, maxObjects: Int = ChangeFeed.maxObjects) {
        (self.clock, self.retention, self.maxObjects) = (clock, retention, maxObjects)
    }

    /// The position after the latest change.
    package var position: FeedPosition {
        state.withLock { state in
            state.isRead = true
            return FeedPosition(number: state.last)
        }
    }

    /// The number of entries in memory, including replaced ones.
    var entryCount: Int { state.withLock { $0.entries.count } }

    // MARK: Appending

    /// Announces the change of one object.
    package func append(_ object: ChangedObject) { append(CollectionOfOne(object)) }

    /// Announces changes, in this order.
    package func append(_ objects: some Collection<ChangedObject>) {
        guard !objects.isEmpty else { return }
        let now = clock.monotonicNow()
        let next = state.withLock { state in
            for object in objects { state.append(object, at: now) }
            state.trim(before: now.advanced(by: .zero - retention), maxObjects: maxObjects)
            return state.next.take()
        }
        next?.fulfil(())
    }

    /// Discards all changes, because any object may have changed. Reading from an earlier position then returns `nil`.
    package func invalidate() {
        let next = state.withLock { state in
            state.last += 1
            (state.oldestKnown, state.entries, state.latest) = (state.last, [], [:])
            return state.next.take()
        }
        next?.fulfil(())
    }

    // MARK: Reading

    /// The changes after a position.
    ///
    /// - Returns: `nil` if some of them are no longer known: the reader must then reload everything.
    package func changes(after position: FeedPosition, limit: Int = 1_000) -> Changes? {
        state.withLock { $0.changes(after: position.number, limit: limit) }
    }

    /// Like `changes`, but waits until there is at least one.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    package func nextChanges(after position: FeedPosition, limit: Int = 1_000) async throws -> Changes? {
        while true {
            let (changes, next) = state.withLock { state -> (Changes?, Promise<Void>?) in
                let changes = state.changes(after: position.number, limit: limit)
                guard changes?.objects.isEmpty == true else { return (changes, nil) }
                let next = state.next ?? Promise()
                state.next = next
                return (nil, next)
            }
            guard let next else { return changes }
            await withTaskCancellationHandler {
                await next.value
            } onCancel: {
                // This resumes every waiting task; a task that was not cancelled finds no change, and waits again.
                state.withLock { $0.next.take() }?.fulfil(())
            }
            try Task.checkCancellation()
        }
    }
}

extension ChangeFeed.State {
    fileprivate mutating func append(_ object: ChangedObject, at now: MonotonicInstant) {
        last += 1
        guard isRead else {
            oldestKnown = last
            return
        }
        latest[object] = last
        entries.append(ChangeFeed.Entry(number: last, object: object, appendedAt: now))
    }

    /// Removes entries that are too old or exceed `maxObjects`, and replaced entries.
    fileprivate mutating func trim(before oldest: MonotonicInstant, maxObjects: Int) {
        while let first = entries.first {
            let isLatest = latest[first.object] == first.number
            guard !isLatest || first.appendedAt < oldest || latest.count > maxObjects else { break }
            entries.removeFirst()
            guard isLatest else { continue }
            latest[first.object] = nil
            oldestKnown = first.number
        }
        // Also remove replaced entries that are not at the front once they outnumber the objects.
        if entries.count > 2 * latest.count + 64 { entries.removeAll { latest[$0.object] != $0.number } }
    }

    fileprivate func changes(after number: UInt64, limit: Int) -> ChangeFeed.Changes? {
        guard number >= oldestKnown, number <= last else { return nil }
        var objects: [ChangedObject] = []
        var index = firstIndex(after: number)
        while index < entries.count {
            let entry = entries[index]
            if latest[entry.object] == entry.number {
                if objects.count == limit { break }
                objects.append(entry.object)
            }
            index += 1
        }
        let position = index < entries.count ? entries[index].number - 1 : last
        return ChangeFeed.Changes(objects: objects, position: FeedPosition(number: position))
    }

    private func firstIndex(after number: UInt64) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].number <= number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension TenancyChange {
    /// The objects that the change affects; `before` is the directory before the change. The result does not include permissions
    /// that depend on an entity's position, such as those of the users with roles on a moved property: the reader derives them
    /// from the entity.
    package func objects(in before: TenancyDirectory) -> [ChangedObject] {
        switch self {
        case .putPortfolio(let portfolio): return [.portfolio(portfolio.id)]
        case .removePortfolio(let id): return [.portfolio(id)]
        case .putProperty(let property):
            let former = before.property(property.id)
            let parents = former?.portfolioID == property.portfolioID ? [] : [former?.portfolioID, property.portfolioID]
            let changed = [.property(property.id)] + parents.compactMap { $0.map(ChangedObject.portfolio) }
            guard former?.defaultTimeZone != property.defaultTimeZone else { return changed }
            // Schedules without a zone of their own follow the zone of the property.
            let followers = before.guestAccessIDs(followingZoneOf: property.id).compactMap(before.guestAccess)
            return changed + followers.flatMap { ChangedObject.objects(of: $0.id, in: before) }
        case .removeProperty(let id):
            return [.property(id)] + (before.property(id).map { [.portfolio($0.portfolioID)] } ?? [])
        case .putUnit(let unit): return Self.objects(of: unit.id, from: before.unit(unit.id), to: unit)
        case .removeUnit(let id): return Self.objects(of: id, from: before.unit(id), to: nil)
        case .putDevice(let device): return Self.objects(of: device.id, from: before.device(device.id), to: device)
        case .removeDevice(let id): return Self.objects(of: id, from: before.device(id), to: nil)
        case .putUser(let user):
            // Guest accesses contain the name and the address of their guest.
            let former = before.user(user.id)
            let isShownAlike = former.map { $0.fullName == user.fullName && $0.email == user.email } ?? true
            return [.user(user.id), .permissions(of: user.id)]
                + (isShownAlike ? [] : before.guestAccesses(of: user.id).map { .guestAccess($0.id) })
        case .removeUser(let id): return [.user(id), .permissions(of: id)]
        case .putAssociation(let association):
            let former = before.association(association.id).map { Self.holders(of: $0, in: before) } ?? []
            let present = ChangedObject.permissions(of: association.userID)
            return (former.contains(present) ? former : former + [present]) + [Self.object(of: association.entity)]
        case .removeAssociation(let id):
            return before.association(id).map { Self.holders(of: $0, in: before) + [Self.object(of: $0.entity)] } ?? []
        case .putGuestAccess(let access):
            let former = before.guestAccess(access.id)?.guestUserID
            return [.guestAccess(access.id)]
                + Set([former, access.guestUserID].compactMap(\.self)).sorted().map { .permissions(of: $0) }
        case .removeGuestAccess(let id): return ChangedObject.objects(of: id, in: before)
        case .putGuestLink(let link): return [.guestAccess(link.accessID)]
        case .removeGuestLink(let id): return [.guestAccess(id)]
        case .putAPIKey, .removeAPIKey, .putInvitation, .removeInvitation: return []
        }
    }

    /// The entity, whose lists of people contain the holder of a role on it.
    private static func object(of entity: AssociatedEntity) -> ChangedObject {
        switch entity {
        case .portfolio(let id): .portfolio(id)
        case .property(let id): .property(id)
        case .unit(let id): .unit(id)
        }
    }

    /// The device, and the units and properties that it leaves or enters.
    private static func objects(of id: DeviceID, from former: LockDevice?, to device: LockDevice?) -> [ChangedObject] {
        var objects: [ChangedObject] = [.device(id)]
        if former?.unitID != device?.unitID { objects += [former?.unitID, device?.unitID].compactMap { $0.map { .unit($0) } } }
        if former?.propertyID != device?.propertyID {
            objects += [former?.propertyID, device?.propertyID].compactMap { $0.map { .property($0) } }
        }
        return objects
    }

    /// The unit, its property if the unit is added or removed, and the devices that become a common area of the unit or cease to be
    /// one.
    private static func objects(of id: UnitID, from former: Unit?, to unit: Unit?) -> [ChangedObject] {
        let parents = former?.propertyID == unit?.propertyID ? [] : [former?.propertyID, unit?.propertyID]
        let shared = Set(former?.commonAreaAccessIDs ?? []).symmetricDifference(unit?.commonAreaAccessIDs ?? [])
        return [.unit(id)] + parents.compactMap { $0.map { .property($0) } } + shared.sorted().map { .device($0) }
    }

    /// The user who holds the association, and the guests whose access depends on the association.
    private static func holders(of association: UserRoleAssociation, in directory: TenancyDirectory) -> [ChangedObject] {
        let carried = directory.guestAccesses(carriedBy: association)
        return [.permissions(of: association.userID)] + carried.flatMap { ChangedObject.objects(of: $0.id, in: directory) }
    }
}
