// Over 400 lines because the decisions on what is sent, what is in flight and what is waiting share one mutex.
package import DoorwardDomain
internal import DoorwardPolicy
import Synchronization

/// What is rendered for an event.
package enum StreamItem: Sendable {
    /// An object of the tenancy.
    case object(StreamObject)
    /// A command of the caller.
    case command(StoredCommand)
    /// An access record.
    case record(AccessRecord)
}

/// Events that are sent together.
package struct StreamBatch: Sendable {
    /// The events, in order. No event of another batch is sent between them.
    package let events: [StreamEvent]
    /// The text of the names, to which the positions of the events are bound.
    package let namesText: String
    /// Whether the stream ends after these events.
    package let isLast: Bool
}

/// What the streams of a gateway have in common.
struct StreamServices: Sendable {
    let directory: CurrentDirectory
    let devices: DeviceRuntimes
    let sessions: Sessions
    let store: StreamStore
    let clock: TrustedClock

    /// Whether the session or API key of a caller is valid, and its user enabled.
    func isValid(_ caller: Caller, in view: StreamView) -> Bool {
        guard view.subject.isEnabled else { return false }
        guard case .user(let id) = caller.principal else { return true }
        guard let session = caller.sessionID.flatMap({ sessions.session($0, at: clock.credentialNow()) }) else { return false }
        return session.userID == id
    }
}

/// One stream: what its client has, what is waiting for it, and what is on its way.
///
/// `nextBatch` decides and renders with the directory of the moment in which it returns, and marks the batch as in flight until
/// `written`. A change of the tenancy that takes a right away waits for batches in flight that contain what was taken.
package final class LiveStream: Sendable {
    /// Renders an item with the fields that the caller of the view sees.
    package typealias Render = @Sendable (StreamView, StreamItem) -> [UInt8]

    /// The time between two `position` events.
    package static let positionInterval = Duration.seconds(15)
    /// A client that takes nothing for this time is disconnected.
    package static let stall = Duration.seconds(10)

    fileprivate struct InFlight {
        let objects: [StreamObject]
        let stored: [(item: StreamItem, digest: StreamDigest)]
        /// The last time that the client took something.
        var since: MonotonicInstant
    }

    fileprivate struct State {
        var mirror: StreamMirror
        var follow: RecordFollow
        var dirtyCommands: Set<CommandID> = []
        var isResumed: Bool
        var isOpened = false
        var ending: StreamEnd?
        var retryAfter = Duration.zero
        var hasClosed = false
        var positionDue = MonotonicInstant(nanoseconds: 0)
        var inFlight: InFlight?
        var gateWaiters: [CheckedContinuation<Void, Never>] = []
        var isCut = false
        var cut: (@Sendable () async -> Void)?
        /// Whether the store could not be read; it is tried again at the next tick.
        var isBlocked = false
    }

    /// What was read from the store for a step.
    private struct Stored {
        var readable: Set<LogID>?
        var starts: [LogID: UInt64] = [:]
        var recordPages: [(name: String, records: [AccessRecord], next: RecordPosition?)] = []
        var records: (log: LogID, page: RecordPage)?
        var commandLists: [(name: String, commands: [StoredCommand], isResumed: Bool)] = []
        var commands: [StoredCommand] = []
    }

    /// Identifies the stream for its caller.
    package let id: String
    /// The caller whose session or API key the stream belongs to.
    package let caller: Caller
    let number: UInt64
    private let generation: UInt64
    private let services: StreamServices
    private let render: Render
    private let signal = StreamSignal()
    private let state: Mutex<State>

    init(
        id: String, number: UInt64, caller: Caller, mirror: StreamMirror, resumed: RecordMarks?, isResumed: Bool,
        generation: UInt64, services: StreamServices, render: @escaping Render
    ) {
        (self.id, self.number, self.caller, self.services, self.render) = (id, number, caller, services, render)
        self.generation = generation
        state = Mutex(State(mirror: mirror, follow: RecordFollow(resumed: resumed), isResumed: isResumed))
    }

    private var view: StreamView {
        StreamView(caller, in: services.directory.snapshot, devices: services.devices, clock: services.clock)
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
    func note(_ changes: [ChangedObject]) {
        let view = view
        let isConcerned = state.withLock { state in
            changes.reduce(false) { state.note($1, view, caller) || $0 }
        }
        if isConcerned { signal.set() }
    }

    /// Notes that anything may have changed.
    func noteAll() {
        state.withLock { state in
            state.mirror.markStale(rightsChanged: true)
            state.follow.noteAll()
        }
        signal.set()
    }

    /// Ends the stream after what is in flight.
    func end(_ reason: StreamEnd, retryAfter: Duration) {
        state.withLock { state in
            if state.ending == nil { (state.ending, state.retryAfter) = (reason, retryAfter) }
        }
        signal.set()
    }

    /// Ends the stream if everything was sent, for tests.
    func endIfIdle() {
        state.withLock { state in
            guard state.isOpened, !state.hasWork, state.inFlight == nil, state.ending == nil else { return }
            state.ending = .shuttingDown
        }
        signal.set()
    }

    /// Called every second: wakes the stream if its position is due, or its session has ended.
    ///
    /// - Returns: whether the client has to be disconnected, because it takes nothing.
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

    /// - Parameter cut: closes the connection, and returns when nothing more is sent on it.
    package func attach(cut: @escaping @Sendable () async -> Void) { state.withLock { $0.cut = cut } }

    /// The next events, as soon as there are some; `nil` if the task was cancelled or the stream has ended.
    ///
    /// `written` must be called before the next call.
    package func nextBatch() async -> StreamBatch? {
        while !Task.isCancelled {
            if let batch = await pendingBatch() { return batch }
            if state.withLock({ $0.hasClosed || $0.isCut }) { return nil }
            await signal.wait()
        }
        return nil
    }

    /// The events that can be sent now; `nil` if there are none.
    func pendingBatch() async -> StreamBatch? { take(await fetch()) }

    /// Notes that the client has taken a part of the batch.
    package func progress() {
        let now = services.clock.monotonicNow()
        state.withLock { $0.inFlight?.since = now }
    }

    /// Notes that the whole batch was handed over to the transport, or that the connection is closed.
    package func written() { leaveGate() }

    private func leaveGate() {
        let waiters = state.withLock { state in
            defer { (state.inFlight, state.gateWaiters) = (nil, []) }
            return state.gateWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    // MARK: - The gate

    /// Whether something is in flight that the caller may not see any more, or not in this form.
    func isOutdatedInFlight() -> Bool {
        state.withLock { state in
            guard let inFlight = state.inFlight, !state.isCut else { return false }
            let view = view
            let names = state.mirror.activeNames.map(\.subscription.query)
            return !inFlight.objects.allSatisfy { object in
                state.mirror.isCurrent(object, view) { render(view, .object($0)) }
            }
                || !inFlight.stored.allSatisfy { item, digest in
                    let isVisible = names.contains { query in
                        switch item {
                        case .object(let object): view.contains(object, in: query)
                        case .command(let command): view.contains(command, in: query)
                        case .record(let record): view.contains(record, in: query)
                        }
                    }
                    return isVisible && StreamDigest(render(view, item)) == digest
                }
        }
    }

    /// Waits until nothing is in flight that was decided before this call.
    func awaitGate() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                guard state.inFlight != nil else { return true }
                state.gateWaiters.append(continuation)
                return false
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Disconnects the client. Once this returns, nothing more is sent.
    func cutOff() async {
        let cut = state.withLock { state in
            defer { state.isCut = true }
            return state.cut
        }
        await cut?()
        leaveGate()
        signal.set()
    }

    // MARK: - Reading the store

    /// Reads what the names of records and commands need.
    private func fetch() async -> Stored {
        let (mirror, follow, dirtyCommands, isIdle) = state.withLock { state in
            let hasStored = state.mirror.has(.accessRecord) || state.mirror.has(.command)
            let isIdle = state.ending != nil || state.isBlocked || !state.isOpened || !hasStored
            return (state.mirror, state.follow, state.dirtyCommands, isIdle)
        }
        var stored = Stored()
        guard !isIdle else { return stored }
        let view = view
        do throws(StoreError) {
            if mirror.has(.accessRecord) { try await fetchRecords(&stored, mirror, follow, view) }
            if mirror.has(.command) { try await fetchCommands(&stored, mirror, dirtyCommands, view) }
        } catch {
            state.withLock { $0.isBlocked = true }
            return Stored()
        }
        return stored
    }

    private func fetchRecords(
        _ stored: inout Stored, _ mirror: StreamMirror, _ follow: RecordFollow, _ view: StreamView
    ) async throws(StoreError) {
        let readable = Set(view.tenancy.recordScopes(of: view.subject).map(\.log))
        stored.readable = readable
        for log in readable.sorted(by: { $0.description < $1.description }) where follow.next[log] == nil {
            stored.starts[log] = try await services.store.start(in: log, view, resumed: follow.resumed)
        }
        let waiting = mirror.stored(.accessRecord) { $0 == .waiting }
        // The positions of new logs first: a snapshot ends where they begin.
        guard stored.starts.isEmpty else { return }
        if let name = waiting.first {
            try await fetchSnapshot(of: name, &stored, follow, view)
        } else if let log = follow.dirty.first {
            state.withLock { $0.follow.setClean(log) }
            do throws(StoreError) {
                stored.records = (log, try await services.store.records(of: log, from: follow.next[log] ?? 0, view))
            } catch {
                state.withLock { _ = $0.follow.note(log) }
                throw error
            }
        }
    }

    /// The newest records of a name or, if its filter has a beginning, a page of all records from then on.
    private func fetchSnapshot(
        of name: StreamName, _ stored: inout Stored, _ follow: RecordFollow, _ view: StreamView
    ) async throws(StoreError) {
        guard case .accessRecords(let filter?) = name.query else {
            stored.recordPages.append((name.name, [], nil))
            return
        }
        guard filter.from != nil else {
            let page = try await services.store.page(view, filter, .newestFirst, limit: StreamStore.snapshotItems)
            stored.recordPages.append((name.name, page.records.reversed(), nil))
            return
        }
        let page = try await services.store.page(
            view, filter, .oldestFirst, after: follow.cursors[name.name], limit: StreamMirror.pageObjects)
        stored.recordPages.append((name.name, page.records, page.next))
    }

    private func fetchCommands(
        _ stored: inout Stored, _ mirror: StreamMirror, _ dirty: Set<CommandID>, _ view: StreamView
    ) async throws(StoreError) {
        for name in mirror.activeNames where name.subscription.query.type == .command {
            guard name.phase == .waiting || name.phase == .resuming,
                case .commands(let device) = name.subscription.query
            else { continue }
            let isResumed = name.phase == .resuming
            let limit = isResumed ? StreamStore.resumedCommands : StreamStore.snapshotItems
            let commands = try await services.store.ownCommands(view, device, limit: limit)
            stored.commandLists.append((name.subscription.name, commands, isResumed))
        }
        for id in dirty.sorted().prefix(StreamStore.pageRecords) {
            state.withLock { _ = $0.dirtyCommands.remove(id) }
            do throws(StoreError) {
                if let command = try await services.store.command(id) { stored.commands.append(command) }
            } catch {
                state.withLock { _ = $0.dirtyCommands.insert(id) }
                throw error
            }
        }
    }

    // MARK: - Making a batch

    /// Decides and renders with the present directory and time, and enters the gate.
    private func take(_ stored: Stored) -> StreamBatch? {
        state.withLock { state -> StreamBatch? in
            guard !state.hasClosed, !state.isCut else { return nil }
            let (view, now) = (view, services.clock.monotonicNow())
            var builder = StreamBatchBuilder(
                generation: generation, stream: number, now: now, render: { [render] in render(view, $0) })
            if !state.isOpened { open(&state, &builder) }
            if state.ending == nil, !services.isValid(caller, in: view) { state.ending = .sessionEnded }
            if let ending = state.ending {
                state.mirror.emit(.closing(ending, retryAfter: state.retryAfter), into: &builder.output)
                state.hasClosed = true
            } else {
                refuse(&state, view, &builder)
                state.mirror.step(view, at: now, into: &builder.output) { render(view, .object($0)) }
                addRecords(stored, &state, view, &builder)
                addCommands(stored, &state, view, &builder)
                if state.positionDue <= now {
                    state.mirror.emit(.position(at: services.clock.now()), into: &builder.output)
                    state.positionDue = now.advanced(by: Self.positionInterval)
                }
                if state.hasWork { signal.set() }
            }
            builder.flush(state.marks)
            guard !builder.events.isEmpty else { return nil }
            state.inFlight = InFlight(objects: builder.output.objects, stored: builder.stored, since: now)
            return StreamBatch(events: builder.events, namesText: state.mirror.namesText, isLast: state.hasClosed)
        }
    }

    private func open(_ state: inout State, _ builder: inout StreamBatchBuilder) {
        state.isOpened = true
        state.mirror.emit(.stream(id: id, isResumed: state.isResumed), into: &builder.output)
        state.mirror.emit(.position(at: services.clock.now()), into: &builder.output)
        state.positionDue = builder.now.advanced(by: Self.positionInterval)
    }

    /// An API key has no abilities of its own to subscribe to.
    private func refuse(_ state: inout State, _ view: StreamView, _ builder: inout StreamBatchBuilder) {
        guard view.subject.userID == nil else { return }
        for name in state.mirror.activeNames where name.subscription.query.type == .permissions && name.phase != .refused {
            state.mirror.refuse(name.subscription.name, code: "forbidden", into: &builder.output)
        }
    }

    private func addRecords(
        _ stored: Stored, _ state: inout State, _ view: StreamView, _ builder: inout StreamBatchBuilder
    ) {
        guard let readable = stored.readable else { return }
        let names = state.mirror.stored(.accessRecord) { $0 != .refused }
        if readable.isEmpty, !state.follow.next.isEmpty {
            for name in names { state.mirror.revoke(name.name, into: &builder.output) }
        }
        state.follow.update(readable: readable, starts: stored.starts)
        if !stored.starts.isEmpty {
            // What was revoked begins anew with a snapshot.
            for name in state.mirror.stored(.accessRecord, where: { $0 == .revoked }) {
                state.mirror.setPhase(.waiting, of: name.name)
            }
        }
        guard stored.starts.isEmpty else { return }
        for name in state.mirror.stored(.accessRecord, where: { $0 == .resuming }) {
            state.mirror.setReady(name.name, into: &builder.output)
        }
        builder.flush(state.marks)
        for page in stored.recordPages { addPage(page, &state, view, &builder) }
        if let (log, page) = stored.records { follow(log, page, names, &state, view, &builder) }
    }

    private func addPage(
        _ page: (name: String, records: [AccessRecord], next: RecordPosition?), _ state: inout State, _ view: StreamView,
        _ builder: inout StreamBatchBuilder
    ) {
        guard let name = state.mirror.name(page.name), name.phase == .waiting else { return }
        let records = page.records.filter { record in
            guard view.contains(record, in: name.subscription.query) else { return false }
            // Later records follow as changes.
            return state.follow.next[record.body.log].map { record.seq < $0 } ?? false
        }
        let values = records.map { builder.value(of: .record($0)) }
        state.mirror.sendStored(page.name, .accessRecord, values, isLast: page.next == nil, into: &builder.output)
        state.follow.cursors[page.name] = page.next
        if page.next == nil { state.mirror.setReady(page.name, into: &builder.output) }
        builder.flush(state.marks)
    }

    private func follow(
        _ log: LogID, _ page: RecordPage, _ names: [StreamName], _ state: inout State, _ view: StreamView,
        _ builder: inout StreamBatchBuilder
    ) {
        for record in page.records where record.seq >= state.follow.next[log] ?? .max {
            let chosen = names.filter { view.contains(record, in: $0.query) }.map(\.name)
            state.follow.advance(log, to: record.seq + 1, at: record.body.at)
            guard !chosen.isEmpty else { continue }
            let value = builder.value(of: .record(record))
            state.mirror.emit(
                .change(names: chosen, type: .accessRecord, object: value), value.count + 128, into: &builder.output)
            builder.flush(state.marks)
        }
        if let next = page.next {
            state.follow.advance(log, to: next.seq + 1, at: nil)
            _ = state.follow.note(log)
        }
    }

    private func addCommands(
        _ stored: Stored, _ state: inout State, _ view: StreamView, _ builder: inout StreamBatchBuilder
    ) {
        for list in stored.commandLists {
            guard let name = state.mirror.name(list.name)?.subscription else { continue }
            let commands = list.commands.filter { view.contains($0, in: name.query) }
            if list.isResumed {
                for command in commands { add(command, &state, view, &builder) }
            } else {
                let values = commands.map { ($0, builder.value(of: .command($0))) }
                state.mirror.sendStored(name.name, .command, values.map(\.1), isLast: true, into: &builder.output)
                for (command, value) in values {
                    state.mirror.noteCommand(StreamObject(.command, command.command.id), value, under: name.name)
                }
            }
            state.mirror.setReady(name.name, into: &builder.output)
        }
        for command in stored.commands { add(command, &state, view, &builder) }
    }

    private func add(
        _ command: StoredCommand, _ state: inout State, _ view: StreamView, _ builder: inout StreamBatchBuilder
    ) {
        let names = state.mirror.stored(.command) { _ in true }.filter { view.contains(command, in: $0.query) }.map(\.name)
        guard !names.isEmpty else { return }
        let value = render(view, .command(command))
        let object = StreamObject(.command, command.command.id)
        guard state.mirror.sendCommand(object, value, under: names, into: &builder.output) else { return }
        builder.stored.append((.command(command), StreamDigest(value)))
    }
}

extension LiveStream.State {
    /// The position in the logs, for the ids of events.
    fileprivate var marks: RecordMarks {
        follow.marks(isComplete: mirror.stored(.accessRecord) { $0 == .waiting }.isEmpty)
    }

    /// Whether another step has something to do.
    fileprivate var hasWork: Bool {
        if mirror.hasWork { return true }
        guard !isBlocked else { return false }
        let isWaiting =
            !mirror.stored(.accessRecord) { $0 == .waiting || $0 == .resuming }.isEmpty
            || !mirror.stored(.command) { $0 == .waiting || $0 == .resuming }.isEmpty
        return isWaiting || !dirtyCommands.isEmpty || (!follow.dirty.isEmpty && mirror.has(.accessRecord))
    }

    /// - Returns: whether the change concerns the stream.
    fileprivate mutating func note(_ change: ChangedObject, _ view: StreamView, _ caller: Caller) -> Bool {
        switch change {
        case .deviceStatus(let id): return mirror.note(StreamObject(.device, id), view)
        case .log(let log): return mirror.has(.accessRecord) && follow.note(log)
        case .command(let id, let user):
            guard mirror.has(.command), user != nil, user == view.subject.actorUserID else { return false }
            dirtyCommands.insert(id)
            return true
        case .permissions(let user), .user(let user):
            guard user == caller.userID || user == view.subject.actorUserID else { return noteDependents(view) }
            mirror.markStale(rightsChanged: true)
            return true
        case .portfolio(let id): return notePortfolio(id, view)
        case .property(let id):
            var isConcerned = mirror.note(StreamObject(.property, id), view)
            for unit in mirror.has(.unit) ? view.tenancy.unitIDs(of: id) : [] {
                isConcerned = mirror.noteSent(StreamObject(.unit, unit)) || isConcerned
            }
            for device in mirror.has(.device) ? view.tenancy.deviceIDs(of: id) : [] {
                isConcerned = mirror.noteSent(StreamObject(.device, device)) || isConcerned
            }
            return noteDependents(view) || isConcerned
        case .unit(let id):
            var isConcerned = mirror.note(StreamObject(.unit, id), view)
            for device in mirror.has(.device) ? view.tenancy.deviceIDs(of: id) : [] {
                isConcerned = mirror.noteSent(StreamObject(.device, device)) || isConcerned
            }
            return noteDependents(view) || isConcerned
        case .device(let id):
            let isConcerned = mirror.note(StreamObject(.device, id), view)
            return noteDependents(view) || isConcerned
        case .guestAccess(let id):
            let isConcerned = mirror.note(StreamObject(.guestAccess, id), view)
            return noteDependents(view) || isConcerned
        }
    }

    /// The modules of a portfolio decide whether its guests see locks.
    private mutating func notePortfolio(_ id: PortfolioID, _ view: StreamView) -> Bool {
        if !view.subject.seesByRolesAlone {
            mirror.markStale()
            return true
        }
        var isConcerned = mirror.note(StreamObject(.portfolio, id), view)
        isConcerned = mirror.note(StreamObject(.subscription, id), view) || isConcerned
        return noteDependents(view) || isConcerned
    }

    /// Notes the objects that are computed from many others: the abilities, and the usage of subscriptions.
    private mutating func noteDependents(_ view: StreamView) -> Bool {
        var isConcerned = mirror.note(.permissions, view)
        guard mirror.has(.subscription) else { return isConcerned }
        for object in mirror.sent(.subscription) { isConcerned = mirror.noteSent(object) || isConcerned }
        return isConcerned
    }
}

/// Collects the events of a batch.
private struct StreamBatchBuilder {
    let generation: UInt64
    let stream: UInt64
    let now: MonotonicInstant
    let render: (StreamItem) -> [UInt8]
    var output = StreamMirror.Output()
    var events: [StreamEvent] = []
    var stored: [(item: StreamItem, digest: StreamDigest)] = []

    /// Renders an item of the store, and notes it as part of the batch.
    mutating func value(of item: StreamItem) -> [UInt8] {
        let value = render(item)
        stored.append((item, StreamDigest(value)))
        return value
    }

    /// Gives the events since the last call this position in the logs.
    mutating func flush(_ records: RecordMarks) {
        for (content, number) in output.events.dropFirst(events.count) {
            let mark = StreamMark(generation: generation, stream: stream, number: number, createdAt: now, records: records)
            events.append(StreamEvent(content: content, mark: mark))
        }
    }
}
