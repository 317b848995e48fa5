internal import DoorwardDomain
internal import DoorwardKernel
internal import DoorwardPolicy
import Synchronization

// Makes the events that are sent together; called under the mutex of the stream.
extension LiveStream {
    /// Decides and renders with the present directory and time, and enters the gate.
    func take(_ stored: Stored) -> StreamBatch? {
        state.withLock { state -> StreamBatch? in
            guard !state.hasClosed, !state.isDisconnected else { return nil }
            let (view, now) = (view, services.clock.monotonicNow())
            var builder = StreamBatchBuilder(generation: generation, stream: number, now: now, view: view)
            if !state.isOpened { open(&state, &builder) }
            if state.ending == nil, !services.isValid(caller, in: view) { state.ending = .sessionEnded }
            if let ending = state.ending {
                state.mirror.emit(.closing(ending, retryAfter: state.retryAfter), into: &builder.output)
                state.hasClosed = true
            } else {
                refuse(&state, view, &builder)
                state.mirror.endListing(stored.listed)
                state.mirror.step(view, at: now, into: &builder.output)
                addRecords(stored, &state, view, &builder)
                addCommands(stored, &state, view, &builder)
                if state.positionDue <= now {
                    state.mirror.emit(.position(at: services.clock.now()), into: &builder.output)
                    state.positionDue = now.advanced(by: Self.positionInterval)
                }
                if state.hasWork { signal.set() }
            }
            builder.flush(state.positions)
            guard !builder.events.isEmpty else { return nil }
            // A task that waits until the former batch has left the gate waits for this batch, too: both have one promise.
            let left = state.inFlight?.left ?? Promise()
            state.inFlight = InFlight(objects: builder.output.objects, stored: builder.stored, since: now, left: left)
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

    private func addRecords(_ stored: Stored, _ state: inout State, _ view: StreamView, _ builder: inout StreamBatchBuilder) {
        guard let readable = stored.readable else { return }
        let names = state.mirror.stored(.accessRecord) { $0 != .refused }
        if readable.isEmpty, !state.follow.next.isEmpty {
            for name in names { state.mirror.revoke(name.name, into: &builder.output) }
        }
        state.follow.update(readable: readable, starts: stored.starts)
        if !stored.starts.isEmpty {
            // A name that was revoked begins again with a snapshot.
            for name in state.mirror.stored(.accessRecord, where: { $0 == .revoked }) {
                state.mirror.setPhase(.waiting, of: name.name)
            }
        }
        guard stored.starts.isEmpty else { return }
        for name in state.mirror.stored(.accessRecord, where: { $0 == .resuming }) {
            state.mirror.setReady(name.name, into: &builder.output)
        }
        builder.flush(state.positions)
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
        builder.flush(state.positions)
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
            builder.flush(state.positions)
        }
        if let next = page.next {
            state.follow.advance(log, to: next.seq + 1, at: nil)
            _ = state.follow.markDirty(log)
        }
    }

    private func addCommands(_ stored: Stored, _ state: inout State, _ view: StreamView, _ builder: inout StreamBatchBuilder) {
        for list in stored.commandLists {
            guard let name = state.mirror.name(list.name)?.subscription else { continue }
            let commands = list.commands.filter { view.contains($0, in: name.query) }
            if list.phase != .waiting {
                for command in commands { add(command, &state, view, &builder) }
            } else {
                let values = commands.map { ($0, builder.value(of: .command($0))) }
                state.mirror.sendStored(name.name, .command, values.map(\.1), isLast: true, into: &builder.output)
                for (command, value) in values {
                    state.mirror.recordSentCommand(StreamObject(.command, command.command.id), value, under: name.name)
                }
            }
            if list.phase != .ready { state.mirror.setReady(name.name, into: &builder.output) }
        }
        for command in stored.commands { add(command, &state, view, &builder) }
    }

    private func add(_ command: StoredCommand, _ state: inout State, _ view: StreamView, _ builder: inout StreamBatchBuilder) {
        let names = state.mirror.stored(.command) { _ in true }.filter { view.contains(command, in: $0.query) }.map(\.name)
        guard !names.isEmpty else { return }
        let value = view.rendered(.command(command))
        let object = StreamObject(.command, command.command.id)
        guard state.mirror.sendCommand(object, value, under: names, into: &builder.output) else { return }
        builder.stored.append((.command(command), StreamDigest(value)))
    }
}

/// Collects the events of a batch.
private struct StreamBatchBuilder {
    let generation: UInt64
    let stream: UInt64
    let now: MonotonicInstant
    let view: StreamView
    var output = StreamMirror.Output()
    var events: [StreamEvent] = []
    var stored: [(item: StoredItem, digest: StreamDigest)] = []

    /// Renders an item of the store, and adds it to the batch.
    mutating func value(of item: StoredItem) -> [UInt8] {
        let value = view.rendered(item)
        stored.append((item, StreamDigest(value)))
        return value
    }

    /// Sets this position in the logs for the events added since the last call.
    mutating func flush(_ records: LogPositions) {
        for (content, number) in output.events.dropFirst(events.count) {
            let position = StreamPosition(
                generation: generation, stream: stream, number: number, createdAt: now, records: records)
            events.append(StreamEvent(content: content, position: position))
        }
    }
}
