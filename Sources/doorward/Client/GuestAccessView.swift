import DoorwardAPI
import DoorwardDomain

/// Names of the locks and people of guest accesses, by id.
struct GuestNames {
    var locks: [String: String] = [:]
    var people: [String: String] = [:]
}

/// Prints a guest access.
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

    var operations: String { (access.operations ?? []).map(DisplayText.word).joined(separator: ", ") }

    /// Whether the access has ended or was revoked.
    var isOver: Bool { access.revokedAt != nil || (instant(access.validUntil).map { $0 <= now } ?? false) }

    /// The names by which the access can be found: its guest, and its label if this is a different text.
    var candidates: [NameMatch] {
        let label = access.label.flatMap { $0 == guest ? nil : $0 }
        let place = [locks, access.validUntil.map { "until \($0)" }, status.text].compactMap(\.self).joined(separator: ", ")
        return [guest, label].compactMap { $0.map { NameMatch(id: access.id, name: $0, place: place) } }
    }

    /// The status of the access by this machine's clock. Decisions depend only on the gateway's clock.
    var status: Table.Cell {
        if access.revokedAt != nil { return Table.Cell("revoked", .dim) }
        if let until = instant(access.validUntil), until <= now { return Table.Cell("expired", .dim) }
        if let from = instant(access.validFrom), from > now { return Table.Cell("scheduled", .yellow) }
        return Table.Cell("active", .green)
    }

    /// Guest accesses as a table.
    static func table(_ views: [GuestAccessView], _ style: OutputStyle) -> Table {
        var table = Table(
            "GUEST", "LOCKS", "OPERATIONS", "FROM", "UNTIL", "STATUS", "ID", rows: views.map { $0.row(style) })
        table.fittings = [.cut(to: 5), .cut(to: 5), .cut(to: 4), .whole, .whole, .whole, .id]
        return table
    }

    private func row(_ style: OutputStyle) -> [Table.Cell] {
        [
            Table.Cell(guest), Table.Cell(locks), Table.Cell(operations), cell(access.validFrom, style),
            cell(access.validUntil, style), status, Table.Cell(access.id, .dim),
        ]
    }

    private func cell(_ instant: String?, _ style: OutputStyle) -> Table.Cell {
        Table.Cell(
            instant.map(style.instant), short: instant.map { style.shortInstant($0, now: now, withSeconds: false) })
    }

    /// Returns the start or the end of the access as text: in local time, and as the gateway sent it.
    func window(_ instant: String?, _ style: OutputStyle) -> String {
        instant.map { "\(style.instant($0)) (\($0))".printable } ?? "-"
    }

    private func instant(_ text: String?) -> Timestamp? { text.flatMap { try? Timestamp(rfc3339: $0) } }
}
