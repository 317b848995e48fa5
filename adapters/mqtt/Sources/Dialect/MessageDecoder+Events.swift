internal import DoorwardDomain
internal import DoorwardMQTT

extension MessageDecoder {
    /// Decodes the event of one part of the profile.
    ///
    /// - Parameters:
    ///   - payload: `nil` for an empty one.
    ///   - isJSON: whether another part of the profile reads JSON from the topic. If so, plain text on the topic is not an event.
    mutating func decodeEvent(_ index: Int, _ payload: Payload?, isJSON: Bool = false) throws(MalformedPayload) {
        let part = dialect.parts.events[index]
        guard let (name, values) = try part.values(message.topic, payload, isJSON: isJSON) else { return }
        if part.requestsStateAfter, !message.isRetained { requestState() }
        if part.isOnlyOnChange, !isChange(values, of: index) { return }
        containsEvent = true
        guard let meaning = part.meaning(of: values) else {
            if part.source != .topicSuffix { note(.unmapped(name)) }
            return
        }
        guard let event = meaning.event else { return }
        guard !message.isRetained else { return note(.retainedEventIgnored) }
        append(event)
        if !meaning.faults.isEmpty { state.faultsByItem[Self.eventFaults] = meaning.faults }
    }

    /// Whether a value that a bridge repeats in its merged messages has changed. The first value
    /// does not count as a change, because its age is unknown.
    private mutating func isChange(_ values: [String: String], of index: Int) -> Bool {
        let last = state.lastEventValues.updateValue(values, forKey: index)
        return last != nil && last != values && !message.isRetained
    }

    /// The key in `faultsByItem` for faults that an event reported: they last until the bolt's state is reported again.
    static let eventFaults = -1

    /// Whether the message is the last one with an event again, after the broker or the bridge has reconnected: bridges then
    /// publish their retained messages anew, and the broker delivers them as live ones.
    func repeatsLastEvent(_ route: TopicRoutes.Route) -> Bool {
        guard dialect.republishesCachedState || !route.values.isEmpty else { return false }
        let hash = messageHash
        return route.events.contains { state.repeatableEvents.contains($0) && state.lastEventMessages[$0] == hash }
    }

    mutating func recordEventMessage(_ route: TopicRoutes.Route, wasLive: Bool) {
        let hash = containsEvent ? messageHash : nil
        for index in route.events { state.lastEventMessages[index] = hash }
        if wasLive { state.repeatableEvents.subtract(route.events) }
    }

    private var messageHash: Int {
        var hasher = Hasher()
        hasher.combine(message.topic)
        hasher.combine(message.payload)
        return hasher.finalize()
    }

    private mutating func append(_ event: LockEvent) {
        if dialect.profile.quirks.contains(.ignoreOwnEcho), let inFlight = state.inFlight, event.method == .remote,
            event.kind == .operation, event.operation == inFlight.operation.eventOperation
        {
            return
        }
        if event.kind == .jam { jamFlags.insert(Self.eventFaults) }
        decoded.events.append(event)
    }
}

extension LockOperation {
    /// The operation in the event with which a lock reports this movement.
    var eventOperation: LockEvent.Operation? {
        switch self {
        case .lock: .lock
        case .unlock: .unlock
        case .unlatch: .open
        case .viewStatus, .changeSettings, .viewAccessHistory, .grantAccess, .lockdown: nil
        }
    }
}

/// The values of one message, which the event rules are compared with.
extension EventMapping {
    /// The event's name, and the values by their field names.
    typealias Values = (name: String, values: [String: String])

    /// - Returns: `nil` if the message contains no event of this part.
    func values(_ topic: String, _ payload: Payload?, isJSON: Bool) throws(MalformedPayload) -> Values? {
        switch (source, payload) {
        case (.topicSuffix, _): try suffix(topic, payload)
        case (_, nil): nil
        case (.csv, let payload?): try columns(payload.text)
        case (.json, let payload?): try object(payload)
        case (.jsonOrRaw, let payload?): try isJSON || payload.isObject ? object(payload) : bare(payload)
        }
    }

    /// Returns the value of a plain-text payload, under the field name that it has in a JSON payload.
    private func bare(_ payload: Payload) throws(MalformedPayload) -> Values? {
        guard let text = try reader.read(payload), !text.isEmpty else { return nil }
        return (text, withoutNone([reader.paths.first?.keys.last ?? "": text]))
    }

    private func columns(_ text: String) throws(MalformedPayload) -> Values {
        let texts = text.split(separator: ",", omittingEmptySubsequences: false)
        let columns = texts.compactMap { ValueType.wholeNumber(String($0)) }
        guard texts.count == fields.count, columns.count == fields.count else { throw MalformedPayload() }
        return (columns.first ?? "", withoutNone(Dictionary(zip(fields.map(\.name), columns)) { $1 }))
    }

    private func object(_ payload: Payload) throws(MalformedPayload) -> Values? {
        guard let document = try payload.json(as: .json), document.object != nil else { throw MalformedPayload() }
        guard let name = try reader.read(payload), !name.isEmpty else { return nil }
        return (name, withoutNone(fieldValues(document)))
    }

    private func suffix(_ topic: String, _ payload: Payload?) throws(MalformedPayload) -> Values {
        let label = String(topic.dropFirst(reader.topic.text.count + 1))
        var values: [String: String] = [:]
        if let document = try payload?.json(as: .jsonOrRaw) { values = withoutNone(fieldValues(document)) }
        values["label"] = label
        return (label, values)
    }
}

extension EventMapping {
    /// Applies the rules; returns `nil` if none of them names an event.
    func meaning(of values: [String: String]) -> EventMeaning? {
        var found = EventRule()
        var slot = userSlots.lazy.compactMap { values[$0] }.compactMap { Int($0) }.first
        for rule in rules {
            guard let rest = rule.match(values) else { continue }
            if !found.namesEvent { (found.kind, found.operation, found.isSilent) = (rule.kind, rule.operation, rule.isSilent) }
            found.method = found.method ?? rule.method
            found.isDone = found.isDone ?? rule.isDone
            found.rejection = found.rejection ?? rule.rejection
            found.faults.formUnion(rule.faults)
            if rule.wildcardIsUserSlot, slot == nil { slot = Int(rest) }
        }
        guard found.namesEvent else { return nil }
        guard !found.isSilent else { return EventMeaning(event: nil) }
        let kind = found.kind ?? .operation
        let event = LockEvent(
            kind: kind, operation: found.operation, isDone: kind == .operation ? found.isDone ?? isDone : found.isDone,
            method: found.method ?? (kind == .operation && reportsMethods ? .unknown : nil), userSlot: slot,
            credentialID: credentialID.flatMap { values[$0] }.flatMap { Int($0) },
            authorisationID: authorisationID.flatMap { values[$0] }.flatMap { Int($0) },
            rejection: found.isDone == true ? nil : found.rejection)
        return EventMeaning(event: event, faults: found.faults)
    }

    private var reportsMethods: Bool { rules.contains { $0.method != nil } }

    func withoutNone(_ values: [String: String]) -> [String: String] {
        values.filter { !(noneValues[$0.key]?.contains($0.value) ?? false) }
    }

    /// Returns the declared fields, and the keys that conditions may use without a declaration.
    func fieldValues(_ document: JSONText) -> [String: String] {
        var values: [String: String] = [:]
        for field in fields { values[field.name] = field.paths.lazy.compactMap { document[$0]?.eventText }.first }
        guard case .object(let keys) = document else { return values }
        for name in Set(
            rules.flatMap { $0.conditions.map(\.field) } + userSlots + [credentialID, authorisationID].compactMap { $0 })
        where values[name] == nil {
            values[name] = keys[name]?.eventText
        }
        return values
    }
}

/// The result of the event rules. The event is `nil` for a known value that is not reported.
struct EventMeaning: Hashable, Sendable {
    var event: LockEvent?
    var faults: Set<LockFault> = []
}

extension EventRule {
    /// - Returns: the text matched by `*` in the last pattern that has one; `nil` if a condition does not hold.
    func match(_ values: [String: String]) -> Substring? {
        var rest: Substring = ""
        for condition in conditions {
            guard let value = values[condition.field],
                let found = condition.patterns.lazy.compactMap({ $0.match(value) }).first
            else { return nil }
            if !found.isEmpty { rest = found }
        }
        return rest
    }
}

extension JSONText {
    /// The text of a scalar, as rules compare it; `nil` for `null`, lists and objects.
    fileprivate var eventText: String? {
        switch self {
        case .string(let text): text
        case .integer(let digits): ValueType.wholeNumber(digits)
        case .bool(let truth): "\(truth)"
        case .null, .number, .array, .object: nil
        }
    }
}
