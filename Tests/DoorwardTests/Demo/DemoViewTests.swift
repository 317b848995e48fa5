import DoorwardDomain
import Testing

@testable import DoorwardClient
@testable import doorward

@Suite("The demo's screen") struct DemoViewTests {
    private static let plain = OutputStyle(isTerminal: true, environment: ["NO_COLOR": "1"])
    private static let coloured = OutputStyle(isTerminal: true, environment: [:])
    private static let house = DemoHouse()

    private static func lock(_ name: String, in house: String?, _ fill: (inout Doorward.LockDevice) -> Void = { _ in })
        -> Doorward.LockDevice
    {
        var lock = Doorward.LockDevice(id: name, name: name)
        (lock.propertyName, lock.state, lock.doorState, lock.isOnline) = (house, "LOCKED", "CLOSED", true)
        fill(&lock)
        return lock
    }

    private static func record(_ kind: String, _ fill: (inout Doorward.AccessRecord) -> Void) -> Doorward.AccessRecord {
        var record = Doorward.AccessRecord(id: "r", at: "2030-01-01T00:00:00.000Z", kind: kind)
        record.deviceName = "Door 1A"
        fill(&record)
        return record
    }

    private static func view(_ style: OutputStyle = plain) throws -> DemoView {
        var view = DemoView(
            invitation: DemoSignIns(
                house: house, address: "http://127.0.0.1:45535", password: Secret("73njh-zvxiz-d5q9q-x47tx"),
                program: ".build/debug/doorward", link: { "http://127.0.0.1:45535/#sign-in=\($0.prefix(4))_secret-of-one-person" }
            ),
            style: style)
        view.doors = DemoDoors(
            locks: house.sites.flatMap { site in
                site.lockNames.map { name in
                    lock(name, in: site.name) { lock in
                        switch name {
                        case "Door 1A": lock.state = "UNLOCKED"
                        case "Balcony 1A": lock.state = "JAMMED"
                        case "Door 3B": lock.batteryLow = true
                        case "Garage": lock.isOnline = false
                        case "Mill gate": (lock.state, lock.doorState) = ("UNLOCKED", "OPEN")
                        default: break
                        }
                    }
                }
            })
        view.time = "Mon 07:42"
        let events = try [
            record("COMMAND_OUTCOME") { ($0.actorName, $0.operation, $0.outcome) = ("Gus Guest", "UNLOCK", "CONFIRMED") },
            record("DENIAL") {
                ($0.actorKind, $0.operation, $0.decision, $0.reason) = ("OUTSIDE", "UNLOCK", "DENIED", "no_association")
            },
            record("DEVICE_EVENT") { ($0.event, $0.method) = ("UNLOCKED", "MANUAL") },
            record("DEVICE_EVENT") { $0.event = "JAMMED" },
        ].map { try #require(DemoEvent($0)) }
        view.news = events.map { DemoView.News(time: "Mon 07:41", event: $0) }
        return view
    }

    @Test("at 80 × 24 all information is visible")
    func usual() throws {
        let picture = try Self.view().lines(TerminalSize(columns: 80, rows: 24)).map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }
        #expect(
            picture == [
                " Doorward demo   Mon 07:42                       b browser   s sign-ins   q end",
                " Quay 1                    ● Balcony 2A    locked    Mill Lane 7",
                " ● Quay entrance locked    ● Door 2B       locked    ○ Mill gate     open",
                " ● Bike cellar   locked    ● Balcony 2B    locked    ! Garage        offline",
                " ● Laundry       locked    ● Door 3A       locked    ● Garden shed   locked",
                " ● Roof terrace  locked    ● Balcony 3A    locked    ● Workshop      locked",
                " ● Plant room    locked    ! Door 3B       low batt. ● Post room     locked",
                " ○ Door 1A       unlocked  ● Balcony 3B    locked    ● Door M1       locked",
                " ! Balcony 1A    jammed    ● Door 4A       locked    ● Door M2       locked",
                " ● Door 1B       locked    ● Balcony 4A    locked    ● Door M3       locked",
                " ● Balcony 1B    locked    ● Door 4B       locked    ● Door M4       locked",
                " ● Door 2A       locked    ● Balcony 4B    locked",
                " ── what happens ──────────────────────────────────────────────────────────────",
                " 07:41 ✓ Gus Guest unlocked Door 1A", " 07:41 ✗ somebody without access may not unlock Door 1A",
                " 07:41 · Door 1A was unlocked from inside", " 07:41 ! Door 1A is jammed", "",
                " ── try it in another terminal ────────────────────────────────────────────────",
                " .build/debug/doorward login \\", "   --server http://127.0.0.1:45535 \\", "   --email tom@demo.example",
                " password of all: 73njh-zvxiz-d5q9q-x47tx · browser: http://127.0.0.1:45535/",
                " .build/debug/doorward locks · .build/debug/doorward unlock \"Door 1A\"",
            ])
    }

    @Test(
        "in a window of any size the picture fills it, no line is wider, and the newest event is visible",
        arguments: [(80, 24), (40, 24), (26, 12), (60, 15), (130, 40), (220, 60), (20, 5), (3, 2), (1, 1)],
        [DemoView.Page.doors, .signIns, .links])
    func sizes(_ size: (columns: Int, rows: Int), page: DemoView.Page) throws {
        var view = try Self.view()
        view.page = page
        let picture = view.lines(TerminalSize(columns: size.columns, rows: size.rows))
        #expect(picture.count == size.rows)
        #expect(picture.allSatisfy { $0.displayWidth <= size.columns })
        if page == .doors, size.rows > 10 { #expect(picture.contains { $0.hasPrefix(" 07:41 ! Door 1A is jam") }) }
    }

    @Test(
        "a notice that the screen is not live comes first, on every page, and the picture still fits", arguments: [24, 12, 3, 1])
    func notice(rows: Int) throws {
        for page in [DemoView.Page.doors, .signIns, .links] {
            var view = try Self.view()
            (view.page, view.notice) = (page, ["Not live since Mon 07:42", "Press q"])
            let picture = view.lines(TerminalSize(columns: 80, rows: rows))
            #expect(picture.count == rows)
            #expect(picture.dropFirst().prefix(2) == [" ! Not live since Mon 07:42", " ! Press q"].prefix(rows - 1))
        }
    }

    @Test("in a small window doors that need attention come first, and the sign-in command is never cut")
    func narrow() throws {
        let picture = try Self.view().lines(TerminalSize(columns: 40, rows: 24))
        #expect(
            picture[1...5].map { $0.split(separator: #/ +/#).joined(separator: " ") } == [
                "○ Door 1A unlocked", "! Balcony 1A jammed", "! Door 3B low batt.", "○ Mill gate open", "! Garage offline",
            ])
        let shown = picture.count { $0.hasPrefix(" ●") || $0.hasPrefix(" ○") || $0.hasPrefix(" !") }
        #expect(picture.contains(" … and \(30 - shown) more doors, all locked"))
        #expect(picture.contains("   --server http://127.0.0.1:45535 \\"))
        #expect(picture.contains("   --email tom@demo.example"))
    }

    @Test("a wide window shows all doors")
    func wide() throws {
        let picture = try Self.view().lines(TerminalSize(columns: 200, rows: 50)).joined(separator: "\n")
        for name in Self.house.lockNames { #expect(picture.contains(" \(name) ")) }
        #expect(!picture.contains("more doors"))
    }

    @Test("without colour the screen contains the same text")
    func colour() throws {
        let size = TerminalSize(columns: 80, rows: 24)
        let (plain, coloured) = try (Self.view().lines(size), Self.view(Self.coloured).lines(size))
        #expect(!plain.joined().contains("\u{1B}"))
        #expect(coloured.joined().contains("\u{1B}[31m"))
        #expect(coloured.map { $0.replacing(#/\u{1B}\[[0-9]+m/#, with: "") } == plain)
    }

    @Test("all sign-ins are on one page, with the password and further links")
    func signIns() throws {
        var view = try Self.view()
        view.toggle(.signIns)
        let picture = view.lines(TerminalSize(columns: 80, rows: 24)).joined(separator: "\n")
        for person in Self.house.people {
            #expect(picture.contains("\(person.firstName.lowercased().padded(to: 6)) \(person.part)"))
        }
        for text in ["73njh-zvxiz-d5q9q-x47tx", "http://127.0.0.1:45535/api/v1", "http://127.0.0.1:45535/metrics"] {
            #expect(picture.contains(text))
        }
    }

    @Test("the links to the console are on one page, whole, one for each person; the same key leads back to the doors")
    func links() throws {
        var view = try Self.view()
        let doors = view.lines(TerminalSize(columns: 80, rows: 24))
        view.toggle(.links)
        let picture = view.lines(TerminalSize(columns: 80, rows: 24))
        for person in Self.house.people {
            let link = "http://127.0.0.1:45535/#sign-in=\(person.email.prefix(4))_secret-of-one-person"
            #expect(picture.contains { $0.hasPrefix("   \(person.signIn) ") && $0.contains("\(link)") }, "\(person.signIn)")
        }
        #expect(picture[0].contains("b doors   s sign-ins"))
        view.toggle(.signIns)
        #expect(view.lines(TerminalSize(columns: 80, rows: 24))[0].contains("b browser   s doors"))
        view.toggle(.signIns)
        #expect(view.lines(TerminalSize(columns: 80, rows: 24)) == doors)
    }

    @Test("a door with a hostile, wide or long name does not break the layout")
    func names() throws {
        var view = try Self.view()
        view.doors = DemoDoors(
            locks: ["a\u{1B}[2Jb", "東京都千代田区丸の内一丁目", String(repeating: "x", count: 90)].map { Self.lock($0, in: nil) })
        let picture = view.lines(TerminalSize(columns: 80, rows: 24))
        #expect(!picture.joined().contains("\u{1B}"))
        #expect(picture.allSatisfy { $0.displayWidth <= 80 })
        #expect(picture.joined().count { $0 == "●" } == 3)
    }

    @Test(
        "a door is shown with its most serious condition",
        arguments: [
            ("LOCKED", "CLOSED", true, false, "● locked"), ("LOCKED", "CLOSED", true, true, "! low batt."),
            ("UNLOCKED", "CLOSED", true, true, "○ unlocked"), ("UNLOCKED", "OPEN", true, false, "○ open"),
            ("LOCKED", "OPEN", true, false, "○ open"), ("JAMMED", "OPEN", true, false, "! jammed"),
            ("JAMMED", "CLOSED", false, false, "! offline"), ("UNKNOWN", "UNKNOWN", nil, nil, "○ unknown"),
            (nil, nil, nil, nil, "○ unknown"),
        ] as [(Doorward.LockState?, Doorward.DoorState?, Bool?, Bool?, String)])
    func condition(_ state: Doorward.LockState?, _ door: Doorward.DoorState?, _ online: Bool?, _ low: Bool?, _ shown: String) {
        let condition = DoorCondition(
            Self.lock("d", in: nil) { ($0.state, $0.doorState, $0.isOnline, $0.batteryLow) = (state, door, online, low) })
        #expect("\(condition.sign) \(condition.word)" == shown)
        #expect((condition.colour == .green) == (shown == "● locked"), "only locked is green")
    }
}
