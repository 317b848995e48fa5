import ArgumentParser
import DoorwardDomain

/// The name of a time zone, as typed for `--zone`.
struct ZoneArgument: Equatable, Sendable {
    let name: String

    /// - Throws: a `ValidationError` for a name that is not that of a zone, with the nearest name if there is one.
    init(_ text: String) throws {
        let (typed, zones) = (text.trimmingWhitespace, TimeZoneDatabase.system)
        guard zones.rules(of: typed) == nil else {
            name = typed
            return
        }
        let names = zones.names
        let unavailable = names.count > 1 ? "" : " This machine has no time zones: install the package tzdata."
        let hint = Self.suggestion(for: typed, among: names).map { "Did you mean `\($0)`?" } ?? Self.form
        throw ValidationError("`\(text.printable)` is not a time zone. \(hint)\(unavailable)")
    }

    private static let form = "Use an IANA name, as in Europe/Berlin."

    /// The zone that a text means in another case, or without its region, or else the most similar one.
    private static func suggestion(for text: String, among names: [String]) -> String? {
        let typed = text.lowercased().replacing(" ", with: "_")
        guard !typed.isEmpty else { return nil }
        return names.first { $0.lowercased() == typed }
            ?? names.first { $0.lowercased().hasSuffix("/\(typed)") }
            ?? nearestName(to: typed, among: names)
    }
}

/// The zone in which the local times of a guest access are read.
struct WindowZone {
    let name: String
    let rules: TimeZoneRules

    /// - Returns: `nil` for a zone that this machine does not know.
    init?(_ name: String) {
        guard let rules = TimeZoneDatabase.system.rules(of: name) else { return nil }
        (self.name, self.rules) = (name, rules)
    }
}

/// The start and the end of a guest access, as typed for `--from` and `--until`.
struct WindowTimes {
    /// The accepted forms, for help texts.
    static let help = TimeArgument.help(zone: "on the clock of the property (or of --zone)")

    private let from: TimeArgument.Form?
    private let until: TimeArgument.Form?

    /// - Throws: a usage error for a text that is not a time.
    init(from: String?, until: String?) throws(CommandFailure) {
        func form(_ text: String?, _ option: String) throws(CommandFailure) -> TimeArgument.Form? {
            guard let text else { return nil }
            return try TimeArgument(text, option: option, help: Self.help).form()
        }
        (self.from, self.until) = (try form(from, "--from"), try form(until, "--until"))
    }

    /// The option whose time is read on a clock, so that its zone has to be known; `nil` if there is none.
    var localOption: String? { from?.isLocal == true ? "--from" : until?.isLocal == true ? "--until" : nil }

    /// A time as it is sent to the gateway.
    struct Resolved: Equatable {
        /// An instant, or a local time without an offset, which the gateway resolves in the zone of the request.
        let text: String
        /// The instant by this machine's time zones.
        let instant: Timestamp
    }

    /// Resolves the times.
    ///
    /// - Parameter zone: the zone of local times; required if `localOption` is not `nil`.
    func resolved(now: Timestamp, in zone: WindowZone?) -> (from: Resolved?, until: Resolved?) {
        let start = from.map { Self.resolved($0, now: now, start: nil, in: zone) }
        return (start, until.map { Self.resolved($0, now: now, start: start?.instant, in: zone) })
    }

    private static func resolved(
        _ form: TimeArgument.Form, now: Timestamp, start: Timestamp?, in zone: WindowZone?
    ) -> Resolved {
        switch form {
        case .instant(let instant): return Resolved(text: instant.description, instant: instant)
        case .relative(let length):
            let instant = TimeArgument.advanced(by: length, now: now, start: start)
            return Resolved(text: instant.description, instant: instant)
        case .local(let day, let time):
            // Without a zone the gateway rejects the local time.
            let today = zone?.rules.local(at: now).date ?? CivilDate(daysSinceEpoch: 0)
            let local = LocalDateTime(date: day.date(today: today), time: time)
            return Resolved(text: local.description, instant: zone?.rules.resolve(local).instant ?? now)
        }
    }
}
