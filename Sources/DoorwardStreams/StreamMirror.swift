// Over 400 lines because the state machine is read as a whole.
import Crypto
import DequeModule
internal import DoorwardDomain
internal import DoorwardKernel
import FoundationEssentials

/// The state of one stream: its names, and which objects the client has been sent under which of them.
///
/// A stream contains objects and not changes: an object that changes several times before it is sent is sent once, with its latest
/// value. So the memory is bounded by the subscribed objects, and a slow client receives fewer events instead of late ones. The same
/// state resumes the stream: `rewind` marks everything that was sent after a position as unknown to the client.
///
/// It has no clock, store or network, so that tests can drive it step by step.
struct StreamMirror: Sendable {
    /// The maximum number of names.
    static let maxNames = 64
    /// The maximum number of objects on one page of a snapshot.
    static let pageObjects = 100
    /// A step ends after this number of bytes.
    static let stepBytes = 32 * 1024
    /// How long it is known which objects were removed.
    static let retention = Duration.seconds(600)
    /// The maximum number of commands that are compared with the sent ones.
    static let maxCommands = 256

    /// The progress of a name.
    enum Phase: Equatable {
        /// Nothing was sent yet.
        case waiting
        /// These objects are still to be sent, the last one first.
        case listing([StreamObject])
        /// The name was resumed, and is ready when no object is waiting.
        case resuming
        /// Everything was sent; changes follow.
        case ready
        /// The caller has no right to the objects any more.
        case revoked
        /// The caller cannot subscribe to the type.
        case refused
    }

    struct Name: Sendable {
        let subscription: StreamName
        var phase = Phase.waiting
        /// Whether `beginListing` has returned the name. A name that replaces it is a new value, without this mark.
        var isBeingListed = false
        /// Whether the client must be told to drop its objects.
        var needsReset = false
        /// The event after which the client has everything; `nil` before.
        var readyAt: UInt64?
    }

    private struct Entry {
        /// The slots of the names under which the object was sent.
        var names: UInt64
        /// `nil` if it is not known which value the client has.
        var digest: StreamDigest?
        var sentAt: UInt64
    }

    private struct Removal {
        var names: UInt64
        var sentAt: UInt64
        var at: MonotonicInstant
    }

    /// By slot; `nil` for a free slot.
    private(set) var names: [Name?] = []
    private var entries: [StreamObject: Entry] = [:]
    private var removals: [StreamObject: Removal] = [:]
    private var removalOrder = Deque<(object: StreamObject, sentAt: UInt64)>()
    /// All removals after this event are known.
    private var oldestKnown: UInt64 = 0
    private var queue = Deque<StreamObject>()
    private var queued: Set<StreamObject> = []
    /// Whether every object of the names has to be compared, and whether the caller's rights have changed since the last time.
    private var isStale = false
    private var rightsChanged = false
    /// The number of the last event.
    private(set) var number: UInt64 = 0

    // MARK: - Names

    /// The names in use.
    var activeNames: [Name] { names.compactMap(\.self) }
    func name(_ text: String) -> Name? { names.lazy.compactMap(\.self).first { $0.subscription.name == text } }
    func has(_ type: StreamType) -> Bool { names.contains { $0?.subscription.query.type == type } }
    /// The number of objects and removals in memory.
    var objectCount: Int { entries.count + removals.count }
    /// Whether a step has something to do.
    var hasWork: Bool {
        isStale || !queue.isEmpty
            || activeNames.contains { name in
                if name.needsReset { return true }
                return switch name.phase {
                case .waiting, .listing, .resuming: !name.subscription.query.isStored
                case .ready, .revoked, .refused: false
                }
            }
    }

    /// The canonical text of all names, to which positions are bound.
    var namesText: String { StreamName.text(of: activeNames.map(\.subscription)) }

    /// Adds a name, or replaces the query of the name.
    ///
    /// - Returns: false if there are `maxNames` others.
    mutating func put(_ name: StreamName, needsReset: Bool = false) -> Bool {
        if let slot = slot(of: name.name) {
            guard names[slot]?.subscription.text != name.text else { return true }
            clear(slot)
            names[slot] = Name(subscription: name, needsReset: true)
            return true
        }
        guard let slot = names.firstIndex(where: { $0 == nil }) ?? (names.count < Self.maxNames ? names.count : nil) else {
            return false
        }
        if slot == names.count { names.append(nil) }
        names[slot] = Name(subscription: name, needsReset: needsReset)
        return true
    }

    /// - Returns: false if there is no such name.
    mutating func remove(_ name: String) -> Bool {
        guard let slot = slot(of: name) else { return false }
        clear(slot)
        names[slot] = nil
        return true
    }

    private func slot(of name: String) -> Int? { names.firstIndex { $0?.subscription.name == name } }

    /// Forgets everything that was sent under a name.
    private mutating func clear(_ slot: Int) {
        let others = ~(1 << UInt64(slot)) as UInt64
        for (object, entry) in entries where entry.names & ~others != 0 {
            entries[object]?.names &= others
            if entry.names & others == 0 { entries[object] = nil }
        }
        for (object, removal) in removals where removal.names & ~others != 0 {
            removals[object]?.names = removal.names & others
        }
    }

    private func mask(of object: StreamObject, _ source: some StreamSource) -> UInt64 {
        var mask: UInt64 = 0
        for (slot, name) in names.enumerated() {
            guard let name, name.phase != .refused, source.contains(object, in: name.subscription.query) else { continue }
            mask |= 1 << UInt64(slot)
        }
        return mask
    }

    private func texts(_ mask: UInt64) -> [String] {
        names.enumerated().compactMap { slot, name in mask & 1 << UInt64(slot) == 0 ? nil : name?.subscription.name }
    }

    // MARK: - Resuming

    /// Prepares the state for a client that has received the events up to `number`.
    ///
    /// - Returns: false if it cannot be resumed from there.
    mutating func rewind(to number: UInt64, at now: MonotonicInstant) -> Bool {
        forgetRemovals(at: now)
        guard number >= oldestKnown, number <= self.number else { return false }
        for (object, entry) in entries where entry.sentAt > number { entries[object]?.digest = nil }
        for slot in names.indices {
            guard let name = names[slot] else { continue }
            let isComplete = name.phase == .refused || name.readyAt.map { $0 <= number } ?? false
            guard !isComplete else {
                names[slot]?.phase = name.phase == .refused ? .refused : .resuming
                continue
            }
            clear(slot)
            names[slot] = Name(subscription: name.subscription, needsReset: true)
        }
        // Objects that were removed since then are removed once more, unless they were sent again.
        for (object, removal) in removals where removal.sentAt > number {
            enqueue(object)
            if entries[object] == nil {
                entries[object] = Entry(names: removal.names, digest: nil, sentAt: removal.sentAt)
            } else {
                entries[object]?.names |= removal.names
            }
        }
        markStale()
        return true
    }

    private mutating func forgetRemovals(at now: MonotonicInstant) {
        let oldest = now.advanced(by: .zero - Self.retention)
        while let first = removalOrder.first {
            guard let removal = removals[first.object], removal.sentAt == first.sentAt else {
                removalOrder.removeFirst()
                continue
            }
            guard removal.at < oldest || removals.count > entries.count + 4096 else { return }
            removalOrder.removeFirst()
            removals[first.object] = nil
            oldestKnown = max(oldestKnown, removal.sentAt)
        }
    }

    // MARK: - Changes

    /// Notes that an object may have changed.
    mutating func enqueue(_ object: StreamObject) {
        if queued.insert(object).inserted { queue.append(object) }
    }

    /// Marks the object as possibly changed, if the client has it or should have it.
    ///
    /// - Returns: whether there is something to do.
    mutating func markChanged(_ object: StreamObject, _ source: some StreamSource) -> Bool {
        guard has(object.type) else { return false }
        guard entries[object] != nil || mask(of: object, source) != 0 else { return false }
        enqueue(object)
        return true
    }

    /// Marks the object as possibly changed, if the client has it.
    ///
    /// - Returns: whether there is something to do.
    mutating func markChangedIfSent(_ object: StreamObject) -> Bool {
        guard entries[object] != nil else { return false }
        enqueue(object)
        return true
    }

    /// The objects of a type that the client has.
    func sent(_ type: StreamType) -> [StreamObject] { entries.keys.filter { $0.type == type } }

    /// Notes that any object may have changed.
    mutating func markStale(rightsChanged: Bool = false) {
        isStale = true
        if rightsChanged { self.rightsChanged = true }
    }

    // MARK: - Listing

    /// The new names whose objects are still to be listed. Listing many objects takes long, so it is done without the mirror; the
    /// result is passed to `endListing`.
    mutating func beginListing() -> [StreamName] {
        names.indices.compactMap { slot in
            guard let name = names[slot], name.phase == .waiting, !name.subscription.query.isStored else { return nil }
            names[slot]?.isBeingListed = true
            return name.subscription
        }
    }

    /// Takes the objects that were listed since `beginListing`, unless the name has been replaced meanwhile. Objects that have begun
    /// to be selected since then are in the queue, and others are not sent.
    mutating func endListing(_ listed: [(name: StreamName, members: [StreamObject])]) {
        for (name, members) in listed {
            guard let slot = slot(of: name.name), names[slot]?.isBeingListed == true, names[slot]?.phase == .waiting else {
                continue
            }
            names[slot]?.phase = .listing(members.reversed())
        }
    }

    // MARK: - Steps

    /// What a step produces.
    struct Output {
        var events: [(content: StreamEvent.Content, number: UInt64)] = []
        /// The objects in the events.
        var objects: [StreamObject] = []
        var bytes = 0
        var isFull: Bool { bytes >= StreamMirror.stepBytes }
    }

    mutating func emit(_ content: StreamEvent.Content, _ bytes: Int = 64, into output: inout Output) {
        number += 1
        output.events.append((content, number))
        output.bytes += bytes
    }

    /// Sends what is waiting, up to `stepBytes`.
    mutating func step(_ source: some StreamSource, at now: MonotonicInstant, into output: inout Output) {
        forgetRemovals(at: now)
        for slot in names.indices where names[slot]?.needsReset == true {
            names[slot]?.needsReset = false
            emit(.reset(name: names[slot]?.subscription.name ?? ""), into: &output)
        }
        if isStale { compareAll(source, into: &output) }
        while !output.isFull, let object = queue.popFirst() {
            queued.remove(object)
            send(object, source, at: now, into: &output)
        }
        if !output.isFull { sendPages(source, into: &output) }
        guard queue.isEmpty else { return }
        for name in activeNames where name.phase == .resuming && !name.subscription.query.isStored {
            setReady(name.subscription.name, into: &output)
        }
    }

    /// Queues everything that the client has or should have, and ends the names whose objects the caller may not see any more.
    private mutating func compareAll(_ source: some StreamSource, into output: inout Output) {
        let rightsChanged = rightsChanged
        (isStale, self.rightsChanged) = (false, false)
        for slot in names.indices {
            guard let name = names[slot], !name.subscription.query.isStored else { continue }
            switch name.phase {
            case .waiting, .refused: continue
            case .listing, .resuming, .ready, .revoked: break
            }
            let members = source.members(of: name.subscription.query)
            if members.isEmpty, rightsChanged, name.phase != .revoked, hasLostAll(slot, source) {
                clear(slot)
                revoke(name.subscription.name, into: &output)
                continue
            }
            if name.phase == .revoked, !members.isEmpty {
                names[slot]?.phase = .listing(members.reversed())
                continue
            }
            for object in members { enqueue(object) }
        }
        for object in entries.keys where object.type != .command { enqueue(object) }
    }

    /// Whether the client has objects of a name, and the caller may see none of them any more, even without the name's filters.
    private func hasLostAll(_ slot: Int, _ source: some StreamSource) -> Bool {
        guard let everything = names[slot]?.subscription.query.withoutFilters else { return false }
        let sent = entries.filter { $0.value.names & 1 << UInt64(slot) != 0 }.keys
        return !sent.isEmpty && sent.allSatisfy { !source.contains($0, in: everything) }
    }

    private mutating func send(
        _ object: StreamObject, _ source: some StreamSource, at now: MonotonicInstant, into output: inout Output
    ) {
        let (mask, former) = (mask(of: object, source), entries[object])
        let lost = (former?.names ?? 0) & ~mask
        if lost != 0 {
            emit(.removed(names: texts(lost), type: object.type, id: object.idText), into: &output)
            let names = lost | (removals[object]?.names ?? 0)
            removals[object] = Removal(names: names, sentAt: number, at: now)
            removalOrder.append((object, number))
            entries[object] = nil
        }
        guard mask != 0 else { return }
        let bytes = source.rendered(object)
        let digest = StreamDigest(bytes)
        guard former?.names != mask || former?.digest != digest else { return }
        if lost != 0, former?.digest == digest, former.map({ $0.names | mask == $0.names }) == true {
            // The client has the object, and knows under which names it is no longer selected.
            entries[object] = Entry(names: mask, digest: digest, sentAt: former?.sentAt ?? number)
            return
        }
        for slot in names.indices where mask & 1 << UInt64(slot) != 0 && names[slot]?.phase == .revoked {
            // The name has objects again; it is complete when none of its objects is waiting.
            names[slot]?.phase = .resuming
        }
        emit(.change(names: texts(mask), type: object.type, object: bytes), bytes.count + 128, into: &output)
        entries[object] = Entry(names: mask, digest: digest, sentAt: number)
        output.objects.append(object)
    }

    private mutating func sendPages(_ source: some StreamSource, into output: inout Output) {
        for slot in names.indices where !output.isFull {
            guard let name = names[slot], !name.subscription.query.isStored else { continue }
            if name.phase == .waiting { names[slot]?.phase = .listing(source.members(of: name.subscription.query).reversed()) }
            while !output.isFull, case .listing(var rest) = names[slot]?.phase ?? .ready {
                // Release the array in the name, so that it is not copied.
                names[slot]?.phase = .waiting
                sendPage(slot, &rest, source, into: &output)
                guard rest.isEmpty else {
                    names[slot]?.phase = .listing(rest)
                    continue
                }
                setReady(name.subscription.name, into: &output)
            }
        }
    }

    private mutating func sendPage(
        _ slot: Int, _ rest: inout [StreamObject], _ source: some StreamSource, into output: inout Output
    ) {
        guard let name = names[slot]?.subscription else { return }
        let bit: UInt64 = 1 << UInt64(slot)
        var (page, sent, bytes) = ([[UInt8]](), [StreamObject](), 0)
        while page.count < Self.pageObjects, bytes < Self.stepBytes, let object = rest.popLast() {
            guard source.contains(object, in: name.query) else { continue }
            let value = source.rendered(object)
            let digest = StreamDigest(value)
            // Other names have an older value, so the new value is sent for all names.
            if let former = entries[object], former.digest != digest || former.names & bit != 0 { enqueue(object) }
            page.append(value)
            sent.append(object)
            bytes += value.count + 1
            entries[object, default: Entry(names: 0, digest: digest, sentAt: 0)].names |= bit
        }
        emit(.snapshot(name: name.name, type: name.query.type, objects: page, isLast: rest.isEmpty), bytes + 128, into: &output)
        for object in sent { entries[object]?.sentAt = number }
        output.objects += sent
    }

    // MARK: - Names that are read from the store

    /// The names of a type, with the objects of the store, in these phases.
    func stored(_ type: StreamType, where matches: (Phase) -> Bool) -> [StreamName] {
        activeNames.filter { $0.subscription.query.type == type && matches($0.phase) }.map(\.subscription)
    }

    /// Sends a page of a snapshot that was read from the store.
    mutating func sendStored(_ name: String, _ type: StreamType, _ values: [[UInt8]], isLast: Bool, into output: inout Output) {
        let bytes = values.reduce(0) { $0 + $1.count + 1 }
        emit(.snapshot(name: name, type: type, objects: values, isLast: isLast), bytes + 128, into: &output)
    }

    mutating func setReady(_ name: String, into output: inout Output) { settle(name, .ready, .ready(name: name), into: &output) }

    mutating func revoke(_ name: String, into output: inout Output) {
        settle(name, .revoked, .revoked(name: name), into: &output)
    }

    mutating func refuse(_ name: String, code: String, into output: inout Output) {
        settle(name, .refused, .refused(name: name, code: code), into: &output)
    }

    /// Sends the event of a phase in which the client has everything that it gets for now.
    private mutating func settle(_ name: String, _ phase: Phase, _ content: StreamEvent.Content, into output: inout Output) {
        guard let slot = slot(of: name) else { return }
        emit(content, into: &output)
        names[slot]?.phase = phase
        names[slot]?.readyAt = number
    }

    mutating func setPhase(_ phase: Phase, of name: String) {
        if let slot = slot(of: name) { names[slot]?.phase = phase }
    }

    /// Sends a command under these names, unless the client has exactly this value.
    mutating func sendCommand(
        _ object: StreamObject, _ value: [UInt8], under chosen: [String], into output: inout Output
    ) -> Bool {
        var mask: UInt64 = 0
        for name in chosen { if let slot = slot(of: name) { mask |= 1 << UInt64(slot) } }
        let digest = StreamDigest(value)
        guard mask != 0, entries[object]?.digest != digest || entries[object]?.names != mask else { return false }
        emit(.change(names: texts(mask), type: .command, object: value), value.count + 128, into: &output)
        recordSentCommand(object, value, mask)
        return true
    }

    /// Records a command that was sent in a snapshot.
    mutating func recordSentCommand(_ object: StreamObject, _ value: [UInt8], under name: String) {
        guard let slot = slot(of: name) else { return }
        recordSentCommand(object, value, 1 << UInt64(slot) | (entries[object]?.names ?? 0))
    }

    private mutating func recordSentCommand(_ object: StreamObject, _ value: [UInt8], _ mask: UInt64) {
        entries[object] = Entry(names: mask, digest: StreamDigest(value), sentAt: number)
        let commands = entries.filter { $0.key.type == .command }
        guard commands.count > 2 * Self.maxCommands else { return }
        // Commands end and are never removed, so the oldest ones need no entry.
        let oldest = commands.sorted { $0.value.sentAt < $1.value.sentAt }.prefix(Self.maxCommands)
        for (object, _) in oldest { entries[object] = nil }
    }

    /// Whether the client has been sent the value that the object has now, and may see it.
    func isCurrent(_ object: StreamObject, _ source: some StreamSource) -> Bool {
        mask(of: object, source) != 0 && entries[object]?.digest == StreamDigest(source.rendered(object))
    }
}

/// Identifies a rendered value.
struct StreamDigest: Hashable {
    // Not one `UInt128`, whose alignment makes each entry of a mirror 8 bytes larger.
    private let high: UInt64
    private let low: UInt64

    init(_ bytes: [UInt8]) {
        (high, low) = SHA256.hash(data: bytes).withUnsafeBytes { digest in
            (digest.loadUnaligned(as: UInt64.self), digest.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
    }
}
