internal import DoorwardDomain

/// The subscriptions of a connection, and the state of their requests to the broker.
struct Subscriptions {
    /// A change of the wanted subscriptions.
    enum Change: Sendable {
        /// Subscribes. Filters already subscribed to are requested again, so that the broker sends their retained messages once more.
        case want([MQTTFilter], retainAsPublished: Bool)
        case leave([MQTTFilter])
    }

    /// Limits: the filters in one packet, their bytes in a packet with several filters, and the
    /// packets without an answer. With these limits packets stay well below any broker's size
    /// limit, and even ten thousand filters delay no frame.
    private static let (most, maxBytes, maxPackets) = (50, 16 * 1024, 4)
    /// How long a broker may take to send a SUBACK while it answers later requests.
    static let patience = Duration.seconds(10)

    /// Filters not yet requested on this connection, in the order of their requests, without duplicates.
    private struct Queue {
        var filters: [MQTTFilter] = []
        var members: Set<MQTTFilter> = []

        mutating func append(_ filter: MQTTFilter) {
            if members.insert(filter).inserted { filters.append(filter) }
        }

        mutating func remove(_ left: Set<MQTTFilter>) {
            guard !members.isDisjoint(with: left) else { return }
            members.subtract(left)
            filters.removeAll(where: left.contains)
        }

        mutating func removeFirst(_ taken: ArraySlice<MQTTFilter>) {
            members.subtract(taken)
            filters.removeFirst(taken.count)
        }
    }

    private struct Asked {
        let at: MonotonicInstant
        /// The filters of the packet; `nil` in place of a filter that has been unsubscribed from since.
        var filters: [MQTTFilter?]
    }

    private var wanted: Set<MQTTFilter> = []
    /// All filters wanted since the connection began, in the order of the calls. They are requested in this order, so that the
    /// broker acknowledges earlier filters earlier.
    private var order: [MQTTFilter] = []
    /// Filters of `wanted` to subscribe to with Retain As Published. A filter that another call wants without Retain As Published
    /// is not in this set.
    private var wantedRetainAsPublished: Set<MQTTFilter> = []
    private var toAsk = Queue()
    private var toAskAsPublished = Queue()
    private var toLeave: [MQTTFilter] = []
    /// Filters that were requested with Retain As Published on this connection.
    private var askedAsPublished: Set<MQTTFilter> = []
    /// The SUBSCRIBE packets without a SUBACK, by packet identifier.
    private var asked: [Int32: Asked] = [:]
    /// Maximum filters in the next packet: fewer than `most` after one that exceeded the broker's Maximum Packet Size.
    private var limit = Self.most
    /// The wanted filters that the broker has granted on this connection, and those that it has refused.
    private var (granted, refused): (Set<MQTTFilter>, Set<MQTTFilter>) = ([], [])

    /// Whether all wanted filters have been requested and answered.
    var isSettled: Bool { !hasToAsk && asked.isEmpty }

    /// Whether a SUBACK has not arrived in time although the broker has answered a later request.
    ///
    /// - Parameter answered: when the newest request that the broker has answered was sent.
    func isOneOverdue(answered: MonotonicInstant) -> Bool {
        asked.values.contains { $0.at.advanced(by: Self.patience) <= answered }
    }

    /// Returns whether the broker has granted the `needed` filters of `paths`, and has granted or refused the `asked` ones.
    func stand(_ paths: MQTTAnswerPaths) -> Bool {
        paths.needed.allSatisfy(granted.contains) && paths.asked.allSatisfy { granted.contains($0) || refused.contains($0) }
    }

    /// Whether a request can be sent now.
    var isWaiting: Bool { (hasToAsk && asked.count < Self.maxPackets) || !toLeave.isEmpty }

    private var hasToAsk: Bool { !toAsk.filters.isEmpty || !toAskAsPublished.filters.isEmpty }

    mutating func apply(_ changes: [Change]) {
        for change in changes {
            switch change {
            case .want(let filters, let retainAsPublished):
                for filter in filters { want(filter, retainAsPublished: retainAsPublished) }
                if !toLeave.isEmpty { toLeave = toLeave.filter { !wanted.contains($0) || isToBeRenewed($0) } }
            case .leave(let filters):
                wanted.subtract(filters)
                wantedRetainAsPublished.subtract(filters)
                toLeave += filters
                // A SUBACK that is still in flight must not be taken for the answer to a later request.
                let left = Set(filters)
                for number in asked.keys { asked[number]?.filters.replace(left) }
                toAsk.remove(left)
                toAskAsPublished.remove(left)
                forget(left)
            }
        }
    }

    /// Adds a subscription, without Retain As Published if any caller wants the filter without it.
    /// For such a caller, the retain flag means that the broker had stored the message, so live
    /// messages must reach the caller without the publisher's retain flag.
    private mutating func want(_ filter: MQTTFilter, retainAsPublished: Bool) {
        let isNew = wanted.insert(filter).inserted
        if isNew { order.append(filter) }
        if order.count > 2 * wanted.count + 100 { tidyOrder() }
        if retainAsPublished, isNew { wantedRetainAsPublished.insert(filter) }
        if !retainAsPublished { wantedRetainAsPublished.remove(filter) }
        if isToBeRenewed(filter) { toLeave.append(filter) }
        if wantedRetainAsPublished.contains(filter) { toAskAsPublished.append(filter) } else { toAsk.append(filter) }
    }

    /// Whether a filter must be unsubscribed from before it is requested again without Retain As Published: mosquitto keeps the
    /// options of an existing subscription.
    private func isToBeRenewed(_ filter: MQTTFilter) -> Bool {
        askedAsPublished.contains(filter) && wanted.contains(filter) && !wantedRetainAsPublished.contains(filter)
    }

    /// Requests all subscriptions on a new connection, for which the broker has no subscriptions
    /// yet.
    mutating func reset() {
        (toLeave, askedAsPublished, limit) = ([], [], Self.most)
        requestAnew()
    }

    /// Requests all subscriptions again on the same connection, so that the broker sends the retained messages. Pending
    /// unsubscribes are still sent.
    mutating func requestAnew() {
        tidyOrder()
        (toAsk, toAskAsPublished) = (Queue(), Queue())
        for filter in order {
            if wantedRetainAsPublished.contains(filter) { toAskAsPublished.append(filter) } else { toAsk.append(filter) }
        }
        (asked, granted, refused) = ([:], [], [])
    }

    /// Sends pending requests while the socket accepts them.
    ///
    /// - Returns: the filters that cannot be requested from this broker, with the reason codes. They count as refused.
    fileprivate mutating func ask(
        over handle: borrowing MosquittoClient, at now: MonotonicInstant
    ) -> [(filter: MQTTFilter, code: Int32)] {
        var impossible: [(filter: MQTTFilter, code: Int32)] = []
        while isWaiting, !handle.hasUnsentBytes {
            let goesOn = toLeave.isEmpty ? subscribe(over: handle, at: now, &impossible) : unsubscribe(over: handle)
            guard goesOn else { break }
        }
        return impossible
    }

    /// Sends one UNSUBSCRIBE. If the packet is too large for the broker, the next one has half as many filters.
    ///
    /// - Returns: whether another packet can be tried now.
    private mutating func unsubscribe(over handle: borrowing MosquittoClient) -> Bool {
        let some = Array(toLeave.prefix(limit))
        switch handle.unsubscribe(some) {
        case .impossible where some.count > 1:
            limit = some.count / 2
            return true
        case .failed: return false
        // If a single filter is too long for an UNSUBSCRIBE, it was never subscribed to: its SUBSCRIBE would have been longer.
        case .sent, .impossible: break
        }
        toLeave.removeFirst(some.count)
        askedAsPublished.subtract(some)
        forget(Set(some))
        limit = min(Self.most, limit * 2)
        return true
    }

    /// Sends one SUBSCRIBE. If the packet is too large for the broker, the next one has half as many filters.
    ///
    /// - Returns: whether another packet can be tried now.
    private mutating func subscribe(
        over handle: borrowing MosquittoClient, at now: MonotonicInstant, _ impossible: inout [(filter: MQTTFilter, code: Int32)]
    ) -> Bool {
        // Subscribe with Retain As Published first, that is to command topics. A command waits until the lock's state topics are
        // subscribed to; by then the lock's command topic is subscribed to, too.
        let retainAsPublished = !toAskAsPublished.filters.isEmpty
        let taken = packet(of: retainAsPublished ? toAskAsPublished : toAsk)
        // Since it was queued, a filter may have been unsubscribed from, or moved to the other queue.
        let some = taken.filter { wanted.contains($0) && wantedRetainAsPublished.contains($0) == retainAsPublished }
        if let first = some.first {
            switch handle.subscribe(some, retainAsPublished: retainAsPublished) {
            case .sent(let number):
                asked[number] = Asked(at: now, filters: some)
                if retainAsPublished { askedAsPublished.formUnion(some) }
            case .impossible where some.count > 1:
                limit = some.count / 2
                return true
            case .impossible(let code):
                forget([first])
                refused.insert(first)
                impossible.append((first, code))
            case .failed: return false
            }
        }
        if retainAsPublished { toAskAsPublished.removeFirst(taken) } else { toAsk.removeFirst(taken) }
        limit = min(Self.most, limit * 2)
        return true
    }

    private mutating func tidyOrder() {
        var seen: Set<MQTTFilter> = []
        order = order.filter { wanted.contains($0) && seen.insert($0).inserted }
    }

    private mutating func forget(_ filters: Set<MQTTFilter>) {
        granted.subtract(filters)
        refused.subtract(filters)
    }

    private func packet(of queue: Queue) -> ArraySlice<MQTTFilter> {
        var bytes = 0
        return queue.filters.prefix(limit).prefix { filter in
            defer { bytes += filter.description.utf8.count }
            return bytes < Self.maxBytes
        }
    }

    /// Applies a SUBACK, with a reason code for each filter.
    ///
    /// - Returns: the filters that the broker refuses, and those that it grants after it had refused them.
    mutating func answered(
        _ number: Int32, _ codes: [Int32]
    ) -> (denied: [(filter: MQTTFilter, code: Int32)], grantedLater: [MQTTFilter]) {
        var (denied, grantedLater): ([(filter: MQTTFilter, code: Int32)], [MQTTFilter]) = ([], [])
        for case (let filter?, let code) in zip(asked.removeValue(forKey: number)?.filters ?? [], codes) {
            let wasRefused = refused.contains(filter)
            forget([filter])
            if code < 0x80 {
                granted.insert(filter)
                if wasRefused { grantedLater.append(filter) }
            } else {
                refused.insert(filter)
                denied.append((filter, code))
            }
        }
        return (denied, grantedLater)
    }
}

extension [MQTTFilter?] {
    /// Replaces these filters with `nil`.
    fileprivate mutating func replace(_ left: Set<MQTTFilter>) {
        for index in indices where self[index].map(left.contains) == true { self[index] = nil }
    }
}

extension MosquittoClient {
    /// Sends pending requests while the socket accepts them.
    ///
    /// - Returns: the filters that cannot be requested from this broker, with the reason codes.
    func tell(_ subscriptions: inout Subscriptions, at now: MonotonicInstant) -> [(filter: MQTTFilter, code: Int32)] {
        subscriptions.ask(over: self, at: now)
    }
}
