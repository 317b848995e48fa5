package import DoorwardDomain
internal import DoorwardKernel

/// The figures of a compliance report, computed from the records of its period. Its memory does not grow with the number of records.
package struct ComplianceFigures: Sendable {
    /// The period: `[from, until)`.
    package let period: Range<Timestamp>
    /// The number of records that were read.
    package private(set) var recordCount = 0
    /// The numbers of the first and of the last record; `nil` if there is none.
    package private(set) var seqs: ClosedRange<UInt64>?
    /// Commands that ended, by operation and end state.
    package private(set) var outcomes: [LockOperation: [CommandState: Int]] = [:]
    /// Requests that were denied, by reason: when they were received, or at the moment of sending.
    package private(set) var denials: [DenialReason: Int] = [:]
    /// Commands for which the property's lockdown was overridden.
    package private(set) var overrides = 0
    /// Operations that the locks reported by themselves, by method.
    package private(set) var byHand: [EventMethod: Int] = [:]
    /// Changes to who may do what, by action.
    package private(set) var changesByAction: [ChangeAction: Int] = [:]
    /// Further events of the locks, such as `TAMPER`.
    package private(set) var events: [RecordEvent: Int] = [:]
    /// What happened in each part of the period, for charts.
    package private(set) var buckets: [Bucket]
    /// The beginnings of the buckets, and the end of the last one.
    package let limits: [Timestamp]
    /// Who sent commands.
    package private(set) var people: CappedTally<ActorKey, PersonUse>
    /// What happened at each lock.
    package private(set) var devices: CappedTally<DeviceID, DeviceUse>
    /// The denied requests.
    package private(set) var denialRows: CappedList<AccessRecord>
    /// The changes.
    package private(set) var changeRows: CappedList<AccessRecord>
    /// The commands with an override that have no outcome yet, of which there are few at a time.
    private var openOverrides: Set<CommandID> = []
    /// The overrides of a lockdown.
    package private(set) var overrideRows: CappedList<AccessRecord>
    /// When locks were offline or jammed, and what else they reported.
    package private(set) var incidents: CappedList<Incident>

    /// The maximum numbers of rows.
    package struct Caps: Sendable {
        /// Rows of each list of records.
        package var rows = 1000
        /// People, and locks, that are counted separately.
        package var keys = 10_000
        /// Holders of rights.
        package var spans = 5000
        /// Rights that are followed through the log, so that the end of each is found.
        package var followed = 250_000

        package init() {}
    }

    /// - Parameter limits: the beginnings of the buckets in ascending order, and the end of the last one.
    package init(period: Range<Timestamp>, limits: [Timestamp], caps: Caps = Caps()) {
        (self.period, self.limits) = (period, limits)
        buckets = Array(repeating: Bucket(), count: max(limits.count - 1, 0))
        people = CappedTally(limit: caps.keys, empty: PersonUse())
        devices = CappedTally(limit: caps.keys, empty: DeviceUse())
        denialRows = CappedList(limit: caps.rows)
        changeRows = CappedList(limit: caps.rows)
        overrideRows = CappedList(limit: caps.rows)
        incidents = CappedList(limit: caps.rows)
    }

    /// Identifies an actor.
    package struct ActorKey: Hashable, Sendable {
        /// The kind of the actor.
        package let kind: ActorKind
        /// `nil` for an actor without an id, such as one from outside.
        package let id: String?

        init(_ actor: RecordActor) { (kind, id) = (actor.kind, actor.id) }
    }

    /// What one actor did.
    package struct PersonUse: Sendable {
        /// The newest name in the records; `nil` if they have none, or if it was erased.
        package fileprivate(set) var name: String?
        /// The user who is responsible for the actor.
        package fileprivate(set) var userID: UserID?
        /// Confirmed unlocks and unlatches.
        package fileprivate(set) var opened = 0
        /// Other confirmed commands.
        package fileprivate(set) var otherConfirmed = 0
        /// Commands that failed, or whose effect is unknown.
        package fileprivate(set) var failed = 0
        /// Denied requests.
        package fileprivate(set) var denied = 0
        /// The time of the first of them.
        package fileprivate(set) var first: Timestamp?
        /// The time of the last of them.
        package fileprivate(set) var last: Timestamp?
    }

    /// What happened at one lock.
    package struct DeviceUse: Sendable {
        /// The newest name in the records.
        package fileprivate(set) var name: String?
        /// The property at the newest record.
        package fileprivate(set) var propertyID: PropertyID?
        /// Confirmed unlocks and unlatches by command.
        package fileprivate(set) var opened = 0
        /// Other confirmed commands.
        package fileprivate(set) var otherConfirmed = 0
        /// Commands that failed, or whose effect is unknown.
        package fileprivate(set) var failed = 0
        /// Denied requests.
        package fileprivate(set) var denied = 0
        /// Operations that the lock reported by itself.
        package fileprivate(set) var byHand = 0
        /// How often it was jammed.
        package fileprivate(set) var jams = 0
        /// How often it went offline, or was offline when the period began.
        package fileprivate(set) var outages = 0
        /// How long it was offline in the period, in milliseconds.
        package fileprivate(set) var offlineMilliseconds: Int64 = 0
        /// Since when it is offline, and the row of `incidents`.
        fileprivate var outage: (since: Timestamp, row: Int)?
        /// The row of a jam that has not ended.
        fileprivate var jam: Int?
        /// Whether a record has shown whether it is online.
        fileprivate var isConnectionKnown = false
    }

    /// A part of the period.
    package struct Bucket: Hashable, Sendable {
        /// Confirmed commands.
        package fileprivate(set) var confirmed = 0
        /// Commands that failed, or whose effect is unknown.
        package fileprivate(set) var failed = 0
        /// Denied requests.
        package fileprivate(set) var denied = 0
        /// Operations that locks reported by themselves.
        package fileprivate(set) var byHand = 0
    }

    /// A time in which a lock was offline or jammed, or another event of it.
    package struct Incident: Sendable {
        /// `OFFLINE`, `JAMMED`, or the other event.
        package let event: RecordEvent
        /// The lock.
        package let deviceID: DeviceID
        /// Its name in the record.
        package let name: String?
        /// The property at that time.
        package let propertyID: PropertyID?
        /// When it began; the beginning of the period if it had begun before.
        package let from: Timestamp
        /// Whether it had begun before the period.
        package let hadBegun: Bool
        /// When it ended; `nil` if it had not ended, or for an event without duration.
        package fileprivate(set) var until: Timestamp?
        /// The number of the record; `nil` if no record of the period shows it.
        package let seq: UInt64?
    }

    // MARK: - Adding records

    /// Adds a record. Records are added in their order.
    package mutating func add(_ record: AccessRecord) {
        let body = record.body
        guard period.contains(body.at) else { return }
        recordCount += 1
        seqs = (seqs?.lowerBound ?? record.seq)...record.seq
        switch body.kind {
        case .commandIntent: addOverride(record)
        case .commandOutcome:
            if let id = body.commandID { openOverrides.remove(id) }
            addOutcome(record)
        case .denial: addDenial(record)
        case .deviceEvent: addEvent(record)
        case .adminChange:
            if let action = body.action { changesByAction[action, default: 0] += 1 }
            changeRows.add(record)
        case .session, .gateway: break
        }
    }

    private mutating func addOverride(_ record: AccessRecord) {
        guard record.body.override != nil else { return }
        // A command has a second intent if another rule allowed it when it was sent.
        if let id = record.body.commandID, !openOverrides.insert(id).inserted { return }
        overrides += 1
        overrideRows.add(record)
    }

    private mutating func addOutcome(_ record: AccessRecord) {
        let body = record.body
        guard let operation = body.operation, let outcome = body.outcome else { return }
        outcomes[operation, default: [:]][outcome, default: 0] += 1
        if outcome == .denied { return addDenial(record) }
        let isConfirmed = outcome == .confirmed
        let opens = operation == .unlock || operation == .unlatch
        if !isConfirmed {
            count(body, \.failed, person: \.failed, device: \.failed)
        } else if opens {
            count(body, \.confirmed, person: \.opened, device: \.opened)
        } else {
            count(body, \.confirmed, person: \.otherConfirmed, device: \.otherConfirmed)
        }
        if outcome == .failed, body.outcomeDetail == "jammed" {
            beginJam(record)
        } else if isConfirmed, operation != .changeSettings {
            endJam(body)
        }
    }

    private mutating func addDenial(_ record: AccessRecord) {
        let body = record.body
        // An outcome names its reason in `reason`, and in `outcomeDetail` too.
        if let reason = body.reason ?? body.outcomeDetail.flatMap({ DenialReason(rawValue: $0) }) {
            denials[reason, default: 0] += 1
        }
        count(body, \.denied, person: \.denied, device: \.denied)
        denialRows.add(record)
    }

    private mutating func addEvent(_ record: AccessRecord) {
        let body = record.body
        switch body.event {
        case .locked?, .unlocked?, .unlatched?:
            byHand[body.method ?? .unknown, default: 0] += 1
            count(body, \.byHand, person: nil, device: \.byHand)
            endJam(body)
        case .jammed?: beginJam(record)
        case .offline?: beginOutage(record)
        case .online?: endOutage(record)
        case let event?:
            events[event, default: 0] += 1
            if Self.notable.contains(event) { incidents.add(incident(event, record)) }
        case nil: break
        }
    }

    /// The events that are listed one by one.
    private static let notable: Set<RecordEvent> = [.tamper, .batteryLow, .doorForced, .keypadLockout]

    /// Counts a record in its bucket, for its actor and for its device.
    ///
    /// - Parameter person: the count of the actor; `nil` for an event of the device, which has no actor.
    private mutating func count(
        _ body: RecordBody, _ bucket: WritableKeyPath<Bucket, Int>, person: WritableKeyPath<PersonUse, Int>?,
        device: WritableKeyPath<DeviceUse, Int>
    ) {
        // The last bucket that begins at or before the record.
        if let index = limits.lastIndex(where: { $0 <= body.at }), index < buckets.count { buckets[index][keyPath: bucket] += 1 }
        if let person {
            people.update(ActorKey(body.actor)) { use in
                use.name = body.actor.name ?? use.name
                use.userID = body.actor.userID
                (use.first, use.last) = (use.first ?? body.at, body.at)
                use[keyPath: person] += 1
            }
        }
        update(body) { $0[keyPath: device] += 1 }
    }

    private mutating func update(_ body: RecordBody, _ change: (inout DeviceUse) -> Void) {
        guard let device = body.device else { return }
        devices.update(device.deviceID) { use in
            use.name = device.deviceName ?? use.name
            use.propertyID = device.propertyID
            change(&use)
        }
    }

    // MARK: - Incidents

    private func incident(_ event: RecordEvent, _ record: AccessRecord, since begin: Timestamp? = nil) -> Incident {
        let device = record.body.device
        return Incident(
            event: event, deviceID: device?.deviceID ?? .nonexistent, name: device?.deviceName, propertyID: device?.propertyID,
            from: begin ?? record.body.at, hadBegun: begin != nil, seq: record.seq)
    }

    private mutating func beginJam(_ record: AccessRecord) {
        let row = incidents.count
        var isNew = false
        update(record.body) { use in
            guard use.jam == nil else { return }
            (use.jam, isNew) = (row, true)
            use.jams += 1
        }
        if isNew { incidents.add(incident(.jammed, record)) }
    }

    private mutating func endJam(_ body: RecordBody) {
        var row: Int?
        update(body) { (row, $0.jam) = ($0.jam, nil) }
        if let row { incidents.update(row) { $0.until = body.at } }
    }

    private mutating func beginOutage(_ record: AccessRecord) {
        let row = incidents.count
        var isNew = false
        update(record.body) { use in
            use.isConnectionKnown = true
            guard use.outage == nil else { return }
            (use.outage, isNew) = ((record.body.at, row), true)
            use.outages += 1
        }
        if isNew { incidents.add(incident(.offline, record)) }
    }

    private mutating func endOutage(_ record: AccessRecord) {
        let (at, begin, row) = (record.body.at, period.lowerBound, incidents.count)
        var (ended, hadBegun): (Int?, Bool) = (nil, false)
        update(record.body) { use in
            if let outage = use.outage {
                use.offlineMilliseconds += at.milliseconds - outage.since.milliseconds
                (ended, use.outage) = (outage.row, nil)
            } else if !use.isConnectionKnown {
                // The first record says that the lock is online again, so it was offline when the period began.
                use.offlineMilliseconds += at.milliseconds - begin.milliseconds
                use.outages += 1
                hadBegun = true
            }
            use.isConnectionKnown = true
        }
        if let ended { incidents.update(ended) { $0.until = at } }
        if hadBegun {
            incidents.add(incident(.offline, record, since: begin))
            incidents.update(row) { $0.until = at }
        }
    }

    /// Notes a lock that was offline for the whole period, if no record of the period says otherwise.
    mutating func noteSilence(of device: LockDevice, until end: Timestamp) {
        guard devices.values[device.id]?.isConnectionKnown != true else { return }
        devices.update(device.id) { use in
            (use.name, use.propertyID) = (device.name, device.propertyID)
            (use.outages, use.isConnectionKnown) = (1, true)
            use.offlineMilliseconds = max(0, min(end, period.upperBound).milliseconds - period.lowerBound.milliseconds)
        }
        incidents.add(
            Incident(
                event: .offline, deviceID: device.id, name: device.name, propertyID: device.propertyID, from: period.lowerBound,
                hadBegun: true, seq: nil))
    }

    /// Completes the figures after the last record.
    ///
    /// - Parameter now: the end of what the log can contain, if it is before the end of the period.
    package mutating func finish(at now: Timestamp) {
        let end = min(now, period.upperBound)
        for id in devices.values.keys {
            devices.update(id) { use in
                if let outage = use.outage { use.offlineMilliseconds += max(0, end.milliseconds - outage.since.milliseconds) }
            }
        }
    }

    /// The number of commands that ended in these states.
    package func commandCount(_ states: CommandState...) -> Int {
        outcomes.values.reduce(0) { sum, counts in sum + states.reduce(0) { $0 + (counts[$1] ?? 0) } }
    }

    /// The number of confirmed unlocks and unlatches.
    package var openedCount: Int {
        [LockOperation.unlock, .unlatch].reduce(0) { $0 + (outcomes[$1]?[.confirmed] ?? 0) }
    }

    /// The number of denied requests.
    package var deniedCount: Int { denialRows.count }
    /// The number of operations that locks reported by themselves.
    package var byHandCount: Int { byHand.values.reduce(0, +) }
}
