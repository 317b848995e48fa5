internal import DoorwardControl
internal import DoorwardDomain
internal import Mustache

/// The document of a compliance report. The templates escape every value but the charts, which contain no text of others.
struct CompliancePage {
    let report: ComplianceReport
    let names: ComplianceNames
    let time: ReportTime
    /// The time zones of the properties.
    private let times: [PropertyID: ReportTime]

    init(_ report: ComplianceReport) {
        let names = report.names
        (self.report, self.names) = (report, names)
        time = ReportTime(zone: names.zone(of: report.header.request.place))
        var times: [PropertyID: ReportTime] = [:]
        for id in Set(report.figures.devices.values.values.compactMap(\.propertyID)) {
            times[id] = ReportTime(zone: names.zone(of: id))
        }
        self.times = times
    }

    /// The beginning of the document, which needs no record.
    static func head(_ header: ComplianceHeader) -> String {
        ComplianceTemplate.head.render([
            "title": title(header), "policy": ComplianceStyle.policy, "style": ComplianceStyle.sheet,
        ])
    }

    private static func title(_ header: ComplianceHeader) -> String {
        let period = header.request.period
        return "Compliance report \(period.lowerBound.description.prefix(10)) to \(period.upperBound.description.prefix(10))"
    }

    /// The rest of the document.
    var body: String {
        let figures = report.figures
        let reasons = figures.denials.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key.rawValue < $1.key.rawValue }
        var values: [String: Any] = ["place": placeName, "facts": facts, "figures": figureRows]
        values["isProperty"] = isProperty
        values["readsPortfolio"] = report.header.readsPortfolio
        values["bars"] = ReportChart.bars(figures, time)
        if !reasons.isEmpty {
            values["reasonChart"] = ReportChart.reasons(reasons.map { (ReportWords.plain($0.key.rawValue), $0.value) })
        }
        values["reasons"] = reasons.map { reason, count -> Row in
            ["reason": reason.rawValue, "sentence": reason.sentence, "count": ReportTime.number(count)]
        }
        values["spans"] = spanRows
        values["people"] = peopleRows
        values["locks"] = lockRows
        values["methods"] = methodRows
        values["denials"] = figures.denialRows.rows.map(denialRow)
        values["overrides"] = figures.overrideRows.rows.map(overrideRow)
        values["changes"] = figures.changeRows.rows.map(changeRow)
        values["incidents"] = incidentRows
        values.merge(cuts) { $1 }
        values.merge(proof) { $1 }
        return ComplianceTemplate.body.render(values)
    }

    private var methodRows: [Row] {
        let sorted = report.figures.byHand.sorted {
            $0.value != $1.value ? $0.value > $1.value : $0.key.rawValue < $1.key.rawValue
        }
        return sorted.map { method, count -> Row in ["name": ReportWords.method(method), "count": ReportTime.number(count)] }
    }

    // MARK: - Head

    private var isProperty: Bool { if case .property = report.header.request.place { true } else { false } }

    private var placeName: String {
        switch report.header.request.place {
        case .portfolio: names.portfolio ?? "Portfolio"
        case .property(let id): names.property(id) ?? "Property"
        }
    }

    private var facts: [[String: String]] {
        let (header, figures) = (report.header, report.figures)
        let id =
            switch header.request.place {
            case .portfolio(let id): id.description
            case .property(let id): id.description
            }
        let by = header.createdBy.name ?? header.createdBy.id ?? header.createdBy.kind.rawValue
        var read = "\(ReportTime.number(figures.recordCount)) records of the period"
        if let seqs = figures.seqs {
            read += ", records \(ReportTime.number(Int(seqs.lowerBound))) to \(ReportTime.number(Int(seqs.upperBound)))"
        }
        if figures.period.upperBound > header.createdAt { read += ", up to the time of the request" }
        let zones =
            isProperty
            ? "local times of the property (\(time.zone))"
            : "local times of the property that a row concerns; all others in \(time.zone)"
        let facts: [(String, String)] = [
            ("Period", "\(time.text(figures.period.lowerBound)) up to, not including, \(time.text(figures.period.upperBound))"),
            ("Times", zones), (isProperty ? "Property" : "Portfolio", id),
            ("Requested", "\(time.text(header.createdAt)) by \(by), record \(header.proof.seq)"), ("Read", read),
        ]
        return facts.map { ["name": $0.0, "value": $0.1] }
    }

    private var figureRows: [[String: String]] {
        let figures = report.figures
        let devices = figures.devices.values.values
        let rows: [(String, String, Int)] = [
            ("opened", "doors opened by command (unlock, unlatch; confirmed by the lock)", figures.openedCount),
            ("confirmed", "commands confirmed in all", figures.commandCount(.confirmed)),
            ("failed", "commands failed, or with unknown effect", figures.commandCount(.failed, .timedOut, .unknown)),
            ("denied", "requests denied", figures.deniedCount), ("overrides", "lockdowns overridden", figures.overrides),
            ("byHand", "operations reported by the locks themselves", figures.byHandCount),
            ("changes", "changes to who may do what", figures.changeRows.count),
            ("rights", "rights that were in force", report.spans.count + report.omittedSpans),
            ("outages", "times that a lock was offline", devices.reduce(0) { $0 + $1.outages }),
            ("jams", "times that a lock was jammed", devices.reduce(0) { $0 + $1.jams }),
        ]
        return rows.map { ["id": $0.0, "name": $0.1, "value": ReportTime.number($0.2)] }
    }

    /// The statements of what the tables leave out.
    private var cuts: [String: Any] {
        let figures = report.figures
        func cut(_ shown: Int, _ count: Int, _ what: String) -> String? {
            guard shown < count else { return nil }
            return "The table shows the first \(ReportTime.number(shown)) of \(ReportTime.number(count)) \(what); "
                + "\(ReportTime.number(count - shown)) are left out. An export has every record."
        }
        let (spans, people, devices) = (report.spans.count, figures.people.values.count, figures.devices.values.count)
        let all: [String: String?] = [
            "spansCut": cut(spans, spans + report.omittedSpans, "rights"),
            "spansUncounted": Self.uncounted(report.unfollowedRecords, "rights"),
            "denialsCut": cut(figures.denialRows.rows.count, figures.denialRows.count, "denied requests"),
            "overridesCut": cut(figures.overrideRows.rows.count, figures.overrideRows.count, "overrides"),
            "changesCut": cut(figures.changeRows.rows.count, figures.changeRows.count, "changes"),
            "incidentsCut": cut(figures.incidents.rows.count, figures.incidents.count, "events"),
            "peopleCut": cut(min(people, Self.maxTallyRows), people, "people and keys, those with most use first"),
            "locksCut": cut(min(devices, Self.maxTallyRows), devices, "locks, those with most use first"),
            "peopleUncounted": Self.uncounted(figures.people.uncounted, "people and keys"),
            "locksUncounted": Self.uncounted(figures.devices.uncounted, "locks"),
        ]
        return all.compactMapValues(\.self)
    }

    static let maxTallyRows = 500

    private static func uncounted(_ count: Int, _ what: String) -> String? {
        guard count > 0 else { return nil }
        return "\(ReportTime.number(count)) further records are of more \(what) than the report counts one by one."
    }

    private var proof: [String: Any] {
        let proof = report.header.proof
        return [
            "log": proof.log.description, "origin": proof.origin, "size": ReportTime.number(Int(proof.size)),
            "ownRecord": "\(proof.seq)", "checkpoint": proof.checkpoint, "publicKey": proof.publicKey,
        ]
    }

    // MARK: - Cells

    /// The time of a record of a property, in the property's zone.
    func text(_ instant: Timestamp, in property: PropertyID?) -> String {
        (property.flatMap { times[$0] ?? ReportTime(zone: names.zone(of: $0)) } ?? time).text(instant)
    }

    /// The name of an actor: the one in its record, as a record keeps it.
    func actor(_ actor: RecordActor?) -> String? {
        guard let actor else { return nil }
        switch actor.kind {
        case .user: return actor.name ?? actor.userID.map(user)
        case .guestLink: return "Guest link: \(actor.name ?? actor.id ?? "–")"
        case .apiKey: return "API key \(actor.name ?? actor.id ?? "–")" + (actor.userID.map { " of \(user($0))" } ?? "")
        case .device: return "The lock"
        case .gateway: return "The gateway"
        case .outside: return "Outside: no access to this portfolio"
        }
    }

    func user(_ id: UserID) -> String { names.user(id) ?? "former user \(id)" }

    func place(_ entity: AssociatedEntity?) -> String {
        switch entity {
        case .portfolio?: "Portfolio"
        case .property(let id)?: names.property(id) ?? "Property \(id)"
        case .unit(let id)?: names.unit(id) ?? "Unit \(id)"
        case nil: "–"
        }
    }

    func device(_ id: DeviceID) -> String { names.device(id) ?? report.figures.devices.values[id]?.name ?? "lock \(id)" }
}
