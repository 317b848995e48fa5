/// What a connection is to hear, and how far the broker has been asked for it.
struct Subscriptions {
    /// What somebody wants from now on, or no longer.
    enum Change: Sendable {
        /// Asked for also where it was before: the broker hands out what it keeps once more.
        case want([MQTTFilter], asPublished: Bool)
        case leave([MQTTFilter])
    }

    /// Filters in one packet, bytes of them where there is more than one, and packets without an answer, at the most: well below
    /// any broker's limit of a packet's size, and so few that ten thousand filters hold up no frame.
    private static let (most, mostBytes, mostPackets) = (50, 16 * 1024, 4)

    /// Filters that are not asked for yet on this connection, the next first; each once.
    private struct Queue {
        var filters: [MQTTFilter] = []
        var members: Set<MQTTFilter> = []

        mutating func append(_ filter: MQTTFilter) {
            if members.insert(filter).inserted { filters.append(filter) }
        }

        mutating func removeFirst(_ taken: ArraySlice<MQTTFilter>) {
            members.subtract(taken)
            filters.removeFirst(taken.count)
        }
    }

    private var wanted: Set<MQTTFilter> = []
    /// All filters wanted since the connection began, in the order of the requests: the broker is asked in this order, so that
    /// earlier requests are acknowledged earlier.
    private var order: [MQTTFilter] = []
    /// Those of them whose messages are to come marked as they were published; none that somebody wants as kept ones alone.
    private var wantedAsPublished: Set<MQTTFilter> = []
    private var toAsk = Queue()
    private var toAskAsPublished = Queue()
    private var toLeave: [MQTTFilter] = []
    /// What the broker was asked for as published on this connection.
    private var askedAsPublished: Set<MQTTFilter> = []
    /// The filters of each SUBSCRIBE packet without a SUBACK, by packet identifier; `nil` for a filter that was given up since.
    private var asked: [Int32: [MQTTFilter?]] = [:]
    /// The filters that the broker has granted on this connection, and those that it has refused, of those still wanted.
    private var (granted, refused): (Set<MQTTFilter>, Set<MQTTFilter>) = ([], [])

    /// Whether all wanted filters have been requested and answered.
    var isSettled: Bool { !hasToAsk && asked.isEmpty }

    /// Whether the broker has granted the needed filters of `paths`, and answered the others.
    func stand(_ paths: MQTTAnswerPaths) -> Bool {
        paths.needed.allSatisfy(granted.contains) && paths.asked.allSatisfy { granted.contains($0) || refused.contains($0) }
    }

    /// Whether there is something to tell the broker at this moment.
    var isWaiting: Bool { (hasToAsk && asked.count < Self.mostPackets) || !toLeave.isEmpty }

    private var hasToAsk: Bool { !toAsk.filters.isEmpty || !toAskAsPublished.filters.isEmpty }

    mutating func apply(_ changes: [Change]) {
        for change in changes {
            switch change {
            case .want(let filters, let asPublished):
                for filter in filters { want(filter, asPublished: asPublished) }
                if !toLeave.isEmpty { toLeave = toLeave.filter { !wanted.contains($0) || isToBeRenewed($0) } }
            case .leave(let filters):
                wanted.subtract(filters)
                wantedAsPublished.subtract(filters)
                toLeave += filters
                // A SUBACK that is still in flight must not count for a later request.
                let left = Set(filters)
                asked = asked.mapValues { $0.map { filter in filter.flatMap { left.contains($0) ? nil : $0 } } }
                forget(left)
            }
        }
    }

    /// Who takes the mark for the broker's own, a lock that hears its state there, must never see a sender's.
    private mutating func want(_ filter: MQTTFilter, asPublished: Bool) {
        let isNew = wanted.insert(filter).inserted
        if isNew { order.append(filter) }
        if order.count > 2 * wanted.count + 100 { tidyOrder() }
        if asPublished, isNew { wantedAsPublished.insert(filter) }
        if !asPublished { wantedAsPublished.remove(filter) }
        if isToBeRenewed(filter) { toLeave.append(filter) }
        if wantedAsPublished.contains(filter) { toAskAsPublished.append(filter) } else { toAsk.append(filter) }
    }

    /// Whether the broker is to be told to leave a filter before it is asked for it in the other way: mosquitto keeps the options
    /// of a subscription that it has.
    private func isToBeRenewed(_ filter: MQTTFilter) -> Bool {
        askedAsPublished.contains(filter) && wanted.contains(filter) && !wantedAsPublished.contains(filter)
    }

    /// On a connection that has just been made the broker knows of nothing.
    mutating func beginAnew() {
        tidyOrder()
        (toAsk, toAskAsPublished) = (Queue(), Queue())
        for filter in order {
            if wantedAsPublished.contains(filter) { toAskAsPublished.append(filter) } else { toAsk.append(filter) }
        }
        (toLeave, askedAsPublished, asked, granted, refused) = ([], [], [:], [], [])
    }

    /// Tells the broker, as long as the socket takes it.
    fileprivate mutating func ask(over handle: borrowing Handle) {
        while isWaiting, !handle.hasUnsentBytes {
            if !toLeave.isEmpty {
                let some = Array(toLeave.prefix(Self.most))
                guard handle.unsubscribe(some) else { return }
                toLeave.removeFirst(some.count)
                askedAsPublished.subtract(some)
                forget(Set(some))
                continue
            }
            // Command topics first: commands wait for a lock's state topics, so its command topic is subscribed to by then, too.
            let asPublished = !toAskAsPublished.filters.isEmpty
            let taken = Self.packet(of: asPublished ? toAskAsPublished : toAsk)
            // Nobody may want it any more, or somebody in the other way.
            let some = taken.filter { wanted.contains($0) && wantedAsPublished.contains($0) == asPublished }
            if !some.isEmpty {
                guard let number = handle.subscribe(some, asPublished: asPublished) else { return }
                asked[number] = some
                if asPublished { askedAsPublished.formUnion(some) }
            }
            if asPublished { toAskAsPublished.removeFirst(taken) } else { toAsk.removeFirst(taken) }
        }
    }

    private mutating func tidyOrder() {
        var seen: Set<MQTTFilter> = []
        order = order.filter { wanted.contains($0) && seen.insert($0).inserted }
    }

    private mutating func forget(_ filters: Set<MQTTFilter>) {
        granted.subtract(filters)
        refused.subtract(filters)
    }

    private static func packet(of queue: Queue) -> ArraySlice<MQTTFilter> {
        var bytes = 0
        return queue.filters.prefix(Self.most).prefix { filter in
            defer { bytes += filter.description.utf8.count }
            return bytes < Self.mostBytes
        }
    }

    /// Takes the broker's answer in: a reason code for each filter.
    ///
    /// - Returns: those that it does not give.
    mutating func answered(_ number: Int32, _ codes: [Int32]) -> [(filter: MQTTFilter, code: Int32)] {
        guard let filters = asked.removeValue(forKey: number) else { return [] }
        var denied: [(filter: MQTTFilter, code: Int32)] = []
        for case (let filter?, let code) in zip(filters, codes) {
            forget([filter])
            if code < 0x80 {
                granted.insert(filter)
            } else {
                refused.insert(filter)
                denied.append((filter, code))
            }
        }
        return denied
    }
}

extension Handle {
    /// Tells the broker what there is to tell, as long as the socket takes it.
    func tell(_ subscriptions: inout Subscriptions) { subscriptions.ask(over: self) }
}
