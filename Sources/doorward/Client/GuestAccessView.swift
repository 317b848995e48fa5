import DoorwardAPI
import DoorwardDomain

/// What to call the locks and people of guest accesses, by id.
struct GuestNames {
    var locks: [String: String] = [:]
    var people: [String: String] = [:]
}

/// How a guest access is shown.
struct GuestAccessView {
    let access: Wire.GuestAccess
    private let names: GuestNames
    private let now: Timestamp

    init(_ access: Wire.GuestAccess, names: GuestNames, now: Timestamp) {
        (self.access, self.names, self.now) = (access, names, now)
    }

    var guest: String {
        access.guestUserId.map { names.people[$0] ?? access.label ?? $0 } ?? access.label ?? "somebody"
    }

    var locks: String { (access.deviceIds ?? []).map { names.locks[$0] ?? $0 }.joined(separator: ", ") }

    var operations: String { (access.operations ?? []).map(Words.word).joined(separator: ", ") }

    /// Whether nobody comes in under it any more.
    var isOver: Bool { access.revokedAt != nil || (instant(access.validUntil).map { $0 <= now } ?? false) }

    /// What it is called by: its guest, and its label where that is another text.
    var candidates: [Candidate] {
        let label = access.label.flatMap { $0 == guest ? nil : $0 }
        let place = [locks, access.validUntil.map { "until \($0)" }, standing.text].compactMap(\.self).joined(separator: ", ")
        return [guest, label].compactMap { $0.map { Candidate(id: access.id, name: $0, place: place) } }
    }

    /// Where it stands by this machine's clock; the gateway's is the one that counts.
    var standing: Table.Cell {
        if access.revokedAt != nil { return Table.Cell("revoked", .dim) }
        if let until = instant(access.validUntil), until <= now { return Table.Cell("ended", .dim) }
        if let from = instant(access.validFrom), from > now { return Table.Cell("not begun", .yellow) }
        return Table.Cell("open", .green)
    }

    func row(_ style: Style) -> [Table.Cell] {
        [
            Table.Cell(guest), Table.Cell(locks), Table.Cell(operations), Table.Cell(access.validFrom.map(style.instant)),
            Table.Cell(access.validUntil.map(style.instant)), standing, Table.Cell(access.id, .dim),
        ]
    }

    /// An end of the window, in local time and as the gateway has it.
    func window(_ instant: String?, _ style: Style) -> String {
        instant.map { "\(style.instant($0)) (\($0))".printable } ?? "-"
    }

    private func instant(_ text: String?) -> Timestamp? { text.flatMap { try? Timestamp(rfc3339: $0) } }
}
