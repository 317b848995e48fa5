internal import DoorwardDomain

/// The subscriptions of a connection, and the state of their requests to the broker.
struct Subscriptions {
    /// A change of the desired subscriptions.
    enum Change: Sendable {
        /// Subscribes. Filters already subscribed to are requested again, so that the broker sends their retained messages once
        /// more.
        case subscribe([MQTTFilter], retainAsPublished: Bool)
        case unsubscribe([MQTTFilter])
    }

    /// Limits: the filters in one packet, their bytes in a packet with several filters, and the packets without an answer. With
    /// these limits packets stay well below any broker's size limit, and even ten thousand filters delay no message.
    private static let (maxFilters, maxBytes, maxPackets) = (50, 16 * 1024, 4)
    /// How long a broker may take to send a SUBACK while it answers later requests.
    static let subackTimeout = Duration.seconds(10)

    /// Filters not yet requested on this connection, in the order of their requests, without duplicates.
    private struct Queue {
        var filters: [MQTTFilter] = []
        var members: Set<MQTTFilter> = []

        mutating func append(_ filter: MQTTFilter) {
            if members.insert(filter).inserted { filters.append(filter) }
        }

        mutating func remove(_ removed: Set<MQTTFilter>) {
            guard !members.isDisjoint(with: removed) else { return }
            members.subtract(removed)
            filters.removeAll(where: removed.contains)
        }

        mutating func removeFirst(_ batch: ArraySlice<MQTTFilter>) {
            members.subtract(batch)
            filters.removeFirst(batch.count)
        }
    }

    private struct PendingRequest {
        let sentAt: MonotonicInstant
        /// The filters of the packet; `nil` in place of a filter that has been unsubscribed from since.
        var filters: [MQTTFilter?]
    }

    private var desired: Set<MQTTFilter> = []
    /// All filters that became desired since the connection began, in the order of the calls. They are requested in this order,
    /// so that the broker acknowledges earlier filters earlier.
    private var requestOrder: [MQTTFilter] = []
    /// Filters of `desired` to subscribe to with Retain As Published. A filter that another call subscribes to without it
    /// is not in this set.
    private var desiredRetainAsPublished: Set<MQTTFilter> = []
    private var toSubscribe = Queue()
    private var toSubscribeRetainAsPublished = Queue()
    fileprivate var toUnsubscribe: [MQTTFilter] = []
    /// Filters that were requested with Retain As Published on this connection.
    private var sentRetainAsPublished: Set<MQTTFilter> = []
    /// The SUBSCRIBE packets without a SUBACK, by packet identifier.
    private var awaitingSuback: [Int32: PendingRequest] = [:]
    /// Maximum filters in the next packet: fewer than `maxFilters` after one that exceeded the broker's Maximum Packet Size.
    private var packetLimit = Self.maxFilters
    /// The desired filters that the broker has granted on this connection, and those that it has refused.
    private var (granted, refused): (Set<MQTTFilter>, Set<MQTTFilter>) = ([], [])

    /// Whether all desired filters have been requested and answered.
    var isSettled: Bool { !hasPendingSubscribes && awaitingSuback.isEmpty }

    /// Whether a SUBACK has not arrived in time although the broker has answered a later request.
    ///
    /// - Parameter answered: when the newest request that the broker has answered was sent.
    func hasOverdueSuback(answered: MonotonicInstant) -> Bool {
        awaitingSuback.values.contains { $0.sentAt.advanced(by: Self.subackTimeout) <= answered }
    }

    /// Returns whether the broker has granted the `required` filters, and has granted or refused the `optional` ones.
    func fulfills(_ response: MQTTResponseSubscriptions) -> Bool {
        response.required.allSatisfy(granted.contains)
            && response.optional.allSatisfy { granted.contains($0) || refused.contains($0) }
    }

    /// Whether a request can be sent now.
    var canSendRequest: Bool { (hasPendingSubscribes && awaitingSuback.count < Self.maxPackets) || !toUnsubscribe.isEmpty }

    private var hasPendingSubscribes: Bool { !toSubscribe.filters.isEmpty || !toSubscribeRetainAsPublished.filters.isEmpty }

    mutating func apply(_ changes: [Change]) {
        for change in changes {
            switch change {
            case .subscribe(let filters, let retainAsPublished):
                for filter in filters { add(filter, retainAsPublished: retainAsPublished) }
                if !toUnsubscribe.isEmpty {
                    toUnsubscribe = toUnsubscribe.filter { !desired.contains($0) || needsResubscribe($0) }
                }
            case .unsubscribe(let filters):
                desired.subtract(filters)
                desiredRetainAsPublished.subtract(filters)
                toUnsubscribe += filters
                // A SUBACK that is still in flight must not be taken for the answer to a later request.
                let removed = Set(filters)
                for packetID in awaitingSuback.keys { awaitingSuback[packetID]?.filters.clear(removed) }
                toSubscribe.remove(removed)
                toSubscribeRetainAsPublished.remove(removed)
                clearResults(removed)
            }
        }
    }

    /// Adds a subscription, without Retain As Published if any caller subscribes without it. For such a caller, the retain flag
    /// means that the broker had stored the message, so live messages must reach the caller without the publisher's retain flag.
    private mutating func add(_ filter: MQTTFilter, retainAsPublished: Bool) {
        let isNew = desired.insert(filter).inserted
        if isNew { requestOrder.append(filter) }
        if requestOrder.count > 2 * desired.count + 100 { compactRequestOrder() }
        if retainAsPublished, isNew { desiredRetainAsPublished.insert(filter) }
        if !retainAsPublished { desiredRetainAsPublished.remove(filter) }
        if needsResubscribe(filter) { toUnsubscribe.append(filter) }
        enqueue(filter)
    }

    private mutating func enqueue(_ filter: MQTTFilter) {
        if desiredRetainAsPublished.contains(filter) {
            toSubscribeRetainAsPublished.append(filter)
        } else {
            toSubscribe.append(filter)
        }
    }

    /// Whether a filter must be unsubscribed from before it is requested again without Retain As Published: mosquitto keeps the
    /// options of an existing subscription.
    private func needsResubscribe(_ filter: MQTTFilter) -> Bool {
        sentRetainAsPublished.contains(filter) && desired.contains(filter) && !desiredRetainAsPublished.contains(filter)
    }

    /// Requests all subscriptions on a new connection, for which the broker has no subscriptions yet.
    mutating func reset() {
        (toUnsubscribe, sentRetainAsPublished, packetLimit) = ([], [], Self.maxFilters)
        requestAll()
    }

    /// Requests all subscriptions again on the same connection, so that the broker sends the retained messages. Pending
    /// unsubscribes are still sent.
    mutating func requestAll() {
        compactRequestOrder()
        (toSubscribe, toSubscribeRetainAsPublished) = (Queue(), Queue())
        for filter in requestOrder { enqueue(filter) }
        (awaitingSuback, granted, refused) = ([:], [], [])
    }

    /// Sends one UNSUBSCRIBE. If the packet is too large for the broker, the next one has half as many filters.
    ///
    /// - Returns: whether another packet can be tried now.
    fileprivate mutating func unsubscribe(over client: borrowing MosquittoClient) -> Bool {
        let selected = Array(toUnsubscribe.prefix(packetLimit))
        switch client.unsubscribe(selected) {
        case .unsendable where selected.count > 1:
            packetLimit = selected.count / 2
            return true
        case .failed: return false
        // If a single filter is too long for an UNSUBSCRIBE, it was never subscribed to: its SUBSCRIBE would have been longer.
        case .sent, .unsendable: break
        }
        toUnsubscribe.removeFirst(selected.count)
        sentRetainAsPublished.subtract(selected)
        clearResults(Set(selected))
        packetLimit = min(Self.maxFilters, packetLimit * 2)
        return true
    }

    /// Sends one SUBSCRIBE. If the packet is too large for the broker, the next one has half as many filters.
    ///
    /// - Returns: whether another packet can be tried now.
    fileprivate mutating func subscribe(
        over client: borrowing MosquittoClient, at now: MonotonicInstant, _ unsendable: inout [(filter: MQTTFilter, code: Int32)]
    ) -> Bool {
        // First subscribe to the filters with Retain As Published, which are command topics. A command is sent only after the
        // subscription to the lock's state topics, and so after the subscription to its command topic.
        let retainAsPublished = !toSubscribeRetainAsPublished.filters.isEmpty
        let batch = packet(of: retainAsPublished ? toSubscribeRetainAsPublished : toSubscribe)
        // Since it was queued, a filter may have been unsubscribed from, or moved to the other queue.
        let selected = batch.filter { desired.contains($0) && desiredRetainAsPublished.contains($0) == retainAsPublished }
        if let first = selected.first {
            switch client.subscribe(selected, retainAsPublished: retainAsPublished) {
            case .sent(let packetID):
                awaitingSuback[packetID] = PendingRequest(sentAt: now, filters: selected)
                if retainAsPublished { sentRetainAsPublished.formUnion(selected) }
            case .unsendable where selected.count > 1:
                packetLimit = selected.count / 2
                return true
            case .unsendable(let code):
                clearResults([first])
                refused.insert(first)
                unsendable.append((first, code))
            case .failed: return false
            }
        }
        if retainAsPublished { toSubscribeRetainAsPublished.removeFirst(batch) } else { toSubscribe.removeFirst(batch) }
        packetLimit = min(Self.maxFilters, packetLimit * 2)
        return true
    }

    private mutating func compactRequestOrder() {
        var seen: Set<MQTTFilter> = []
        requestOrder = requestOrder.filter { desired.contains($0) && seen.insert($0).inserted }
    }

    private mutating func clearResults(_ filters: Set<MQTTFilter>) {
        granted.subtract(filters)
        refused.subtract(filters)
    }

    private func packet(of queue: Queue) -> ArraySlice<MQTTFilter> {
        var bytes = 0
        return queue.filters.prefix(packetLimit).prefix { filter in
            defer { bytes += filter.description.utf8.count }
            return bytes < Self.maxBytes
        }
    }

    /// Applies a SUBACK, with a reason code for each filter.
    ///
    /// - Returns: the filters that the broker refuses, and those that it grants after it had refused them.
    mutating func handleSuback(
        _ packetID: Int32, _ codes: [Int32]
    ) -> (denied: [(filter: MQTTFilter, code: Int32)], grantedLater: [MQTTFilter]) {
        var (denied, grantedLater): ([(filter: MQTTFilter, code: Int32)], [MQTTFilter]) = ([], [])
        for case (let filter?, let code) in zip(awaitingSuback.removeValue(forKey: packetID)?.filters ?? [], codes) {
            let wasRefused = refused.contains(filter)
            clearResults([filter])
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
    fileprivate mutating func clear(_ removed: Set<MQTTFilter>) {
        for index in indices where self[index].map(removed.contains) == true { self[index] = nil }
    }
}

extension MosquittoClient {
    /// Sends pending requests while the socket accepts them.
    ///
    /// - Returns: the filters that cannot be requested from this broker, with the reason codes. They count as refused.
    func sendPendingRequests(
        of subscriptions: inout Subscriptions, at now: MonotonicInstant
    ) -> [(filter: MQTTFilter, code: Int32)] {
        var unsendable: [(filter: MQTTFilter, code: Int32)] = []
        var canContinue = true
        while canContinue, subscriptions.canSendRequest, !hasUnsentBytes {
            canContinue =
                subscriptions.toUnsubscribe.isEmpty
                ? subscriptions.subscribe(over: self, at: now, &unsendable) : subscriptions.unsubscribe(over: self)
        }
        return unsendable
    }
}
