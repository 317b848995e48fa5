import DoorwardDomain
import Testing

@testable import DoorwardClient
@testable import doorward

@Suite("Guest accesses as text") struct GuestAccessViewTests {
    private static let now = Timestamp(milliseconds: 1_795_000_000_000)
    private let pipe = OutputStyle(isTerminal: false, environment: [:])

    private func terminal(_ columns: Int) -> OutputStyle {
        OutputStyle(isTerminal: true, environment: ["NO_COLOR": "1"], columns: columns)
    }

    private func access(_ id: Int = 1, _ fill: (inout Doorward.GuestAccess) -> Void = { _ in }) -> Doorward.GuestAccess {
        var access = Doorward.GuestAccess(id: "0199e1fd-86a0-7000-8000-00000000000\(id)")
        (access.label, access.deviceIds, access.operations) = ("Plumber", ["d"], ["LOCK", "UNLOCK"])
        (access.validFrom, access.validUntil) = ("2026-12-24T14:00:00.000Z", "2026-12-25T10:00:00.000Z")
        fill(&access)
        return access
    }

    private func view(_ access: Doorward.GuestAccess, hasLink: Bool = false, zone: String? = nil) -> GuestAccessView {
        GuestAccessView(
            access: access, lockNames: ["d": "Front door", "e": "Cellar"], hasLink: hasLink, propertyZone: zone,
            now: Self.now)
    }

    private var hours: Doorward.GuestAccess.Schedule {
        Doorward.GuestAccess.Schedule(
            timeZone: "America/Argentina/Buenos_Aires",
            periods: [.init(days: ["MON", "TUE", "WED", "THU", "FRI"], from: "09:00", until: "12:00")])
    }

    @Test("a table with windows, hours, uses and links fits 80 columns, and is whole without a limit")
    func width() throws {
        let full = access {
            ($0.schedule, $0.maxUses, $0.usesLeft) = (hours, 1_000_000, 999_999)
            ($0.label, $0.deviceIds) = ("A guest with quite a long name", ["d", "e"])
        }
        let views = [view(full, hasLink: true), view(access(2))]
        for columns in [80, 100, 120, 200] {
            for line in GuestAccessView.table(views, terminal(columns)).lines(terminal(columns)) {
                #expect(line.displayWidth <= columns, "\(line)")
            }
        }
        let narrow = GuestAccessView.table(views, terminal(80)).lines(terminal(80))
        for heading in ["FROM", "UNTIL", "HOURS", "USES", "LINK", "STATUS"] { #expect(narrow[0].contains(heading)) }
        #expect(narrow[1].contains("999999/1000000") && narrow[1].contains("  yes  "), "\(narrow)")
        #expect(!narrow[0].contains("ID"), "there is no room for it")
        var wide = terminal(80)
        wide.columns = nil
        let whole = GuestAccessView.table(views, wide).lines(wide)[1]
        #expect(whole.contains("Mon-Fri 09:00-12:00 America/Argentina/Buenos_Aires") && whole.contains(full.id))
    }

    @Test("every number of uses fits 80 columns beside hours, links and windows of other years")
    func usesWidth() throws {
        for max in [1, 999, 99_999, 100_000, 999_999, 1_000_000] {
            for left in [0, max / 2, max] {
                let full = access {
                    ($0.schedule, $0.maxUses, $0.usesLeft) = (hours, max, left)
                    ($0.validFrom, $0.validUntil) = ("2028-12-24T14:00:00.000Z", "2029-12-25T10:00:00.000Z")
                    ($0.label, $0.deviceIds) = ("A guest with quite a long name", ["d", "e"])
                }
                let lines = GuestAccessView.table([view(full, hasLink: true), view(access(2))], terminal(80)).lines(terminal(80))
                for line in lines { #expect(line.displayWidth <= 80, "\(line)") }
                #expect(lines[1].contains("  scheduled"), "the status is whole: \(lines[1])")
                let shown = left < 100_000 ? "\(left)" : "\(left / 1000)k"
                #expect(lines[1].contains(" \(shown)"), "\(lines[1])")
                #expect(lines[2].contains("  -"), "no limit")
            }
        }
    }

    @Test("special days are shown one a line, with their days of the week")
    func specialDays() {
        var schedule = hours
        schedule.specialDays = [
            .init(date: "2026-12-24", periods: [.init(from: "09:00", until: "12:00")]), .init(date: "2026-12-25", periods: []),
        ]
        let access = access { $0.schedule = schedule }
        #expect(
            view(access).understood(terminal(80)).suffix(3) == [
                "  only  Mon-Fri 09:00-12:00 (America/Argentina/Buenos_Aires)", "  on    Thu 2026-12-24 09:00-12:00",
                "  on    Fri 2026-12-25 closed",
            ])
        #expect(
            view(access).hours
                == "Mon-Fri 09:00-12:00; 2026-12-24 09:00-12:00; 2026-12-25 closed America/Argentina/Buenos_Aires")
        let special = self.access {
            $0.schedule = Doorward.GuestAccess.Schedule(timeZone: "UTC", periods: [], specialDays: schedule.specialDays)
        }
        #expect(view(special).understood(terminal(80)).contains("  only  never (UTC)"))
    }

    @Test("columns without a value are left out on a terminal, so that there is room for ids; a pipe has all columns")
    func columns() {
        let plain = GuestAccessView.table([view(access())], terminal(80))
        #expect(plain.headings == ["GUEST", "LOCKS", "OPERATIONS", "FROM", "UNTIL", "STATUS", "ID"])
        let used = access { ($0.maxUses, $0.usesLeft) = (3, 0) }
        #expect(GuestAccessView.table([view(access()), view(used)], terminal(200)).headings.contains("USES"))
        let row = GuestAccessView.table([view(access())], pipe).lines(pipe)
        #expect(
            row == [
                "Plumber\tFront door\tlock, unlock\t2026-12-24T14:00:00.000Z\t2026-12-25T10:00:00.000Z\t-\t-\t-\tscheduled\t"
                    + access().id
            ])
        let linked = GuestAccessView.table([view(used, hasLink: true)], pipe).lines(pipe)
        #expect(linked[0].contains("\t-\t0/3\tyes\tscheduled\t"), "\(linked)")
    }

    @Test("a window is shown on the clock of its zone and in UTC, with its hours and uses")
    func understood() {
        let view = view(
            access {
                $0.resolution = .init(timeZone: "Europe/Berlin", validFrom: "none", validUntil: "none")
                ($0.schedule, $0.maxUses, $0.usesLeft) = (hours, 7, 7)
            })
        #expect(
            view.understood(terminal(80)) == [
                "  from  Thu 2026-12-24 15:00 Europe/Berlin (2026-12-24T14:00:00.000Z)",
                "  until Fri 2026-12-25 11:00 Europe/Berlin (2026-12-25T10:00:00.000Z)",
                "  only  Mon-Fri 09:00-12:00 (America/Argentina/Buenos_Aires)", "  for   7 uses",
            ])
    }

    @Test("hours without a zone are those of the property, and one use of several is left")
    func propertyHours() {
        let access = access {
            var schedule = hours
            schedule.timeZone = nil
            ($0.schedule, $0.maxUses, $0.usesLeft) = (schedule, 7, 1)
        }
        let lines = view(access, zone: "Europe/Rome").understood(terminal(80))
        #expect(lines.suffix(2) == ["  only  Mon-Fri 09:00-12:00 (Europe/Rome, the property's time)", "  for   1 of 7 uses"])
        #expect(view(access).understood(terminal(80)).contains("  only  Mon-Fri 09:00-12:00 (the property's time)"))
        #expect(view(access, zone: "Europe/Rome").hours == "Mon-Fri 09:00-12:00 Europe/Rome")
        #expect(DisplayText.count(1, "use") == "1 use")
    }

    @Test("an end of the window that a change of the clock decided is explained")
    func clockChanges() {
        let view = view(
            access {
                ($0.validFrom, $0.validUntil) = ("2026-10-25T00:30:00.000Z", "2027-03-28T01:00:00.000Z")
                $0.resolution = .init(timeZone: "Europe/Berlin", validFrom: "overlap", validUntil: "gap")
            })
        #expect(
            view.clockChanges == [
                "--from: clocks in Europe/Berlin show 02:30 twice. It is the first time; the second is 2026-10-25T01:30:00.000Z.",
                "--until: clocks in Europe/Berlin skip that time. It is the instant at which they are put forward to 03:00.",
            ])
        #expect(self.view(access()).clockChanges.isEmpty)
        let unknown = access { $0.resolution = .init(timeZone: "Mars/Base", validFrom: "gap", validUntil: "none") }
        #expect(self.view(unknown).clockChanges.isEmpty, "a zone that this machine does not know")
    }

    @Test("a change is shown as the facts that differ, before and after")
    func change() {
        let old = access {
            $0.resolution = .init(timeZone: "Europe/Berlin", validFrom: "none", validUntil: "none")
            ($0.maxUses, $0.usesLeft) = (3, 2)
        }
        var new = old
        (new.validUntil, new.maxUses, new.usesLeft, new.schedule) = ("2026-12-25T17:00:00.000Z", nil, nil, hours)
        let (before, after) = (view(old), view(new))
        #expect(
            after.changes(since: before, terminal(80)) == [
                "Changed the guest access of Plumber, id \(old.id).",
                "  until  Fri 2026-12-25 11:00 Europe/Berlin (2026-12-25T10:00:00.000Z)",
                "         now Fri 2026-12-25 18:00 Europe/Berlin (2026-12-25T17:00:00.000Z)",
                "  hours  all", "         now Mon-Fri 09:00-12:00 America/Argentina/Buenos_Aires",
                "  uses   2/3", "         now any number",
            ])
        #expect(
            after.changes(since: before, pipe) == [
                "until\t2026-12-25T10:00:00.000Z\t2026-12-25T17:00:00.000Z",
                "hours\t-\tMon-Fri 09:00-12:00 America/Argentina/Buenos_Aires", "uses\t2/3\t-",
            ])
    }

    @Test("a change without an effect says so; in a pipe it prints nothing")
    func unchanged() {
        let (before, after) = (view(access()), view(access()))
        #expect(
            after.changes(since: before, terminal(80)) == [
                "The guest access of Plumber, id \(access().id), already has these values: nothing was changed."
            ])
        #expect(after.changes(since: before, pipe).isEmpty)
    }

    @Test("only the clock change of a new end is explained after a change")
    func changedClock() {
        let old = access { $0.resolution = .init(timeZone: "Europe/Berlin", validFrom: "overlap", validUntil: "none") }
        var new = old
        new.validUntil = "2027-03-28T01:00:00.000Z"
        new.resolution = .init(timeZone: "Europe/Berlin", validFrom: "overlap", validUntil: "gap")
        let lines = view(new).changes(since: view(old), terminal(80))
        #expect(lines.contains { $0.hasPrefix("  --until: clocks in Europe/Berlin skip") })
        #expect(!lines.contains { $0.contains("--from") }, "\(lines)")
    }

    @Test("text of other people cannot control the terminal")
    func hostile() {
        let hostile = access {
            ($0.label, $0.resolution) = ("\u{1B}[2J", .init(timeZone: "\u{1B}[1m", validFrom: "gap", validUntil: "none"))
            $0.schedule = Doorward.GuestAccess.Schedule(timeZone: "\u{1B}[31m", periods: [])
        }
        let (before, after) = (view(access()), view(hostile))
        let lines =
            after.changes(since: before, terminal(80)) + after.changes(since: before, pipe)
            + view(hostile).understood(terminal(80))
        #expect(!lines.contains { $0.contains("\u{1B}") }, "\(lines)")
    }
}
