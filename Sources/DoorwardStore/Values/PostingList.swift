internal import DoorwardDomain
internal import DoorwardKernel
import FoundationEssentials
import GRDB

/// A posting list: for each log, the positions of the entries that have one value in one column. A list of commands contains only
/// those of these entries that are the intent of a new command. The positions are stored in blocks in `postings`.
enum PostingList: Hashable {
    /// The entries that match. The match must have a posting list.
    case entries(EntrySelection.Match)
    /// The commands of a device, unit, property or actor.
    case commands(EntrySelection.Match)

    /// The number that the database stores for the kind of list. It is never reused for another kind.
    var facet: Int64 {
        switch self {
        case .commands(let match): match.facet + 16
        case .entries(let match): match.facet
        }
    }

    /// The value of the column `value`: the 16 bytes of an id, or an enum value in UTF-8.
    var value: [UInt8] {
        switch self {
        case .commands(let match), .entries(let match):
            switch match {
            case .device(let id): [UInt8](id.blob)
            case .unit(let id): [UInt8](id.blob)
            case .property(let id): [UInt8](id.blob)
            case .actor(let id): [UInt8](id.blob)
            case .denied: []
            case .kind(let kind): Array(kind.rawValue.utf8)
            case .reason(let reason): Array(reason.rawValue.utf8)
            case .outcome(let outcome): Array(outcome.rawValue.utf8)
            case .operation(let operation): Array(operation.rawValue.utf8)
            }
        }
    }
}

/// A column of `entries` that repeats a value of the record.
struct RepeatedColumn: Sendable {
    let name: String
    let value: @Sendable (RecordBody) -> (any Bindable & DatabaseValueConvertible)?

    private init(_ name: String, _ value: @escaping @Sendable (RecordBody) -> (any Bindable & DatabaseValueConvertible)?) {
        (self.name, self.value) = (name, value)
    }

    /// The gateway's log belongs to no property or unit. Its records can contain the id of a property or unit, but the readers of that
    /// property or unit must not find these records.
    static let all = [
        RepeatedColumn("at") { $0.at.milliseconds }, RepeatedColumn("record_id") { $0.id.blob },
        RepeatedColumn("device_id") { $0.device?.deviceID.blob },
        RepeatedColumn("unit_id") { $0.log == .gateway ? nil : $0.unitID?.blob },
        RepeatedColumn("property_id") { $0.log == .gateway ? nil : $0.propertyID?.blob },
        RepeatedColumn("actor_user_id") { $0.actor.userID?.blob },
        RepeatedColumn("is_denied") { $0.decision.map { $0 == .denied } }, RepeatedColumn("kind") { $0.kind.rawValue },
        RepeatedColumn("operation") { $0.operation?.rawValue }, RepeatedColumn("reason") { $0.reason?.rawValue },
        RepeatedColumn("outcome") { $0.outcome?.rawValue },
    ]
}

/// The indexed part of an entry: its position, its time, and the values by which lists select the entry.
struct IndexedEntry {
    let position: EntryKey
    let at: Timestamp
    /// The matches that have a posting list.
    let matches: [EntrySelection.Match]
    /// Whether the entry is the intent that began a command.
    var isCommand: Bool

    /// The columns of `entries` that `init(_:)` reads, in the order in which it reads them.
    static let columns = "position, at, device_id, unit_id, property_id, actor_user_id, is_denied, kind, reason, outcome"

    init(_ body: RecordBody, at position: EntryKey) {
        // The gateway's log belongs to no unit or property, even if its records contain the ids of a unit or property.
        let isTenants = body.log != .gateway
        self.init(
            position, body.at,
            [
                body.device.map { .device($0.deviceID) }, isTenants ? body.unitID.map { .unit($0) } : nil,
                isTenants ? body.propertyID.map { .property($0) } : nil, body.actor.userID.map { .actor($0) },
                body.decision == .denied ? .denied(true) : nil, .kind(body.kind), body.reason.map { .reason($0) },
                body.outcome.map { .outcome($0) },
            ])
    }

    /// - Parameter row: a row with `columns`.
    init(_ row: ColumnReader) {
        self.init(
            EntryKey(rawValue: row.integer(0)), Timestamp(milliseconds: row.integer(1)),
            [
                row.id(2).map { .device($0) }, row.id(3).map { .unit($0) }, row.id(4).map { .property($0) },
                row.id(5).map { .actor($0) }, row.integer(6) == 1 ? .denied(true) : nil, row.word(7).map { .kind($0) },
                row.word(8).map { .reason($0) }, row.word(9).map { .outcome($0) },
            ])
    }

    private init(_ position: EntryKey, _ at: Timestamp, _ matches: [EntrySelection.Match?]) {
        (self.position, self.at, isCommand) = (position, at, false)
        self.matches = matches.compactMap { $0.flatMap { $0.isIndexed ? $0 : nil } }
    }

    /// The posting lists that contain the entry.
    var lists: [PostingList] {
        let lists = matches.map { PostingList.entries($0) }
        return isCommand ? lists + matches.filter(\.hasCommands).map { .commands($0) } : lists
    }
}

/// The encoding of a row of `postings`: ascending `seq`s of one log, stored as the first `seq` and the differences between
/// consecutive ones.
enum PostingBlock {
    /// The maximum number of `seq`s in a block.
    static let capacity = 128

    /// Returns the differences between consecutive `seq`s as LEB128 (DWARF 5, section 7.6, unsigned).
    static func deltas(of seqs: some Collection<UInt64>) -> [UInt8] {
        guard var last = seqs.first else { return [] }
        var bytes: [UInt8] = []
        for seq in seqs.dropFirst() {
            append(seq - last, to: &bytes)
            last = seq
        }
        return bytes
    }

    static func append(_ delta: UInt64, to bytes: inout [UInt8]) {
        var rest = delta
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Returns the `seq`s of a block; `nil` if `deltas` does not encode `count` ascending `seq`s that end with `last`.
    static func seqs(first: Int64, last: Int64, count: Int64, deltas: [UInt8]) -> [UInt64]? {
        guard first >= 0, last >= first, (1...Int64(capacity)).contains(count) else { return nil }
        var seqs = [UInt64(first)]
        var (delta, shift): (UInt64, UInt64) = (0, 0)
        for byte in deltas {
            guard shift <= 35 else { return nil }
            delta |= UInt64(byte & 0x7F) << shift
            shift += 7
            guard byte < 0x80 else { continue }
            guard delta > 0 else { return nil }
            seqs.append(seqs[seqs.count - 1] + delta)
            (delta, shift) = (0, 0)
        }
        return shift == 0 && seqs.count == Int(count) && seqs.last == UInt64(last) ? seqs : nil
    }
}

/// The position of an entry in the table that contains all logs: the log's key times 2^40, plus the entry's `seq` in the log.
///
/// A position can represent 2^23 logs with 2^40 records each.
struct EntryKey: Hashable, Comparable {
    let rawValue: Int64

    private static let seqBits: Int64 = 40

    init(rawValue: Int64) { self.rawValue = rawValue }

    init(logKey: Int64, seq: UInt64) { rawValue = logKey << Self.seqBits | Int64(seq) }

    var logKey: Int64 { rawValue >> Self.seqBits }

    var seq: UInt64 { UInt64(rawValue & ((1 << Self.seqBits) - 1)) }

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
