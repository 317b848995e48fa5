import DequeModule
package import DoorwardDomain
internal import DoorwardPolicy
import Synchronization

/// Something that has changed. Its present value is read where it is kept: in the directory, from the device, or from the store.
package enum ChangedObject: Hashable, Sendable {
    /// The portfolio's own fields, as with the three entities below.
    case portfolio(PortfolioID)
    /// A property, or the portfolio that it belongs to.
    case property(PropertyID)
    /// A unit, or its list of common areas.
    case unit(UnitID)
    /// The device as the tenancy has it, its removal included.
    case device(DeviceID)
    /// The state of the lock, its battery, its availability.
    case deviceStatus(DeviceID)
    /// The user's own fields.
    case user(UserID)
    /// The access itself, or that its window has begun or ended.
    case guestAccess(GuestAccessID)
    /// What the user may do, by a change of the tenancy or because a window began or ended.
    case permissions(of: UserID)
    /// New records stand in the log.
    case log(LogID)
    /// A command for the device was accepted, or has a new state.
    case commands(for: DeviceID)
}

/// A position in a `ChangeFeed`. Positions of two feeds, and so of two runs of the gateway, cannot be compared.
package struct FeedPosition: Hashable, Comparable, Sendable {
    fileprivate let number: UInt64

    /// Of one feed: the earlier position is the lesser.
    package static func < (a: Self, b: Self) -> Bool { a.number < b.number }
}

/// What has changed in the gateway, in one sequence, for at least ten minutes, from when a reader first asks for a position.
///
/// An object is listed once, at its latest change: readers need its present value, not each value between. So the feed is as long as the
/// number of *different* objects that changed, at whatever rate they do.
///
/// It is appended to in three places (`PublishedDirectory`, `LiveDevice`, `Ledger`), and by `WindowTimer` for what the clock changes;
/// always after the change is in force, so that a reader that knows of a position can read everything up to it.
package final class ChangeFeed: Sendable {
    /// Changes that follow a position.
    package struct Changes: Sendable {
        /// In the order of their latest change, each once.
        package let objects: [ChangedObject]
        /// Where to read on.
        package let position: FeedPosition
    }

    /// How long a change is kept, unless there are more than `maxObjects`.
    package static let retention = Duration.seconds(600)
    /// Different objects that are kept, about 100 bytes each.
    package static let maxObjects = 262_144

    fileprivate struct Entry {
        let number: UInt64
        let object: ChangedObject
        let appendedAt: MonotonicInstant
    }

    fileprivate struct State {
        /// Ascending; entries that a later one of the same object has replaced are still among them.
        var entries = Deque<Entry>()
        /// The latest entry of each object.
        var latest: [ChangedObject: UInt64] = [:]
        var last: UInt64 = 0
        /// Everything after this number is known.
        var floor: UInt64 = 0
        /// Whether anybody has asked for a position. Before that nobody can read on from one, and no change is kept.
        var isRead = false
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var waiterCount: UInt64 = 0
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

    /// The number of entries in memory, replaced ones included.
    var entryCount: Int { state.withLock { $0.entries.count } }

    // MARK: Appending

    func append(_ object: ChangedObject) { append(CollectionOfOne(object)) }

    func append(_ objects: some Collection<ChangedObject>) {
        guard !objects.isEmpty else { return }
        let now = clock.monotonicNow()
        let waiters = state.withLock { state in
            for object in objects { state.append(object, at: now) }
            state.trim(before: now.advanced(by: .zero - retention), maxObjects: maxObjects)
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Anything may have changed: no earlier position can be resumed.
    func invalidate() {
        let waiters = state.withLock { state in
            state.last += 1
            (state.floor, state.entries, state.latest) = (state.last, [], [:])
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    // MARK: Reading

    /// The changes after a position.
    ///
    /// - Returns: `nil` when some of them are no longer known: the reader has to read everything anew.
    package func changes(after position: FeedPosition, limit: Int = 1_000) -> Changes? {
        state.withLock { $0.changes(after: position.number, limit: limit) }
    }

    /// The same, and waits until there is at least one.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    package func nextChanges(after position: FeedPosition, limit: Int = 1_000) async throws -> Changes? {
        while true {
            let (isOver, changes) = state.withLock { state -> (Bool, Changes?) in
                let changes = state.changes(after: position.number, limit: limit)
                return (changes.map { !$0.objects.isEmpty } ?? true, changes)
            }
            if isOver { return changes }
            try await waitForChange(after: position)
        }
    }

    private func waitForChange(after position: FeedPosition) async throws {
        let ticket = state.withLock { state in
            state.waiterCount += 1
            return state.waiterCount
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                // The change or the cancellation may have come before there was a continuation to resume.
                let isOver = state.withLock { state in
                    let isOver = state.last != position.number || Task.isCancelled
                    if !isOver { state.waiters[ticket] = continuation }
                    return isOver
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: ticket) }?.resume()
        }
        try Task.checkCancellation()
    }
}

extension ChangeFeed.State {
    fileprivate mutating func append(_ object: ChangedObject, at now: MonotonicInstant) {
        last += 1
        guard isRead else {
            floor = last
            return
        }
        latest[object] = last
        entries.append(ChangeFeed.Entry(number: last, object: object, appendedAt: now))
    }

    /// Drops what is too old or too much, and replaced entries.
    fileprivate mutating func trim(before oldest: MonotonicInstant, maxObjects: Int) {
        while let first = entries.first {
            let isLatest = latest[first.object] == first.number
            guard !isLatest || first.appendedAt < oldest || latest.count > maxObjects else { break }
            entries.removeFirst()
            guard isLatest else { continue }
            latest[first.object] = nil
            floor = first.number
        }
        // Replaced entries behind a first one that is not: at most as many as there are objects.
        if entries.count > 2 * latest.count + 64 { entries.removeAll { latest[$0.object] != $0.number } }
    }

    fileprivate mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
        guard !waiters.isEmpty else { return [] }
        defer { waiters = [:] }
        return Array(waiters.values)
    }

    fileprivate func changes(after number: UInt64, limit: Int) -> ChangeFeed.Changes? {
        guard number >= floor, number <= last else { return nil }
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
    /// What the change concerns, given the directory before it. Whose permissions follow from a place (the people of a property that
    /// moved) is for the reader to derive from the place.
    func objects(in before: TenancyDirectory) -> [ChangedObject] {
        switch self {
        case .putPortfolio(let portfolio): return [.portfolio(portfolio.id)]
        case .putProperty(let property): return [.property(property.id)]
        case .putUnit(let unit): return [.unit(unit.id)]
        case .putDevice(let device): return [.device(device.id)]
        case .removeDevice(let id): return [.device(id)]
        case .putUser(let user): return [.user(user.id), .permissions(of: user.id)]
        case .putAssociation(let association):
            let former = before.association(association.id)
            return former.map { Self.holders(of: $0, in: before) } ?? [] + [.permissions(of: association.userID)]
        case .removeAssociation(let id):
            return before.association(id).map { Self.holders(of: $0, in: before) } ?? []
        case .putGuestAccess(let access):
            let former = before.guestAccess(access.id)?.guestUserID
            return [.guestAccess(access.id)]
                + Set([former, access.guestUserID].compactMap(\.self)).sorted().map { .permissions(of: $0) }
        }
    }

    /// The user who holds the association, and the guests whose access ends with it.
    private static func holders(of association: UserRoleAssociation, in directory: TenancyDirectory) -> [ChangedObject] {
        let carried = directory.guestAccesses(carriedBy: association)
        return [.permissions(of: association.userID)]
            + carried.flatMap { access in
                [.guestAccess(access.id)] + (access.guestUserID.map { [.permissions(of: $0)] } ?? [])
            }
    }
}
