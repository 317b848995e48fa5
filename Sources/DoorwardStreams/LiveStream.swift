internal import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy
import Synchronization

/// Events that are sent together.
package struct StreamBatch: Sendable {
    /// The events, in order. No event of another batch is sent between them.
    package let events: [StreamEvent]
    /// The text of the names, to which the positions of the events are bound.
    package let namesText: String
    /// Whether the stream ends after these events.
    package let isLast: Bool
}

/// The services that all streams of a gateway share.
struct StreamServices: Sendable {
    let kernel: Kernel
    let devices: any DeviceStatuses
    let sessions: Sessions
    var clock: TrustedClock { kernel.clock }

    /// Whether the session or API key of a caller is valid, and its user enabled.
    func isValid(_ caller: Caller, in view: StreamView) -> Bool {
        guard view.subject.isEnabled else { return false }
        guard case .user(let id) = caller.principal else { return true }
        guard let session = caller.sessionID.flatMap({ sessions.session($0, at: clock.credentialNow()) }) else { return false }
        return session.userID == id
    }
}

/// One stream: the objects that its client has, those that are waiting, and those in flight.
///
/// `nextBatch` decides and renders with the directory of the moment in which it returns, and marks the batch as in flight until
/// `written`. A change of the tenancy that revokes a right waits for batches in flight that contain objects of that right.
package final class LiveStream: Sendable {
    /// The time between two `position` events.
    package static let positionInterval = Duration.seconds(15)
    /// A client that reads nothing for this time is disconnected.
    package static let stall = Duration.seconds(10)

    struct InFlight {
        let objects: [StreamObject]
        let stored: [(item: StoredItem, digest: StreamDigest)]
        /// The last time that the client read something.
        var since: MonotonicInstant
        /// Fulfilled when the events have left the gate.
        let left: Promise<Void>
    }

    struct State {
        var mirror: StreamMirror
        var follow: RecordFollow
        var dirtyCommands: Set<CommandID> = []
        /// Whether changes of commands may have been missed, so that the newest commands must be compared with those sent.
        var hasMissedCommands = false
        var isResumed: Bool
        var isOpened = false
        var ending: StreamEnd?
        var retryAfter = Duration.zero
        var hasClosed = false
        var positionDue = MonotonicInstant(nanoseconds: 0)
        var inFlight: InFlight?
        var isDisconnected = false
        var close: (@Sendable () async -> Void)?
        /// Whether the store could not be read; it is tried again at the next tick.
        var isBlocked = false
    }

    /// Identifies the stream for its caller.
    package let id: String
    /// The caller whose session or API key the stream belongs to.
    package let caller: Caller
    let number: UInt64
    let generation: UInt64
    let services: StreamServices
    let signal = Signal()
    let state: Mutex<State>

    init(
        id: String, number: UInt64, caller: Caller, mirror: StreamMirror, resumed: LogPositions?, isResumed: Bool,
        generation: UInt64, services: StreamServices
    ) {
        (self.id, self.number, self.caller, self.generation, self.services) = (id, number, caller, generation, services)
        state = Mutex(State(mirror: mirror, follow: RecordFollow(resumed: resumed), isResumed: isResumed))
    }

    var view: StreamView {
        StreamView(caller, in: services.kernel.directory.snapshot, devices: services.devices, clock: services.clock)
    }

    /// The state from which the stream can be resumed, with the text of its names.
    var mirror: StreamMirror { state.withLock { $0.mirror } }

    // MARK: - Names

    /// Adds a name, or replaces its query.
    ///
    /// - Throws: `.streamLimitReached`.
    package func subscribe(_ name: StreamName) throws(GatewayError) {
        let isAdded = state.withLock { state in
            state.follow.cursors[name.name] = nil
            return state.mirror.put(name)
        }
        guard isAdded else { throw .streamLimitReached(StreamMirror.maxNames) }
        signal.set()
    }

    /// Ends the subscription of a name.
    ///
    /// - Throws: `.notFound` if there is no such name.
    /// - Returns: the effects of a dry run, which changes nothing; otherwise `nil`.
    package func unsubscribe(_ name: String, isDryRun: Bool) throws(GatewayError) -> RemovalPreview? {
        let isFound = state.withLock { isDryRun ? $0.mirror.name(name) != nil : $0.mirror.remove(name) }
        guard isFound else { throw .notFound }
        guard !isDryRun else { return RemovalPreview(ended: [RecordTarget(type: "StreamSubscription", id: name)]) }
        signal.set()
        return nil
    }

    // MARK: - Changes

    /// Notes changes of objects, and wakes the stream if one of them concerns it.
    func markChanged(_ changes: [ChangedObject]) {
        let view = view
        let isConcerned = state.withLock { state in
            changes.reduce(false) { state.markChanged($1, view, caller) || $0 }
        }
        if isConcerned { signal.set() }
    }

    /// Notes that anything may have changed.
    func markAllChanged() {
        state.withLock { state in
            state.mirror.markStale(rightsChanged: true)
            state.follow.markAllDirty()
            state.hasMissedCommands = state.mirror.has(.command)
        }
        signal.set()
    }

    /// Ends the stream after the batch in flight.
    func end(_ reason: StreamEnd, retryAfter: Duration) {
        state.withLock { state in
            if state.ending == nil { (state.ending, state.retryAfter) = (reason, retryAfter) }
        }
        signal.set()
    }

    /// Called every second: wakes the stream if its position is due, or its session has ended.
    ///
    /// - Returns: whether the client has to be disconnected, because it does not read.
    func tick(at now: MonotonicInstant) -> Bool {
        let isValid = services.isValid(caller, in: view)
        let (isDue, isStalled) = state.withLock { state in
            let isDue = !isValid || state.positionDue <= now || state.isBlocked
            state.isBlocked = false
            let limit = state.ending == nil ? Self.stall : .seconds(1)
            return (isDue, state.inFlight.map { now.duration(since: $0.since) >= limit } ?? false)
        }
        if isDue { signal.set() }
        return isStalled
    }

    // MARK: - Sending

    /// - Parameter close: closes the connection, and returns when nothing more is sent on it.
    package func attach(close: @escaping @Sendable () async -> Void) { state.withLock { $0.close = close } }

    /// The next events, as soon as there are some; `nil` if the task was cancelled or the stream has ended.
    ///
    /// `written` must be called before the next call.
    package func nextBatch() async -> StreamBatch? {
        while !Task.isCancelled {
            if let batch = await pendingBatch() { return batch }
            if state.withLock({ $0.hasClosed || $0.isDisconnected }) { return nil }
            await signal.waitUnlessCancelled()
        }
        return nil
    }

    /// The events that can be sent now; `nil` if there are none.
    func pendingBatch() async -> StreamBatch? { take(await fetch()) }

    /// Records that the client has received a part of the batch.
    package func progress() {
        let now = services.clock.monotonicNow()
        state.withLock { $0.inFlight?.since = now }
    }

    /// Records that the whole batch was handed over to the transport, or that the connection is closed.
    package func written() {
        let inFlight = state.withLock { state in
            defer { state.inFlight = nil }
            return state.inFlight
        }
        inFlight?.left.fulfil(())
    }

    // MARK: - The gate

    /// Whether an object is in flight that the caller may no longer see, or no longer with these fields. While a client is being
    /// disconnected, the batch stays in flight until the connection is closed.
    func isOutdatedInFlight() -> Bool {
        state.withLock { state in
            guard let inFlight = state.inFlight else { return false }
            let view = view
            let names = state.mirror.activeNames.map(\.subscription.query)
            return !inFlight.objects.allSatisfy { state.mirror.isCurrent($0, view) }
                || !inFlight.stored.allSatisfy { item, digest in
                    names.contains { view.contains(item, in: $0) } && StreamDigest(view.rendered(item)) == digest
                }
        }
    }

    /// Waits until nothing is in flight that was decided before this call.
    func awaitGate() async { await state.withLock { $0.inFlight?.left }?.value }

    /// Disconnects the client. Once this returns, nothing more is sent.
    func disconnect() async {
        let close = state.withLock { state in
            defer { state.isDisconnected = true }
            return state.close
        }
        await close?()
        written()
        signal.set()
    }
}

extension LiveStream.State {
    /// The position in the logs, for the ids of events.
    var positions: LogPositions {
        follow.positions(isComplete: mirror.stored(.accessRecord) { $0 == .waiting }.isEmpty)
    }

    /// Whether another step has something to do.
    var hasWork: Bool {
        if mirror.hasWork { return true }
        guard !isBlocked else { return false }
        let isWaiting =
            !mirror.stored(.accessRecord) { $0 == .waiting || $0 == .resuming }.isEmpty
            || !mirror.stored(.command) { $0 == .waiting || $0 == .resuming }.isEmpty
        // Logs that are no longer followed count as no work, because that work would never end.
        let hasCommands = mirror.has(.command) && (hasMissedCommands || !dirtyCommands.isEmpty)
        return isWaiting || hasCommands || (!follow.dirty.isEmpty && mirror.has(.accessRecord))
    }

    /// - Returns: whether the change concerns the stream.
    fileprivate mutating func markChanged(_ change: ChangedObject, _ view: StreamView, _ caller: Caller) -> Bool {
        switch change {
        case .deviceStatus(let id): return mirror.markChanged(StreamObject(.device, id), view)
        case .log(let log): return mirror.has(.accessRecord) && follow.markDirty(log)
        case .command(let id, let user):
            guard mirror.has(.command), user != nil, user == view.subject.actorUserID else { return false }
            dirtyCommands.insert(id)
            return true
        case .permissions(let user), .user(let user):
            guard user == caller.userID || user == view.subject.actorUserID else { return markDependentsChanged(view) }
            mirror.markStale(rightsChanged: true)
            return true
        case .portfolio(let id): return markPortfolioChanged(id, view)
        case .property(let id):
            let units = mirror.has(.unit) ? view.tenancy.unitIDs(of: id) : []
            let devices = mirror.has(.device) ? view.tenancy.deviceIDs(of: id) : []
            return mark(
                StreamObject(.property, id), view,
                units.map { StreamObject(.unit, $0) } + devices.map { StreamObject(.device, $0) })
        case .unit(let id):
            let devices = mirror.has(.device) ? view.tenancy.deviceIDs(of: id) : []
            return mark(StreamObject(.unit, id), view, devices.map { StreamObject(.device, $0) })
        case .device(let id): return mark(StreamObject(.device, id), view)
        case .guestAccess(let id): return mark(StreamObject(.guestAccess, id), view)
        }
    }

    /// The modules of a portfolio decide whether its guests see locks.
    private mutating func markPortfolioChanged(_ id: PortfolioID, _ view: StreamView) -> Bool {
        if !view.subject.seesByRolesAlone {
            mirror.markStale()
            return true
        }
        var isConcerned = mirror.markChanged(StreamObject(.portfolio, id), view)
        isConcerned = mirror.markChanged(StreamObject(.subscription, id), view) || isConcerned
        return markDependentsChanged(view) || isConcerned
    }

    /// Marks an object as changed, with those of `parts` that the client has, and those that are computed from many others.
    private mutating func mark(_ object: StreamObject, _ view: StreamView, _ parts: [StreamObject] = []) -> Bool {
        var isConcerned = mirror.markChanged(object, view)
        for part in parts { isConcerned = mirror.markChangedIfSent(part) || isConcerned }
        return markDependentsChanged(view) || isConcerned
    }

    /// Marks the objects that are computed from many others as changed: the abilities, and the usage of subscriptions.
    private mutating func markDependentsChanged(_ view: StreamView) -> Bool {
        var isConcerned = mirror.markChanged(.permissions, view)
        guard mirror.has(.subscription) else { return isConcerned }
        for object in mirror.sent(.subscription) { isConcerned = mirror.markChangedIfSent(object) || isConcerned }
        return isConcerned
    }
}
