internal import DoorwardControl
internal import DoorwardDomain

/// The document of a compliance report. The templates escape every value except the charts, which contain no text from outside.
struct CompliancePage {
    let report: ComplianceReport
    let names: ComplianceNames
    let time: PropertyTime
    /// The time zones of the properties.
    private let times: [PropertyID: PropertyTime]

    init(_ report: ComplianceReport) {
        let names = report.names
        (self.report, self.names) = (report, names)
        time = PropertyTime(zone: names.zone(of: report.header.request.place))
        var times: [PropertyID: PropertyTime] = [:]
        for id in Set(report.figures.devices.values.values.compactMap(\.propertyID)) {
            times[id] = PropertyTime(zone: names.zone(of: id))
        }
        self.times = times
    }

    static let frame = HTMLPage(style: .text(PageStyle.reports))

    /// The beginning of the document, for which no record is read.
    static func head(_ header: ComplianceHeader) -> String {
        frame.beginning(
            "\(title(header)) - Doorward",
            // The policy is also in the document, for a report that was saved as a file.
            head: """

                <meta http-equiv="Content-Security-Policy" content="\(frame.policy)">
                <meta name="referrer" content="no-referrer">
                """)
    }

    private static func title(_ header: ComplianceHeader) -> String {
        let period = header.request.period
        return "Compliance report \(period.lowerBound.description.prefix(10)) to \(period.upperBound.description.prefix(10))"
    }

    /// The rest of the document.
    var body: String {
        let figures = report.figures
        let reasons = figures.denials.sorted(byCount: { $0 }) { $0.rawValue }
        var values: [String: Any] = ["place": placeName, "facts": facts, "figures": figureRows]
        values["isProperty"] = isProperty
        values["readsPortfolio"] = report.header.readsPortfolio
        values["bars"] = ReportChart.bars(figures, time)
        if !reasons.isEmpty {
            values["reasonChart"] = ReportChart.reasons(reasons.map { (ReportWords.plain($0.key.rawValue), $0.value) })
        }
        values["reasons"] = reasons.map { reason, count -> Row in
            ["reason": reason.rawValue, "sentence": reason.sentence, "count": ReportWords.number(count)]
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
        return ComplianceTemplate.body.render(values) + Self.frame.end
    }

    private var methodRows: [Row] {
        report.figures.byHand.sorted(byCount: { $0 }) { $0.rawValue }.map { method, count in
            ["name": ReportWords.method(method), "count": ReportWords.number(count)]
        }
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
        let by = header.createdBy.name ?? header.createdBy.id ?? header.createdBy.kind.rawValue
        var read = "\(ReportWords.number(figures.recordCount)) records of the period"
        if let seqs = figures.seqs {
            read += ", records \(ReportWords.number(Int(seqs.lowerBound))) to \(ReportWords.number(Int(seqs.upperBound)))"
        }
        if figures.period.upperBound > header.createdAt { read += ", up to the time of the request" }
        let zones =
            isProperty
            ? "local times of the property (\(time.zone))"
            : "local times of the property that a row concerns; all others in \(time.zone)"
        let facts: [(String, String)] = [
            ("Period", "\(time.stamp(figures.period.lowerBound)) up to, not including, \(time.stamp(figures.period.upperBound))"),
            ("Times", zones), (isProperty ? "Property" : "Portfolio", header.request.place.id),
            ("Requested", "\(time.stamp(header.createdAt)) by \(by), record \(header.seq)"), ("Read", read),
        ]
        return facts.map { ["name": $0.0, "value": $0.1] }
    }

    private var figureRows: [[String: String]] {
        let figures = report.figures
        let devices = figures.devices.values.values
        let rows: [(String, String, Int)] = [
            ("opened", "doors opened by command (unlock, unlatch; confirmed by the lock)", figures.openedCount),
            ("confirmed", "all confirmed commands", figures.commandCount(.confirmed)),
            ("failed", "commands failed, or with unknown effect", figures.commandCount(.failed, .timedOut, .unknown)),
            ("denied", "requests denied", figures.deniedCount), ("overrides", "lockdowns overridden", figures.overrides),
            ("byHand", "operations reported by the locks themselves", figures.byHandCount),
            ("changes", "changes to who may do what", figures.changeRows.count),
            ("rights", "rights that were in force", report.spans.count + report.omittedSpans),
            ("outages", "times that a lock was offline", devices.reduce(0) { $0 + $1.outages }),
            ("jams", "times that a lock was jammed", devices.reduce(0) { $0 + $1.jams }),
        ]
        return rows.map { ["id": $0.0, "name": $0.1, "value": ReportWords.number($0.2)] }
    }

    /// The statements of what the tables leave out.
    private var cuts: [String: Any] {
        let figures = report.figures
        func cut(_ shown: Int, _ count: Int, _ what: String) -> String? {
            guard shown < count else { return nil }
            return "The table shows the first \(ReportWords.number(shown)) of \(ReportWords.number(count)) \(what); "
                + "\(ReportWords.number(count - shown)) are left out. An export has every record."
        }
        let (spans, people, devices) = (report.spans.count, figures.people.values.count, figures.devices.values.count)
        let all: [String: String?] = [
            "spansCut": cut(spans, spans + report.omittedSpans, "rights"),
            "spansUncounted": Self.uncounted(report.unfollowedRecords, "rights"),
            "denialsCut": cut(figures.denialRows.rows.count, figures.denialRows.count, "denied requests"),
            "overridesCut": cut(figures.overrideRows.rows.count, figures.overrideRows.count, "overrides"),
            "changesCut": cut(figures.changeRows.rows.count, figures.changeRows.count, "changes"),
            "incidentsCut": cut(figures.incidents.rows.count, figures.incidents.count, "events"),
            "peopleCut": cut(min(people, Self.maxTallyRows), people, "people and keys, those with the most uses first"),
            "locksCut": cut(min(devices, Self.maxTallyRows), devices, "locks, those with the most uses first"),
            "peopleUncounted": Self.uncounted(figures.people.uncounted, "people and keys"),
            "locksUncounted": Self.uncounted(figures.devices.uncounted, "locks"),
        ]
        return all.compactMapValues(\.self)
    }

    static let maxTallyRows = 500

    private static func uncounted(_ count: Int, _ what: String) -> String? {
        guard count > 0 else { return nil }
        let records = "\(ReportWords.number(count)) further records"
        return "\(records) concern \(what) beyond the number that the report counts one by one."
    }

    private var proof: [String: Any] {
        let proof = report.header
        return [
            "log": proof.log.description, "origin": proof.origin, "size": ReportWords.number(Int(proof.size)),
            "ownRecord": "\(proof.seq)", "checkpoint": proof.checkpoint, "publicKey": proof.publicKey,
        ]
    }

    // MARK: - Cells

    /// The time of a record of a property, in the property's zone.
    func text(_ instant: Timestamp, in property: PropertyID?) -> String {
        (property.flatMap { times[$0] ?? PropertyTime(zone: names.zone(of: $0)) } ?? time).stamp(instant)
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

extension ComplianceRequest.Place {
    /// The id of the portfolio or property.
    var id: String {
        switch self {
        case .portfolio(let id): id.description
        case .property(let id): id.description
        }
    }
}

/// Simple charts as SVG elements. All texts in them are numbers, dates and words of the program.
enum ReportChart {
    /// Stacked bars: what happened in each part of the period.
    static func bars(_ figures: ComplianceFigures, _ time: PropertyTime) -> String {
        let (width, height, left, bottom, top) = (960.0, 220.0, 46.0, 26.0, 12.0)
        let buckets = figures.buckets
        let tallest = max(1, buckets.map { $0.confirmed + $0.failed + $0.denied + $0.byHand }.max() ?? 1)
        let scale = Self.scale(tallest)
        let (plotWidth, plotHeight) = (width - left - 4, height - bottom - top)
        let step = plotWidth / Double(max(buckets.count, 1))
        func y(_ value: Int) -> Double { top + plotHeight * (1 - Double(value) / Double(scale)) }
        var parts = ""
        for value in [0, scale / 2, scale] where value == 0 || value * 2 >= scale {
            let height = short(y(value))
            parts += "<line class=\"axis\" x1=\"\(short(left))\" x2=\"\(short(width - 4))\" y1=\"\(height)\" y2=\"\(height)\"/>"
            parts += text(ReportWords.number(value), x: left - 6, y: y(value) + 4, isAtEnd: true)
        }
        for (index, bucket) in buckets.enumerated() {
            var base = 0
            for (name, count) in [
                ("confirmed", bucket.confirmed), ("hand", bucket.byHand), ("failed", bucket.failed), ("denied", bucket.denied),
            ] where count > 0 {
                let (x, barWidth) = (left + Double(index) * step + step * 0.1, step * 0.8)
                parts += "<rect class=\"\(name)\" x=\"\(short(x))\" y=\"\(short(y(base + count)))\" width=\"\(short(barWidth))\" "
                parts += "height=\"\(short(y(base) - y(base + count)))\"/>"
                base += count
            }
        }
        let isPartOfDay = figures.limits.count > 1 && figures.limits[1].duration(since: figures.limits[0]) < .seconds(72_000)
        let places = Set([0, buckets.count / 4, buckets.count / 2, buckets.count * 3 / 4]).filter { $0 < buckets.count }.sorted()
        for index in places {
            let label = time.label(figures.limits[index], isPartOfDay: isPartOfDay)
            parts += text(label, x: left + Double(index) * step, y: height - 8)
        }
        let sum = buckets.reduce(0) { $0 + $1.confirmed + $1.failed + $1.denied + $1.byHand }
        return svg(
            "bars", width, height, title: "Use of the locks over the period",
            description:
                "\(buckets.count) bars with \(ReportWords.number(sum)) events. The figures above have the sums of all parts.",
            parts)
    }

    /// One horizontal bar for each reason.
    static func reasons(_ counts: [(name: String, count: Int)]) -> String {
        let (width, row, left) = (960.0, 26.0, 250.0)
        let largest = Double(max(1, counts.map(\.count).max() ?? 1))
        var parts = ""
        for (index, item) in counts.enumerated() {
            let y = Double(index) * row
            let length = (width - left - 90) * Double(item.count) / largest
            parts += text(item.name, x: left - 8, y: y + 17, isAtEnd: true, isLabel: true)
            let size = "width=\"\(short(max(length, 1)))\" height=\"18\""
            parts += "<rect class=\"denied\" x=\"\(short(left))\" y=\"\(short(y + 4))\" \(size)/>"
            parts += text(ReportWords.number(item.count), x: left + max(length, 1) + 6, y: y + 17, isLabel: true)
        }
        return svg(
            "reasons", width, row * Double(max(counts.count, 1)), title: "Denied requests by reason",
            description: "The table below has the same numbers.", parts)
    }

    private static func text(_ content: String, x: Double, y: Double, isAtEnd: Bool = false, isLabel: Bool = false) -> String {
        let attributes = (isLabel ? " class=\"label\"" : "") + (isAtEnd ? " text-anchor=\"end\"" : "")
        return "<text\(attributes) x=\"\(short(x))\" y=\"\(short(y))\">\(content)</text>"
    }

    private static func svg(
        _ id: String, _ width: Double, _ height: Double, title: String, description: String, _ content: String
    ) -> String {
        "<svg role=\"img\" viewBox=\"0 0 \(short(width)) \(short(height))\" aria-labelledby=\"\(id)-title \(id)-desc\">"
            + "<title id=\"\(id)-title\">\(title)</title><desc id=\"\(id)-desc\">\(description)</desc>\(content)</svg>"
    }

    /// The end of an axis: 1, 2 or 5 times a power of ten, and at least 2.
    static func scale(_ value: Int) -> Int {
        var power = 1
        while power <= Int.max / 100 {
            for factor in [1, 2, 5] where factor * power >= max(value, 2) { return factor * power }
            power *= 10
        }
        return value
    }

    /// A number with at most one decimal.
    private static func short(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
    }
}
