internal import DoorwardDomain
internal import DoorwardMQTT

extension MessageDecoder {
    mutating func decodeValue(_ index: Int, _ payload: Payload) throws(MalformedPayload) {
        let part = dialect.parts.values[index]
        guard let text = try part.reader.read(payload) else { return }
        if part.aspect == .batteryLevel { return decodeLevel(text) }
        guard let meaning = part.meaning(of: text) else { return decodeUnmapped(part, index, text) }
        apply(meaning, of: part, index, payload)
    }

    private mutating func decodeLevel(_ text: String) {
        // `Double` also parses hexadecimal numbers, which no lock sends.
        guard !text.contains(where: { $0 == "x" || $0 == "X" }), let level = Double(text), level.isFinite,
            (0...100).contains(level)
        else { return note(.outOfRange) }
        report.battery = level
        state.otherValues.battery = level
    }

    /// Resets the value to unknown: an unmapped text must not leave the former value in place.
    private mutating func decodeUnmapped(_ part: StateMapping, _ index: Int, _ text: String) {
        note(.unmapped(text))
        switch part.aspect {
        case .state: observe(.unknown, of: part, index, time: nil)
        case .door: (report.door, state.otherValues.door) = (.unknown, .unknown)
        case .availability: setAvailability(index, .unknown)
        case .batteryLevel, .batteryLow, .faults: break
        }
        state.faultsByItem[index] = nil
        state.activeEvents.remove(index)
    }

    private mutating func apply(_ meaning: ValueMeaning, of part: StateMapping, _ index: Int, _ payload: Payload) {
        if part.aspect == .state, !decodeState(meaning, of: part, index, payload) { return }
        if let door = meaning.door { (report.door, state.otherValues.door) = (door, door) }
        if let isLow = meaning.isLow { (report.isBatteryLow, state.otherValues.isBatteryLow) = (isLow, isLow) }
        if let availability = meaning.availability { setAvailability(index, availability) }
        if !meaning.faults.isEmpty { report.faults = meaning.faults }
        state.faultsByItem[index] = meaning.faults.isEmpty ? nil : meaning.faults
        raise(meaning.event, index)
    }

    /// Raises an event when its value appears, not while it is repeated.
    private mutating func raise(_ kind: LockEvent.Kind?, _ index: Int) {
        let isFirst = state.seenItems.insert(index).inserted
        guard let kind else {
            state.activeEvents.remove(index)
            state.passingJam?.end(index)
            return
        }
        guard state.activeEvents.insert(index).inserted else { return }
        // If the first message is retained, or is from a bridge that repeats all values, its event may have happened at any time
        // before. An event in a later message has happened since the previous message.
        if isFirst, message.isRetained || (state.isNewlyAttached && dialect.republishesCachedState) { return }
        guard !mayBeStale(index), kind != .jam || !message.isRetained else { return }
        // Raise an event once if the lock reports it in two values.
        if !decoded.events.contains(where: { $0.kind == kind }) { decoded.events.append(LockEvent(kind: kind)) }
        if kind == .jam { jamFlags.insert(index) }
    }

    /// Whether the message has a state in the part `index` that may be older than the last command.
    private func mayBeStale(_ index: Int) -> Bool {
        guard let observed, observed.part == index, let filter = state.staleStateFilter, filter.concerns(observed.position) else {
            return false
        }
        return !filter.isFresh(StaleStateFilter.PositionReport(position: observed.position, time: observed.time), of: index)
    }

    // MARK: The bolt

    /// - Returns: false if the value is ignored: it is older than the known state, or another topic
    ///   has already reported its meaning.
    private mutating func decodeState(_ meaning: ValueMeaning, of part: StateMapping, _ index: Int, _ payload: Payload) -> Bool {
        if meaning.isReevaluation {
            reevaluate(index)
            return true
        }
        guard let position = meaning.position else { return true }
        // Ignore a value with several meanings if another topic has already reported which of them applies.
        guard meaning.unlessFaults.isDisjoint(with: state.faultsByItem.values.reduce(into: []) { $0.formUnion($1) }) else {
            return false
        }
        let time = part.times.lazy.compactMap { payload.time(at: $0) }.first
        let isOlder = if let time, let last = state.states[index]?.time { time < last } else { false }
        if isOlder, !isAfterClockChange(index, time) { return false }
        observe(position, of: part, index, time: time, isOutOfDate: isOlder)
        observed?.faults = meaning.faults
        observed?.isHalfWay = position == .jammed && (meaning.event == .jam || meaning.faults.contains(.notFullyLocked))
        return true
    }

    /// Whether a report with a timestamp before that of the known state shows that the device's
    /// clock was set back. This is so if the timestamp is after that of the previous such report.
    /// The first such report may be a repetition, so the state is requested after it.
    private mutating func isAfterClockChange(_ index: Int, _ time: Int64?) -> Bool {
        guard !message.isRetained else { return false }
        let before = state.states[index]?.olderTime
        state.states[index]?.olderTime = time
        guard let time, let before else {
            decoded.publish += dialect.stateRequests
            return false
        }
        return before < time
    }

    private mutating func observe(
        _ position: BoltState, of part: StateMapping, _ index: Int, time: Int64?, isOutOfDate: Bool = false
    ) {
        let last = state.states[index]
        let isRepeated = isOutOfDate || (time != nil && time == last?.time)
        // Ignore a report that a bridge repeats from its cache: it must not change the quality of a confirmed state.
        if isRepeated, last?.position == position, state.quality == .confirmed { return }
        let quality = quality(of: position, part, isRepeated: isRepeated)
        state.states[index] = DialectState.ReportedState(position: position, quality: quality, time: time ?? last?.time)
        observed = ObservedState(position: position, quality: quality, part: index, time: time)
    }

    /// Hashes the other values of a merged message, to detect whether one of them caused the message.
    mutating func hashOtherValues(_ route: TopicRoutes.Route, _ payload: Payload) {
        let states = route.values.map { dialect.parts.values[$0] }.filter { $0.aspect == .state }
        guard !states.isEmpty, case .object(var members)? = try? payload.json(as: .json) else { return }
        for key in states.flatMap(\.reader.paths).compactMap(\.keys.first) + states.flatMap(\.volatile) { members[key] = nil }
        members = members.filter { $0.value != .null && $0.value != .string("") }
        state.otherValues.rest = members.isEmpty ? nil : members.hashValue
    }

    private func quality(of position: BoltState, _ part: StateMapping, isRepeated: Bool) -> StateQuality {
        if message.isRetained || isRepeated { return state.availability == .offline ? .stale : .retained }
        if part.assumed?.text == "true" { return .assumed }
        let isMoving = [.locking, .unlocking, .opening].contains(position)
        return isMoving && dialect.profile.quirks.contains(.syntheticIntermediate) ? .assumed : .confirmed
    }

    /// Discards the state that a topic reported. If it is the current state, the last state of
    /// another topic becomes the current one, marked as stale.
    private mutating func reevaluate(_ index: Int) {
        let isHeld = state.passingJam?.flags.contains(index) ?? false
        if isHeld { state.passingJam?.isPosition = false }
        guard let ended = state.states.removeValue(forKey: index), ended.position == state.position || isHeld else { return }
        let other = state.states.min { $0.key < $1.key }?.value
        observed = ObservedState(position: other?.position ?? .unknown, quality: .stale, part: index, time: nil)
    }

    // MARK: Availability

    private mutating func setAvailability(_ index: Int, _ availability: Availability) {
        state.availabilityByItem[index] = availability
        if availability == .online, !message.isRetained { state.repeatableEvents = Set(dialect.parts.events.indices) }
        let items = dialect.parts.values.indices.filter { dialect.parts.values[$0].aspect == .availability }
        let seen = items.map { state.availabilityByItem[$0] ?? .unknown }
        let whole: Availability =
            switch dialect.parts.availabilityMode {
            case .latest: availability
            case .all: seen.contains(.offline) ? .offline : seen.contains(.unknown) ? .unknown : .online
            case .any: seen.contains(.online) ? .online : seen.contains(.unknown) ? .unknown : .offline
            }
        (state.availability, report.availability) = (whole, whole)
    }
}

extension Payload {
    /// Returns a timestamp of the device's own clock; `nil` if there is none.
    func time(at path: JSONPath) -> Int64? {
        guard let document = try? json(as: .jsonOrRaw), case .integer(let digits)? = document[path] else { return nil }
        return Int64(digits)
    }
}

extension Diagnostic {
    /// Returns a diagnostic with the raw text. Runs of four digits or more, which may be a code, and control characters are
    /// masked.
    static func unmapped(_ text: String) -> Diagnostic {
        let scalars = text.unicodeScalars.prefix(64).map { scalar in
            [.control, .format].contains(scalar.properties.generalCategory) ? "·" : scalar
        }
        let raw = String(String.UnicodeScalarView(scalars))
        return .unmappedValue(raw.replacing(/[0-9]{4,}/.matchingSemantics(.unicodeScalar), with: "••••"))
    }
}
