/// What a connection is to hear, and how far the broker has been asked for it.
struct Subscriptions {
    /// What somebody wants from now on, or no longer.
    enum Change: Sendable {
        /// Asked for also where it was before: the broker hands out what it keeps once more.
        case want([MQTTFilter])
        case leave([MQTTFilter])
    }

    /// Filters in one packet, bytes of them where there is more than one, and packets without an answer, at the most: well below
    /// any broker's limit of a packet's size, and so few that ten thousand filters hold up no frame.
    private static let (most, mostBytes, mostPackets) = (50, 16 * 1024, 4)

    private var wanted: Set<MQTTFilter> = []
    /// Not asked for yet on this connection, the next first; each once.
    private var toAsk: [MQTTFilter] = []
    private var isToBeAsked: Set<MQTTFilter> = []
    private var toLeave: [MQTTFilter] = []
    /// What was asked for under a packet's number, and is not answered.
    private var asked: [Int32: [MQTTFilter]] = [:]

    /// Whether there is something to tell the broker at this moment.
    var isWaiting: Bool { (!toAsk.isEmpty && asked.count < Self.mostPackets) || !toLeave.isEmpty }

    mutating func apply(_ changes: [Change]) {
        for change in changes {
            switch change {
            case .want(let filters):
                wanted.formUnion(filters)
                for filter in filters where isToBeAsked.insert(filter).inserted { toAsk.append(filter) }
                if !toLeave.isEmpty { toLeave.removeAll(where: wanted.contains) }
            case .leave(let filters):
                wanted.subtract(filters)
                toLeave += filters
            }
        }
    }

    /// On a connection that has just been made the broker knows of nothing.
    mutating func beginAnew() {
        (toAsk, isToBeAsked) = (Array(wanted), wanted)
        (toLeave, asked) = ([], [:])
    }

    /// Tells the broker, as long as the socket takes it.
    fileprivate mutating func ask(over handle: borrowing Handle) {
        while isWaiting, !handle.hasUnsentBytes {
            if !toLeave.isEmpty {
                let some = Array(toLeave.prefix(Self.most))
                guard handle.unsubscribe(some) else { return }
                toLeave.removeFirst(some.count)
                continue
            }
            let taken = nextToAsk()
            let some = taken.filter(wanted.contains)
            if !some.isEmpty {
                guard let number = handle.subscribe(some) else { return }
                asked[number] = some
            }
            isToBeAsked.subtract(taken)
            toAsk.removeFirst(taken.count)
        }
    }

    private func nextToAsk() -> ArraySlice<MQTTFilter> {
        var bytes = 0
        return toAsk.prefix(Self.most).prefix { filter in
            defer { bytes += filter.description.utf8.count }
            return bytes < Self.mostBytes
        }
    }

    /// Takes the broker's answer in: a reason code for each filter.
    ///
    /// - Returns: those that it does not give.
    mutating func answered(_ number: Int32, _ codes: [Int32]) -> [(filter: MQTTFilter, code: Int32)] {
        guard let filters = asked.removeValue(forKey: number) else { return [] }
        return zip(filters, codes).filter { $1 >= 0x80 }.map { ($0, $1) }
    }
}

extension Handle {
    /// Tells the broker what there is to tell, as long as the socket takes it.
    func tell(_ subscriptions: inout Subscriptions) { subscriptions.ask(over: self) }
}
