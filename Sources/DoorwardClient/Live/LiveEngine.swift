// Over 400 lines because the one actor of the connection is read together: names, reconnection, silence, events.
internal import FoundationEssentials
internal import Logging

/// The one connection of a client: which names it has, when it is opened again, and who receives its events.
actor LiveEngine {
    private let transport: any LiveTransport
    let clock: any LiveClock
    private let random: @Sendable () -> Double
    private let logger = Logger(label: "doorward.live")
    nonisolated let published = PublishedStatus()

    private var upstreams: [String: Upstream] = [:]
    private var shared: [StreamSubscription: String] = [:]
    private var cache = BoardCache()
    private var lastName = 0
    private var lastSink = 0

    private var status = LiveStatus.idle
    private var loop: Task<Void, Never>?
    private var connection: Task<Void, any Error>?
    private var connectionNumber = 0
    private var watchdog: Task<Void, Never>?
    private var delay: Task<Void, Never>?
    /// How long the connection is still delayed after `wake`.
    private var wakeJitter: Duration?
    private var synchronization: Task<Void, Never>?
    private var streamID: String?
    /// The names that the open stream has, or was opened with.
    private var sent: [String: StreamSubscription] = [:]
    private var lastEventID: String?
    private var lastActivity = Duration.zero
    private var lastActivityAt: Doorward.Instant
    private var silentSince = Duration.zero
    private var retryAfter: Duration?
    private var parser = ServerSentEventParser()

    init(transport: any LiveTransport, clock: any LiveClock, random: @escaping @Sendable () -> Double) {
        (self.transport, self.clock, self.random) = (transport, clock, random)
        lastActivityAt = clock.now
    }

    private var isStale: Bool {
        switch status {
        case .stale, .ended: true
        case .idle, .connecting, .live: false
        }
    }

    /// The number of names at the gateway.
    var nameCount: Int { upstreams.count }

    // MARK: - Names

    /// Adds a holder of a query. Equal queries share one name.
    func acquire<Noun: LiveNoun>(_ query: LiveQuery<Noun>) -> String {
        let subscription = StreamSubscription(query.need)
        if let name = shared[subscription], let upstream = upstreams[name] {
            upstream.holders += 1
            return name
        }
        let name = newName(Noun.streamType)
        shared[subscription] = name
        add(StateUpstream<Noun>(name: name, subscription: subscription, cached: cache.take(subscription)))
        return name
    }

    /// Adds a name of its own for a follower of records.
    func acquireRecords(_ query: LiveQuery<Doorward.AccessRecord>, buffer: RecordBuffer, skipsFirst: Bool) -> String {
        let upstream = RecordUpstream(
            name: newName(.accessRecord), subscription: StreamSubscription(query.need), buffer: buffer,
            skipsFirst: skipsFirst)
        add(upstream)
        return upstream.name
    }

    private func newName(_ type: StreamType) -> String {
        lastName += 1
        return "\(type.rawValue)-\(lastName)"
    }

    private func add(_ upstream: Upstream) {
        upstreams[upstream.name] = upstream
        if case .ended(let error) = status { upstream.refused(error) }
        start()
        synchronize()
    }

    /// Removes a holder. The last one ends the name.
    func release(_ name: String) {
        guard let upstream = upstreams[name] else { return }
        upstream.holders -= 1
        guard upstream.holders == 0 else { return }
        upstreams[name] = nil
        if shared[upstream.subscription] == name { shared[upstream.subscription] = nil }
        cache.keep(upstream)
        synchronize()
        if upstreams.isEmpty { stop(.idle) }
    }

    func attach<Noun: LiveNoun>(_ name: String, _ sink: @escaping StateUpstream<Noun>.Sink) -> Int {
        lastSink += 1
        (upstreams[name] as? StateUpstream<Noun>)?.attach(lastSink, isStale: isStale, sink)
        return lastSink
    }

    func detach<Noun: LiveNoun>(_ sink: Int, from name: String, _: Noun.Type) {
        (upstreams[name] as? StateUpstream<Noun>)?.detach(sink)
    }

    /// The objects of a query that are known here; `nil` if it is not subscribed.
    func objects<Noun: LiveNoun>(_ query: LiveQuery<Noun>) -> [String: Noun]? {
        shared[StreamSubscription(query.need)].flatMap { (upstreams[$0] as? StateUpstream<Noun>)?.objects }
    }

    /// An object that some subscription has.
    func object<Noun: LiveNoun>(_ id: String, _: Noun.Type) -> Noun? {
        upstreams.values.lazy.compactMap { ($0 as? StateUpstream<Noun>)?.objects?[id] }.first
    }

    /// Forgets everything about the person; the names remain for the next one.
    func forget() {
        cache = BoardCache()
        lastEventID = nil
        stop(.ended(.notSignedIn))
        for upstream in upstreams.values { upstream.revoked() }
        flush()
        for upstream in upstreams.values { upstream.refused(.notSignedIn) }
        flush()
    }

    // MARK: - The connection

    private func set(_ newStatus: LiveStatus) {
        guard status != newStatus else { return }
        status = newStatus
        published.set(newStatus)
        flush()
    }

    private func flush() {
        for upstream in upstreams.values { upstream.flush(isStale: isStale) }
        // The follower subscribes again when it has processed its buffered records.
        for case let upstream as RecordUpstream in upstreams.values where upstream.buffer.hasGap { release(upstream.name) }
    }

    private func start() {
        guard loop == nil else { return }
        if case .ended = status { return }
        set(.connecting)
        (lastActivity, lastActivityAt) = (clock.uptime, clock.now)
        armWatchdog()
        loop = Task { await run() }
    }

    /// Opens the stream again after it has ended for good, such as after another sign-in.
    func restart() {
        stop(.idle)
        guard !upstreams.isEmpty else { return }
        for upstream in upstreams.values { upstream.reopen() }
        start()
    }

    private func stop(_ newStatus: LiveStatus) {
        loop?.cancel()
        connection?.cancel()
        watchdog?.cancel()
        delay?.cancel()
        synchronization?.cancel()
        (loop, connection, watchdog, delay, synchronization) = (nil, nil, nil, nil, nil)
        (streamID, sent) = (nil, [:])
        connectionNumber += 1
        set(newStatus)
    }

    private func run() async {
        var attempt = 0
        var isFirst = true
        while !Task.isCancelled {
            let began = clock.uptime
            do {
                if !isFirst { try await transport.renew() }
                guard !Task.isCancelled else { return }
                try await connect()
            } catch {
                guard !Task.isCancelled else { return }
                if let final = finalError(error), !refuseNames(final) { return end(final) }
                if case DoorwardError.refused(let refusal) = error, let seconds = refusal.retryAfter {
                    retryAfter = .seconds(seconds)
                }
                logger.debug("the stream ended: \(error)")
            }
            guard !Task.isCancelled else { return }
            isFirst = false
            disconnected()
            if clock.uptime - began >= LiveTiming.quietLife { attempt = 0 }
            let pause = (retryAfter ?? .zero) + LiveTiming.delay(attempt: attempt, random: random())
            (attempt, retryAfter) = (attempt + 1, nil)
            await wait(pause)
        }
    }

    /// If the error concerns one name, only this name has failed.
    private func refuseNames(_ error: DoorwardError) -> Bool {
        guard case .refused(let refusal) = error, refusal.status == 400 else { return false }
        let wrong = upstreams.values.filter { upstream in
            upstream.failure == nil && refusal.fields.keys.contains { $0.split(separator: ".").contains { $0 == upstream.name } }
        }
        for upstream in wrong { upstream.refused(error) }
        flush()
        return !wrong.isEmpty
    }

    /// The error after which the stream is not opened again.
    private func finalError(_ error: any Error) -> DoorwardError? {
        guard let error = error as? DoorwardError else { return nil }
        switch error {
        case .notSignedIn, .sessionEnded, .unusable: return error
        case .refused(let refusal): return (400..<500).contains(refusal.status) && refusal.status != 429 ? error : nil
        default: return nil
        }
    }

    private func end(_ error: DoorwardError) {
        stop(.ended(error))
        for upstream in upstreams.values { upstream.refused(error) }
        flush()
    }

    private func disconnected() {
        (streamID, sent) = (nil, [:])
        synchronization?.cancel()
        synchronization = nil
        if !isStale { set(.connecting) }
    }

    private func wait(_ pause: Duration) async {
        let deadline = clock.uptime + pause
        let clock = clock
        let task = Task { _ = try? await clock.sleep(until: deadline) }
        delay = task
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        if delay == task { delay = nil }
        if let jitter = wakeJitter.take() { try? await clock.sleep(until: clock.uptime + jitter) }
    }

    /// The app has come to the foreground, or the network has returned: a waiting reconnection happens within a second, and a
    /// connection that has been silent for more than one position is replaced.
    func wake() {
        if let delay {
            wakeJitter = LiveTiming.wakeDelay * random()
            delay.cancel()
        } else if streamID != nil, clock.uptime - lastActivity > .seconds(20) {
            connection?.cancel()
        }
    }

    private func connect() async throws {
        connectionNumber += 1
        let number = connectionNumber
        sent = upstreams.filter { $0.value.failure == nil || $0.value.failure == .revoked }.mapValues(\.subscription)
        // An attempt without a response ends after a timeout, too.
        if isStale { armWatchdog(from: clock.uptime) }
        parser = ServerSentEventParser(lastEventID: lastEventID ?? "")
        let request = StreamRequest(subscriptions: sent, lastEventID: lastEventID)
        let transport = transport
        let task = Task {
            try await transport.open(request) { [weak self] bytes in await self?.receive(bytes, number) }
        }
        connection = task
        defer { connection = nil }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    // MARK: - Silence

    /// Restarts the measurement of silence. It is measured between two events `position`, so that an idle client is never woken.
    private func armWatchdog(from start: Duration? = nil) {
        watchdog?.cancel()
        silentSince = start ?? lastActivity
        let (clock, deadline) = (clock, silentSince + LiveTiming.staleAfter)
        watchdog = Task { [weak self] in
            guard (try? await clock.sleep(until: deadline)) != nil else { return }
            await self?.silence()
        }
    }

    private func silence() {
        guard loop != nil else { return }
        if clock.uptime - max(silentSince, lastActivity) < LiveTiming.staleAfter { return armWatchdog() }
        set(.stale(since: lastActivityAt))
        connection?.cancel()
    }

    // MARK: - Events

    private struct Names: Decodable {
        var name: String?
        var names: [String]?
        var id: String?
        var streamId: String?
        var resumed: Bool?
        var code: String?
        var reason: String?
        var retryAfterMs: Int?

        var all: [String] { (names ?? []) + (name.map { [$0] } ?? []) }
    }

    private func receive(_ bytes: [UInt8], _ number: Int) {
        guard number == connectionNumber else { return }
        (lastActivity, lastActivityAt) = (clock.uptime, clock.now)
        for event in parser.parse(bytes) {
            handle(event)
            guard number == connectionNumber else { return }
        }
        if parser.isTooLarge { connection?.cancel() }
        flush()
    }

    private func handle(_ event: ServerSentEvent) {
        if !event.lastEventID.isEmpty { lastEventID = event.lastEventID }
        let data = Data(event.data.utf8)
        guard let names = try? JSONDecoder().decode(Names.self, from: data) else { return unreadable(event.type) }
        let addressed = names.all.compactMap { upstreams[$0] }
        do {
            switch event.type {
            case "stream": opened(names)
            case "snapshot": for upstream in addressed { try upstream.snapshot(data) }
            case "ready": for upstream in addressed { upstream.ready() }
            case "change": for upstream in addressed { try upstream.change(data) }
            case "removed": for upstream in addressed { upstream.removed(names.id ?? "") }
            case "revoked": for upstream in addressed { upstream.revoked() }
            case "refused":
                let error = DoorwardError.refused(.init(status: 403, code: names.code ?? "forbidden"))
                for upstream in addressed { upstream.refused(error) }
            case "reset": for upstream in addressed { upstream.connected(isResumed: false) }
            case "position": armWatchdog()
            case "closing": retryAfter = names.retryAfterMs.map { .milliseconds(min(max($0, 0), 600_000)) }
            default: break
            }
        } catch {
            // If this library cannot decode an object, the object's names fail; all other names continue.
            logger.warning("an object in an event `\(event.type)` of the stream cannot be read")
            for upstream in addressed { upstream.refused(.unreadable("an object of \(upstream.subscription.type.rawValue)")) }
        }
    }

    /// After an event that is not a JSON object, the state is unknown: the client connects again, and all names begin again.
    private func unreadable(_ type: String) {
        logger.warning("an event `\(type)` of the stream cannot be read; the stream is opened anew")
        lastEventID = nil
        connectionNumber += 1
        connection?.cancel()
    }

    private func opened(_ names: Names) {
        streamID = names.streamId
        for name in sent.keys { upstreams[name]?.connected(isResumed: names.resumed ?? false) }
        armWatchdog()
        set(.live)
        synchronize()
    }

    // MARK: - Names of the open stream

    /// Adds and removes names of the open stream until it has those that are wanted. One request at a time.
    private func synchronize() {
        guard streamID != nil, synchronization == nil else { return }
        synchronization = Task { await runSynchronization() }
    }

    private func runSynchronization() async {
        while let stream = streamID, !Task.isCancelled {
            if let name = sent.keys.first(where: { upstreams[$0] == nil }) {
                sent[name] = nil
                try? await transport.delete(name, stream: stream)
            } else if let upstream = upstreams.values.first(where: { sent[$0.name] == nil && $0.failure == nil }) {
                sent[upstream.name] = upstream.subscription
                upstream.connected(isResumed: false)
                await put(upstream, stream)
            } else {
                break
            }
        }
        if !Task.isCancelled { synchronization = nil }
    }

    private func put(_ upstream: Upstream, _ stream: String) async {
        let name = upstream.name
        do {
            try await transport.put(name, upstream.subscription, stream: stream)
        } catch let error as DoorwardError {
            guard stream == streamID else { return }
            if case .refused(let refusal) = error {
                // Every stream would refuse the name. The status 429 means that there are too many names.
                if (400..<500).contains(refusal.status), ![403, 404].contains(refusal.status) {
                    upstreams[name]?.refused(error)
                    return flush()
                }
                if let seconds = refusal.retryAfter { retryAfter = .seconds(seconds) }
            }
            // After an error of the connection, or if the stream is gone, this stream may lack the name: the next one has it.
            connection?.cancel()
        } catch {}
    }
}

/// The last objects of names without a subscriber, so that a view that is opened again shows something at once.
private struct BoardCache {
    private static let capacity = 32
    private var boards: [(subscription: StreamSubscription, objects: any Sendable)] = []

    mutating func keep(_ upstream: Upstream) {
        guard upstream.failure == nil, let objects = upstream.heldObjects else { return }
        boards.removeAll { $0.subscription == upstream.subscription }
        boards.append((upstream.subscription, objects))
        if boards.count > Self.capacity { boards.removeFirst() }
    }

    mutating func take<Noun: LiveNoun>(_ subscription: StreamSubscription) -> [String: Noun]? {
        guard let index = boards.firstIndex(where: { $0.subscription == subscription }) else { return nil }
        return boards.remove(at: index).objects as? [String: Noun]
    }
}
