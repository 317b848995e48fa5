internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

// The rows of the tables. Each row is a dictionary of texts for the template, which escapes them.

extension CompliancePage {
    typealias Row = [String: Any]

    // MARK: - Who had access

    var spanRows: [Row] {
        report.spans.map { (span: $0, holder: holder($0)) }.sorted { one, other in
            let (a, b) = (Self.order(one.span), Self.order(other.span))
            return (a, one.holder, one.span.interval.from) < (b, other.holder, other.span.interval.from)
        }.map { row(of: $0.span, holder: $0.holder) }
    }

    /// Roles by their rank, then API keys, then guest accesses.
    private static func order(_ span: AccessSpan) -> Int {
        switch span.right {
        case .role(let role, _): role?.rank ?? 8
        case .key: 9
        case .guest: 10
        }
    }

    private func holder(_ span: AccessSpan) -> String {
        switch span.right {
        case .role(_, let holding): holding.userID.map(user) ?? "–"
        case .key(_, let holding, let name, _):
            "API key \(name ?? "without a readable name")" + (holding.userID.map { " of \(user($0))" } ?? "")
        case .guest(let guest):
            guest.userID.map { user($0) + (guest.label.map { " (\($0))" } ?? "") }
                ?? ("Guest with a link" + (guest.label.map { ": \($0)" } ?? ""))
        }
    }

    private func row(of span: AccessSpan, holder: String) -> Row {
        let property = propertyID(of: span)
        let interval = span.interval
        var row: Row = ["holder": holder, "right": right(span), "place": place(of: span)]
        row["from"] = span.isBeginHidden ? "–" : text(interval.from, in: property)
        row["until"] = interval.until.map { text($0, in: property) } ?? "in force"
        row["given"] = given(span)
        row["taken"] = taken(span, property)
        var notes = span.suspensions.map { suspension in
            "account disabled from \(text(suspension.from, in: property))"
                + (suspension.until.map { " to \(text($0, in: property))" } ?? "")
        }
        if span.isMissing { notes.append("not in force now, although no record of its end was found") }
        if !notes.isEmpty { row["notes"] = notes.joined(separator: "; ") }
        return row
    }

    private func propertyID(of span: AccessSpan) -> PropertyID? {
        switch span.right {
        case .guest(let guest): guest.propertyID
        case .role(_, let holding), .key(_, let holding, _, _):
            switch holding.entity {
            case .property(let id)?: id
            case .unit(let id)?: names.property(ofUnit: id)
            case .portfolio?, nil: nil
            }
        }
    }

    private func right(_ span: AccessSpan) -> String {
        switch span.right {
        case .role(let role, _): return ReportWords.role(role)
        case .key(let role, _, _, _): return ReportWords.role(role)
        case .guest(let guest):
            guard guest.isKnown else { return "Guest access; no record of what it was for" }
            let operations = guest.operations.map(ReportWords.plain).joined(separator: ", ")
            var parts = ["Guest: \(operations.isEmpty ? "view" : operations)"]
            if guest.hasSchedule { parts.append("at recurring hours") }
            if let uses = guest.maxUses { parts.append("at most \(uses) uses") }
            let locks = guest.deviceIDs.prefix(20).map(device).joined(separator: ", ")
            let more = guest.deviceIDs.count > 20 ? " and \(guest.deviceIDs.count - 20) more" : ""
            return "\(parts.joined(separator: ", ")): \(locks)\(more)"
        }
    }

    private func place(of span: AccessSpan) -> String {
        switch span.right {
        case .role(_, let holding), .key(_, let holding, _, _): place(holding.entity)
        case .guest(let guest): guest.unitID.map { place(.unit($0)) } ?? guest.propertyID.map { place(.property($0)) } ?? "–"
        }
    }

    private func given(_ span: AccessSpan) -> String {
        if span.isBeginHidden { return "recorded outside the property" }
        let by = actor(span.begin.by).map { "\(span.isChange ? "changed " : "")by \($0)" }
        let record = span.begin.seq.map { "record \($0)" } ?? "no record in the log"
        return [by, record].compactMap(\.self).joined(separator: ", ")
    }

    private func taken(_ span: AccessSpan, _ property: PropertyID?) -> String {
        let end = span.interval.until
        guard let evidence = span.end, evidence.at == end else {
            guard end != nil else { return "" }
            return "end of its time"
        }
        switch span.endReason {
        case .grantorLeft: return "the tenancy of its grantor ended" + (evidence.seq.map { ", record \($0)" } ?? "")
        case .changed, .record:
            let by = actor(evidence.by).map { "\(span.endReason == .changed ? "changed " : "")by \($0)" }
            return [by, evidence.seq.map { "record \($0)" }].compactMap(\.self).joined(separator: ", ")
        }
    }

    // MARK: - Who used the locks

    var peopleRows: [Row] {
        let all = report.figures.people.values.sorted(byCount: { Self.total($0.counts) }) { "\($0.kind.rawValue) \($0.id ?? "")" }
        return all.prefix(Self.maxTallyRows).map { key, use in
            let actor = RecordActor(kind: key.kind, id: key.id, name: use.name, userID: use.userID)
            var row: Row = ["name": self.actor(actor) ?? "–"]
            for (name, count) in use.counts { row[name] = ReportWords.number(count) }
            row["first"] = use.first.map(time.stamp)
            row["last"] = use.last.map(time.stamp)
            return row
        }
    }

    private static func total(_ counts: KeyValuePairs<String, Int>) -> Int { counts.reduce(0) { $0 + $1.value } }

    var lockRows: [Row] {
        let all = report.figures.devices.values.sorted(byCount: { Self.total($0.counts) }) { $0 }
        return all.prefix(Self.maxTallyRows).map { id, use in
            var row: Row = ["name": use.name ?? device(id), "place": use.propertyID.map { place(.property($0)) } ?? "–"]
            for (name, count) in use.counts { row[name] = ReportWords.number(count) }
            (row["outages"], row["jams"]) = (ReportWords.number(use.outages), ReportWords.number(use.jams))
            row["offline"] = use.outages > 0 ? ReportWords.duration(use.offlineMilliseconds) : "–"
            return row
        }
    }

    // MARK: - Records

    func denialRow(_ record: AccessRecord) -> Row {
        let body = record.body
        let reason = body.reason?.rawValue ?? body.outcomeDetail ?? "–"
        return row(of: record, body.kind == .commandOutcome ? "\(reason), at the moment of sending" : reason)
    }

    func overrideRow(_ record: AccessRecord) -> Row { row(of: record, record.body.override ?? "") }

    private func row(of record: AccessRecord, _ reason: String) -> Row {
        let body = record.body
        return [
            "time": text(body.at, in: body.propertyID), "name": actor(body.actor) ?? "–",
            "lock": body.device.map { $0.deviceName ?? "lock \($0.deviceID)" } ?? "–",
            "operation": body.operation.map { ReportWords.name($0.rawValue) } ?? "–", "reason": reason, "seq": "\(record.seq)",
        ]
    }

    func changeRow(_ record: AccessRecord) -> Row {
        let body = record.body
        let (before, after) = (body.details["before"], body.details["after"])
        return [
            "time": text(body.at, in: body.propertyID), "by": actor(body.actor) ?? "–",
            "action": body.action.map(ReportWords.action) ?? "–", "target": target(body, before, after),
            "fields": fields(before, after), "seq": "\(record.seq)",
        ]
    }

    private func target(_ body: RecordBody, _ before: RecordValue?, _ after: RecordValue?) -> String {
        guard let target = body.target else { return "–" }
        let holder = (after?["userId"] ?? before?["userId"])?.text.flatMap { UserID($0) }
        let name: String? =
            switch target.type {
            case "User": UserID(target.id).map(user)
            case "LockDevice": body.device?.deviceName ?? DeviceID(target.id).map(device)
            case "Property": PropertyID(target.id).flatMap(names.property)
            case "Unit": UnitID(target.id).flatMap(names.unit)
            case "UserRoleAssociation": holder.map { "of \(user($0))" }
            default: nil
            }
        let recorded = (after?["name"] ?? after?["label"] ?? before?["name"])?.text
        return [ReportWords.type(target.type), name ?? recorded].compactMap(\.self).joined(separator: " ")
    }

    /// The changed fields, such as `name: A → B`.
    private func fields(_ before: RecordValue?, _ after: RecordValue?) -> String {
        func members(_ value: RecordValue?) -> [String: RecordValue] {
            if case .object(let members)? = value { members } else { [:] }
        }
        let (old, new) = (members(before), members(after))
        let texts = Set(old.keys).union(new.keys).sorted().map { key in
            let (from, to) = (old[key].map { text($0, key) }, new[key].map { text($0, key) })
            return switch (from, to) {
            case (let from?, let to?): "\(key): \(from) → \(to)"
            case (nil, let to?): "\(key): \(to)"
            case (let from?, nil): "\(key): was \(from)"
            case (nil, nil): key
            }
        }
        return Self.cut(texts.joined(separator: "; "), to: 600)
    }

    private func text(_ value: RecordValue, _ key: String) -> String {
        switch value {
        case .null: return "none"
        case .bool(let flag): return flag ? "yes" : "no"
        case .integer(let number): return String(number)
        case .string(let text), .personal(let text, _):
            if key.hasSuffix("serId"), let id = UserID(text) { return user(id) }
            return Self.cut(text, to: 120)
        case .withheld: return "(erased)"
        case .array(let values):
            return Self.cut(values.prefix(20).map { element in self.text(element, key) }.joined(separator: ", "), to: 300)
        case .object(let members):
            let texts = members.keys.sorted().prefix(20).map { name in "\(name) \(self.text(members[name] ?? .null, name))" }
            return Self.cut(texts.joined(separator: ", "), to: 300)
        }
    }

    private static func cut(_ text: String, to count: Int) -> String { text.count > count ? text.prefix(count) + "…" : text }

    // MARK: - Incidents

    var incidentRows: [Row] {
        report.figures.incidents.rows.map { incident in
            let lasts = incident.event == .offline || incident.event == .jammed
            let end = min(report.header.createdAt, report.figures.period.upperBound)
            let duration = (incident.until ?? max(end, incident.from)).milliseconds - incident.from.milliseconds
            return [
                "name": incident.name ?? device(incident.deviceID), "event": ReportWords.name(incident.event.rawValue),
                "from": (incident.hadBegun ? "before " : "") + text(incident.from, in: incident.propertyID),
                "until": incident.until.map { text($0, in: incident.propertyID) } ?? (lasts ? "not ended" : "–"),
                "seq": incident.seq.map { "\($0)" } ?? "–", "duration": lasts ? ReportWords.duration(duration) : "–",
            ]
        }
    }
}

extension PropertyTime {
    /// The local time with its offset, for tables, such as `2026-11-25 01:03:05 +01:00`.
    func stamp(_ instant: Timestamp) -> String {
        let offset = rules.offset(at: instant.milliseconds.flooredQuotient(by: 1000))
        let local = Timestamp(milliseconds: instant.milliseconds + offset * 1000).description
        let minutes = Int(abs(offset) / 60)
        let digits = [minutes / 60, minutes % 60].map(Self.two).joined(separator: ":")
        return "\(local.prefix(10)) \(local.dropFirst(11).prefix(8)) \(offset < 0 ? "\u{2212}" : "+")\(digits)"
    }

    /// The date, and for a part of a day the time, of the beginning of a part of a chart.
    func label(_ instant: Timestamp, isPartOfDay: Bool) -> String {
        String(stamp(instant).prefix(isPartOfDay ? 16 : 10))
    }
}

extension Dictionary {
    /// The entries with the largest count first; those with the same count in the order of their names.
    func sorted<Name: Comparable>(byCount count: (Value) -> Int, name: (Key) -> Name) -> [Element] {
        map { (entry: $0, count: count($0.value), name: name($0.key)) }
            .sorted { ($1.count, $0.name) < ($0.count, $1.name) }.map(\.entry)
    }
}

extension ComplianceFigures.PersonUse {
    /// The counts of uses, by the names of their columns.
    fileprivate var counts: KeyValuePairs<String, Int> {
        ["opened": opened, "other": otherConfirmed, "failed": failed, "denied": denied]
    }
}

extension ComplianceFigures.DeviceUse {
    /// The counts of uses, by the names of their columns.
    fileprivate var counts: KeyValuePairs<String, Int> {
        ["opened": opened, "other": otherConfirmed, "failed": failed, "denied": denied, "byHand": byHand]
    }
}

/// The words of reports for numbers and for the values of the domain.
enum ReportWords {
    /// A number with commas between thousands. It must not be negative.
    static func number(_ value: Int) -> String {
        value < 1000 ? "\(value)" : "\(number(value / 1000)),\(String(1000 + value % 1000).dropFirst())"
    }

    /// A duration in the two largest units, such as `2 d 3 h`.
    static func duration(_ milliseconds: Int64) -> String {
        let seconds = max(0, milliseconds) / 1000
        let parts = [(seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")]
        guard let first = parts.firstIndex(where: { $0.0 > 0 }) else { return milliseconds > 0 ? "under 1 s" : "0 s" }
        return parts[first...].prefix(2).filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: " ")
    }

    static func role(_ role: Role?) -> String {
        guard let role else { return "Role not named in any record" }
        return name(role.rawValue) + (role == .auditor ? " (operates no lock)" : "")
    }

    /// A word of the API in small letters, such as `timed out` for `TIMED_OUT`.
    static func plain(_ word: String) -> String { word.lowercased().replacing("_", with: " ") }

    /// The same with a capital letter, such as `Timed out`.
    static func name(_ word: String) -> String { word.prefix(1).uppercased() + plain(word).dropFirst() }

    static func method(_ method: EventMethod) -> String {
        switch method {
        case .manual: "thumb turn or handle"
        case .auto: "locked itself"
        case .rfid: "RFID"
        case .app: "another app"
        case .unknown: "not reported"
        default: plain(method.rawValue)
        }
    }

    static func action(_ action: ChangeAction) -> String {
        switch action {
        case .create: "Created"
        case .update: "Changed"
        case .delete: "Deleted"
        case .assign: "Assigned"
        case .remove: "Removed"
        case .grant: "Granted"
        case .revoke: "Revoked"
        case .move: "Moved"
        case .disable: "Disabled"
        case .enable: "Enabled"
        }
    }

    static func type(_ type: String) -> String {
        switch type {
        case "UserRoleAssociation": "role"
        case "GuestAccess": "guest access"
        case "LockDevice": "lock"
        case "APIKey": "API key"
        default: type.lowercased()
        }
    }
}
