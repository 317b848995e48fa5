import Foundation
import Testing

extension EndToEnd {
    @Suite("Hours, uses and zones of doorward grant, and doorward change") struct GuestChangeTests {
        private let window = ["--from", "now", "--until", "+1h"]

        /// A guest who is signed in, and may unlock `Front door`.
        private func guest(_ limits: [String], of shell: Shell, on gateway: RunningGateway) async throws -> Shell {
            let admin = try await gateway.signIn(RunningGateway.adminEmail)
            _ = try await House.createUser("gus@doors.example", "Gus", by: admin)
            let window = limits.contains("--until") ? ["--from", "now"] : window
            let granted = try await shell.run(["grant", "gus@doors.example", "Front door", "--name", "Gus"] + window + limits)
            try #require(granted.code == 0, "\(granted.errors)")
            return try await Shell.signedIn("gus@doors.example", on: gateway)
        }

        @Test("the number of uses holds, can be raised, and removed; links are listed to those who may end them")
        func uses() async throws {
            let (gateway, house, shell) = try await ownersShell()
            _ = try await house.lock("Front door")
            let gus = try await guest(["--max-uses", "1", "--link"], of: shell, on: gateway)
            #expect(try await gus.run("unlock", "Front door").code == 0)
            #expect(try await shell.run("grants").rows.map { $0[6] } == ["0/1"])
            #expect(try await gus.run("unlock", "Front door").errors.hasPrefix("doorward: The guest access has no uses left."))
            #expect(try await shell.run("change", "Gus", "--max-uses", "2").output == "uses\t0/1\t1/2\n")
            #expect(try await gus.run("unlock", "Front door").code == 0)
            #expect(try await shell.run("change", "Gus", "--any-uses").output == "uses\t0/2\t-\n")
            #expect(try await gus.run("unlock", "Front door").code == 0)
            #expect(try await shell.run("grants").rows.map { $0[7] } == ["yes"])
            #expect(try await gus.run("grants").rows.map { $0[7] } == ["-"])
            #expect(try await shell.run("link", "end", "Gus").code == 0)
            #expect(try await shell.run("grants").rows.map { $0[7] } == ["-"])
        }

        @Test("outside of its hours an access denies, with the next opening, until they are changed")
        func hours() async throws {
            let (gateway, house, shell) = try await ownersShell()
            _ = try await house.lock("Front door")
            let created = try #require(try await house.owner.get("/users/me").data["user"]["createdAt"].text)
            let now = try Date(created, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            // The day after tomorrow is not today in any zone.
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            let names = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
            let later = names[(calendar.component(.weekday, from: now) + 2) % 7]
            let gus = try await guest(["--until", "+30d", "--days", later, "--hours", "00:00-24:00"], of: shell, on: gateway)
            let denied = try await gus.run("unlock", "front door")
            #expect(denied.code == 1)
            #expect(
                denied.errors.hasPrefix("doorward: The guest access is not valid at this time.\n  opens "), "\(denied.errors)")
            let asked = try await shell.run("can", "Gus", "unlock", "Front door")
            #expect(asked.code == 1 && asked.output.contains("outside the hours of the guest access; opens "), "\(asked.output)")
            let changed = try await shell.run("change", "Gus", "--days", "mon-sun", "--json")
            #expect(changed.code == 0, "\(changed.errors)")
            let period = try changed.json["guestAccess"]["schedule"]["periods"].items[0]
            #expect(period["days"].items.count == 7 && period["from"] == .string("00:00") && period["until"] == .string("24:00"))
            #expect(try await gus.run("unlock", "front door").code == 0)
            #expect(try await shell.run("change", "Gus", "--any-hours").rows.map { $0[0] } == ["hours"])
        }

        @Test("a shorter window holds at once, an access that has ended is extended, and a revoked one stays revoked")
        func window() async throws {
            let (gateway, house, shell) = try await ownersShell()
            _ = try await house.lock("Front door")
            let gus = try await guest([], of: shell, on: gateway)
            let ended = try await shell.run("change", "Gus", "--until", "now")
            #expect(ended.rows.map { $0[0] } == ["until", "status"], "\(ended.errors)")
            let denied = try await gus.run("unlock", "Front door")
            #expect(denied.errors.hasPrefix("doorward: The guest access has ended.\n  ended "), "\(denied.errors)")
            #expect(try await shell.run("change", "Gus", "--until", "+2h").rows.last == ["status", "expired", "active"])
            #expect(try await gus.run("unlock", "Front door").code == 0)
            let before = try await shell.run("change", "Gus", "--until", "-2h", "--from", "-1h")
            #expect(before.code == 1 && before.errors.contains("\n  --until is not after the start\n"), "\(before.errors)")
            #expect(try await gus.run("unlock", "Front door").code == 0, "nothing was changed")
            #expect(try await shell.run("change", "Gus", "--operations", "lock").code == 0)
            #expect(try await gus.run("unlock", "Front door").errors.hasPrefix("doorward: The guest access does not include"))
            #expect(try await shell.run("revoke", "Gus").code == 0)
            let revoked = try await shell.run("change", "Gus", "--until", "+2h")
            #expect(revoked.code == 1)
            #expect(
                revoked.errors.hasPrefix("doorward: The guest access has been revoked. Grant a new one.\n"), "\(revoked.errors)")
        }

        @Test(
            "local times are those of the property, else of --zone, never of the person's own clock; changes of the clock are explained"
        )
        func zones() async throws {
            let (_, house, shell) = try await ownersShell()
            _ = try await house.lock("Front door")
            let grant = ["grant", "Painter", "Front door", "--label", "--json"]
            let berlin = try await shell.run(
                grant + ["--from", "2030-07-01 18:00", "--until", "+2h"], environment: ["TZ": "America/New_York"])
            #expect(try berlin.json["guestAccess"]["validFrom"] == .string("2030-07-01T16:00:00.000Z"), "\(berlin.errors)")
            #expect(try berlin.json["guestAccess"]["resolution"]["timeZone"] == .string("Europe/Berlin"))
            let york = try await shell.run(
                grant + ["--from", "2030-07-01 18:00", "--until", "+2h", "--zone", "America/New_York"])
            #expect(try york.json["guestAccess"]["validFrom"] == .string("2030-07-01T22:00:00.000Z"), "\(york.errors)")
            let hours = try await shell.run(grant + window + ["--hours", "09:00-17:00"])
            #expect(
                try hours.json["guestAccess"]["schedule"]["timeZone"] == .null, "they follow the property, also when it moves")
            let granted = try await shell.run(
                "grant", "Roofer", "Front door", "--label", "--from", "2030-10-27 02:30", "--until", "2031-03-30 02:30")
            #expect(granted.rows.first?[3...4] == ["2030-10-27T00:30:00.000Z", "2031-03-30T01:00:00.000Z"], "\(granted.errors)")
            #expect(
                granted.errors == """
                    doorward: --from: clocks in Europe/Berlin show 02:30 twice. It is the first time; the second is \
                    2030-10-27T01:30:00.000Z.
                    doorward: --until: clocks in Europe/Berlin skip that time. It is the instant at which they are put forward to \
                    03:00.

                    """)
            let accesses = try await shell.run("grants", "--json").json["guestAccesses"].items
            let stored = try #require(accesses.first { $0["label"] == .string("Roofer") })["resolution"]
            #expect(stored["validFrom"] == .string("overlap") && stored["validUntil"] == .string("gap"))
            let second = try await shell.run("change", "Roofer", "--from", "2030-10-27T01:30Z")
            #expect(second.output == "from\t2030-10-27T00:30:00.000Z\t2030-10-27T01:30:00.000Z\n", "\(second.errors)")
        }

        @Test("in a property without a zone, local times and hours need --zone, and nothing is granted without it")
        func noZone() async throws {
            let (_, _, shell) = try await ownersShell()
            let property = try await shell.run("property", "create", "Quay 0", "--portfolio", "Harbour")
            try #require(property.code == 0, "\(property.errors)")
            #expect(try await shell.run("attach", "Shed", "--adapter", "simulator", "--property", "Quay 0").code == 0)
            let grant = ["grant", "Painter", "Shed", "--label"]
            let time = try await shell.run(grant + ["--from", "2030-07-01 18:00", "--until", "+2h"])
            #expect(time.code == 2 && time.output.isEmpty)
            #expect(
                time.errors == "doorward: --from needs a time zone, and the property has none. Give one, as in --zone "
                    + "Europe/Berlin, or a time with an offset, as in 2026-12-24T15:00+01:00.\n")
            let hours = try await shell.run(grant + window + ["--days", "mon"])
            #expect(hours.code == 2)
            #expect(
                hours.errors
                    == "doorward: --days needs a time zone, and the property has none. Give one, as in --zone Europe/Berlin.\n")
            #expect(try await shell.run("grants").output.isEmpty)
            #expect(try await shell.run(grant + window).code == 0, "a length of time needs no zone")
            let change = try await shell.run("change", "Painter", "--hours", "09:00-17:00")
            #expect(change.code == 2 && change.errors.contains("--hours needs a time zone"), "\(change.errors)")
            #expect(try await shell.run("change", "Painter", "--hours", "09:00-17:00", "--zone", "Europe/Rome").code == 0)
            #expect(try await shell.run("change", "Painter", "--hours", "10:00-17:00").code == 0, "the hours have a zone now")
        }

        @Test("bad input is rejected with its own message, and nothing is granted or changed")
        func badInput() async throws {
            let (gateway, house, shell) = try await ownersShell()
            _ = try await house.lock("Front door")
            let other = try await house.property("Quay 2", unit: "2a")
            let far = try await house.lock("Far door", property: other.propertyID, unit: other.unitID)
            let admin = try await gateway.signIn(RunningGateway.adminEmail)
            _ = try await house.tenant("Tom", on: gateway)
            let tom = try await Shell.signedIn("tom@doors.example", on: gateway)
            let mia = try await House.createUser("mia@doors.example", "Mia", by: admin)
            let role = try await house.owner.post(
                "/properties/\(house.propertyID)/managers", #"{"userId":"\#(mia)","role":"MAINTENANCE"}"#)
            try #require(role.status == 200, "\(role.body)")
            let maintenance = try await Shell.signedIn("mia@doors.example", on: gateway)
            let cases: [(Shell, [String], String)] = [
                (shell, ["Front door", "--from", "2030-01-02", "--until", "2030-01-01"], "\n  --until is not after the start\n"),
                (
                    shell, ["Front door", "--from", "2030-01-01 9:00", "--until", "2030-01-01 9:00"],
                    "\n  --until is not after the start\n"
                ),
                (
                    shell, ["Front door", "--from", "now", "--until", "2126-01-01"],
                    "\n  --until is more than five years after the start\n"
                ),
                (shell, ["Front door", "Far door"] + window, "\n  the lock is not in that property\n"),
                (tom, ["Far door"] + window, "There is no lock named `Far door`."),
                (tom, [far] + window, "doorward: You have no access to this, or it does not exist."),
                (maintenance, ["Front door"] + window, "\n  needs the role "),
            ]
            for (person, arguments, message) in cases {
                let result = try await person.run(["grant", "Painter", "--label"] + arguments)
                #expect(result.code == 1 && result.output.isEmpty, "\(arguments)")
                #expect(result.errors.contains(message), "\(arguments): \(result.errors)")
            }
            #expect(try await shell.run("grants").output.isEmpty)
            #expect(try await shell.run(["grant", "Painter", "--label", "Front door"] + window).code == 0)
            let listed = try await shell.run("grants", "--json").output
            let forbidden = try await tom.run(
                "change", try #require(try await shell.run("grants").rows.first?.last), "--until", "+9d")
            #expect(
                forbidden.code == 1 && forbidden.errors.hasPrefix("doorward: You have no access to this"), "\(forbidden.errors)")
            let foreign = try await shell.run("change", "Painter", "--lock", "Far door")
            #expect(foreign.code == 1 && foreign.errors.contains("\n  --lock is not in that property\n"), "\(foreign.errors)")
            #expect(try await shell.run("grants", "--json").output == listed)
        }
    }
}
