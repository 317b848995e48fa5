import Foundation
import Testing

extension EndToEnd {
    @Suite("doorward grant, grants and revoke") struct GuestTests {
        @Test("a guest gets access by name for a window in local time, and it is revoked again")
        func grantAndRevoke() async throws {
            let (gateway, house, shell) = try await ownersShell()
            let (door, cellar) = (try await house.lock("Front door"), try await house.lock("Cellar"))
            let admin = try await gateway.signIn(RunningGateway.adminEmail)
            let gus = try await House.createUser("gus@doors.example", "Gus", by: admin)
            let granted = try await shell.run(
                "grant", gus, "Front door", cellar, "--from", "2030-07-01 18:00", "--until", "+2h30m", "--json")
            #expect(granted.code == 0, "\(granted.errors)")
            let access = try granted.json["guestAccess"]
            #expect(access["guestUserId"] == .string(gus))
            #expect(access["deviceIds"] == .array([.string(door), .string(cellar)]))
            #expect(access["operations"] == .array([.string("LOCK"), .string("UNLOCK")]))
            #expect(access["validFrom"] == .string("2030-07-01T16:00:00.000Z"), "Berlin's summer time")
            #expect(access["validUntil"] == .string("2030-07-01T18:30:00.000Z"))
            let id = try #require(access["id"].text)
            let row = [
                gus, "Front door, Cellar", "lock, unlock", "2030-07-01T16:00:00.000Z", "2030-07-01T18:30:00.000Z", "-", "-",
                "-", "scheduled", id,
            ]
            let listed = try await shell.run("grants")
            #expect(listed.rows.first?.dropFirst().elementsEqual(row.dropFirst()) == true, "\(listed.output)")
            #expect(try await shell.run("grants", "Cellar", "--json").json["guestAccesses"] == .array([access]))
            let revoked = try await shell.run("revoke", id)
            #expect(revoked.output == "\(id)\trevoked\n")
            #expect(try await shell.run("grants").rows.first?.contains("revoked") == true)
        }

        @Test("--label grants to a label, --link creates the link, and an unknown email address is rejected")
        func labels() async throws {
            let (_, house, shell) = try await ownersShell()
            _ = try await house.lock("Front door")
            _ = try await house.lock("Cellar")
            let plumber = try await shell.run("grant", "Plumber", "--label", "Front door", "--from", "now", "--until", "+1h")
            #expect(plumber.code == 0, "\(plumber.errors)")
            #expect(plumber.errors.isEmpty)
            #expect(plumber.rows.first?.prefix(3).elementsEqual(["Plumber", "Front door", "lock, unlock"]) == true)
            #expect(plumber.rows.first?.contains("active") == true, "\(plumber.output)")
            #expect(try await shell.run("grants", "Cellar").output.isEmpty)
            let roofer = try await shell.run(
                "grant", "Roofer", "--label", "Front door", "--from", "now", "--until", "+1h", "--link", "--json"
            ).json
            #expect(roofer["guestAccess"]["label"] == .string("Roofer"))
            let url = try #require(roofer["link"]["url"].text)
            let row = try await shell.run(
                "grant", "Roofer", "--label", "Front door", "--from", "now", "--until", "+1h", "--link")
            let line = try #require(row.output.split(separator: "\n").last)
            #expect(row.rows.count == 2 && line.contains("/g/") && url.contains("/g/") && line != url)
            let owner = try await shell.run("grant", "olga example", "Front door", "--from", "now", "--until", "+1h", "--json")
                .json
            #expect(owner["guestAccess"]["label"] == .null)
            #expect(owner["guestAccess"]["guestUserId"].text != nil)
            let nobody = try await shell.run("grant", "nobody@doors.example", "Front door", "--from", "now", "--until", "+1h")
            #expect(nobody.code == 1)
            #expect(
                nobody.errors == "doorward: There is no person with the address `nobody@doors.example`. Nothing was granted.\n")
        }

        @Test("a caller who may not list users grants by address, id or known name; an unknown name is rejected")
        func grantedByTenant() async throws {
            let (gateway, house, _) = try await ownersShell()
            let door = try await house.lock("Front door")
            let admin = try await gateway.signIn(RunningGateway.adminEmail)
            let gus = try await House.createUser("gus@doors.example", "Gus", by: admin)
            _ = try await house.tenant("Tom", on: gateway)
            let shell = try await Shell.signedIn("tom@doors.example", on: gateway)
            let window = ["--from", "now", "--until", "+1h"]
            let unknown = try await shell.run(["grant", "Gus Guest", "Front door"] + window)
            #expect(unknown.code == 1)
            #expect(unknown.output.isEmpty)
            #expect(
                unknown.errors.hasPrefix(
                    "doorward: There is no person named `Gus Guest`. None of the people that you may see has this name.\n"))
            #expect(unknown.errors.contains("--label"), "\(unknown.errors)")
            #expect(try await shell.run("grants").output.isEmpty)
            let granted = try await shell.run(["grant", "Gus@doors.example", "Front door", "--json"] + window)
            #expect(granted.code == 0, "\(granted.errors)")
            #expect(try granted.json["guestAccess"]["guestUserId"] == .string(gus))
            #expect(try await gateway.signIn("gus@doors.example").post("/devices/\(door)/unlock", "{}").status == 200)
            let named = try await shell.run(["grant", "gus@doors.example", "Front door", "--name", "Gus Guest"] + window)
            #expect(named.rows.first?.first == "Gus Example", "\(named.errors)")
            #expect(try await Set(shell.run("grants").rows.map { $0[0] }) == ["Gus Example"])
            for name in ["gus example", "gus guest"] {
                let again = try await shell.run(["grant", name, "Front door", "--json"] + window)
                #expect(try again.json["guestAccess"]["guestUserId"] == .string(gus), "\(again.errors)")
            }
        }

        @Test("whoever is named by `who-can`, `grants` or the log is a person for `can` and `log --user`, by name and by address")
        func namedPeople() async throws {
            let (gateway, house, owner) = try await ownersShell()
            _ = try await house.lock("Front door")
            let admin = try await gateway.signIn(RunningGateway.adminEmail)
            _ = try await House.createUser("gus@doors.example", "Gus", by: admin)
            let manager = try await House.createUser("mia@doors.example", "Mia", by: admin)
            let role = #"{"userId":"\#(manager)","role":"PROPERTY_MANAGER"}"#
            #expect(try await house.owner.post("/properties/\(house.propertyID)/managers", role).status == 200)
            let granted = try await owner.run(
                "grant", "gus@doors.example", "Front door", "--from", "now", "--until", "+1h")
            #expect(granted.code == 0, "\(granted.errors)")
            let mia = try await Shell.signedIn("mia@doors.example", on: gateway)
            let named = try await mia.run("who-can", "unlock", "Front door").rows.map { $0[0] }
            #expect(Set(named) == ["Olga Example", "Mia Example", "Gus Example"])
            for text in named + ["gus@doors.example", "GUS EXAMPLE"] {
                let asked = try await mia.run("can", text, "unlock", "Front door")
                #expect(asked.code == 0, "\(text): \(asked.errors)")
            }
            for text in ["Gus Example", "gus@doors.example"] {
                let log = try await mia.run("log", "--user", text)
                #expect(log.code == 0, "\(text): \(log.errors)")
            }
            let unknown = try await mia.run("can", "Gus Exmple", "unlock", "Front door")
            #expect(unknown.errors.contains("Did you mean `Gus Example`?"), "\(unknown.errors)")
        }

        @Test("an owner can name a guest without a role by name, and by the note of an earlier grant, before the guest has acted")
        func grantedByOwner() async throws {
            let (gateway, house, shell) = try await ownersShell()
            _ = try await house.lock("Front door")
            let admin = try await gateway.signIn(RunningGateway.adminEmail)
            let gus = try await House.createUser("gus@doors.example", "Gus", by: admin)
            let window = ["--from", "now", "--until", "+1h"]
            let named = try await shell.run(["grant", gus, "Front door", "--name", "Gus Guest"] + window)
            #expect(named.rows.first?.first == "Gus Example", "\(named.errors)")
            #expect(try await shell.run("grants").rows.map { $0[0] } == ["Gus Example"])
            let again = try await shell.run(["grant", "gus guest", "Front door", "--json"] + window)
            #expect(again.code == 0, "\(again.errors)")
            #expect(try again.json["guestAccess"]["guestUserId"] == .string(gus))
            let blank = try await shell.run(["grant", gus, "Front door", "--name", " "] + window)
            #expect(blank.code == 1 && blank.errors.contains("\n  --name "), "\(blank.errors)")
        }

        @Test("a guest without a role is shown by name, and that name can be used for a new grant")
        func guestsName() async throws {
            let (gateway, house, shell) = try await ownersShell()
            let door = try await house.lock("Front door")
            let gus = try await House.createUser("gus@doors.example", "Gus", by: gateway.signIn(RunningGateway.adminEmail))
            let granted = try await shell.run("grant", "gus@doors.example", door, "--from", "now", "--until", "+1h")
            #expect(granted.code == 0, "\(granted.errors)")
            #expect(try await gateway.signIn("gus@doors.example").post("/devices/\(door)/unlock", "{}").status == 200)
            #expect(try await shell.run("grants").rows.map { $0[0] } == ["Gus Example"])
            let log = try await shell.run("log").rows
            #expect(log.contains { $0[2] == "grant guest access" && $0[4] == "Gus Example: Front door" }, "\(log)")
            let again = try await shell.run("grant", "gus example", door, "--from", "+2h", "--until", "+3h", "--json")
            #expect(try again.json["guestAccess"]["guestUserId"] == .string(gus), "\(again.errors)")
            let near = try await shell.run("log", "--user", "gus@dors.example")
            #expect(near.code == 1 && near.output.isEmpty)
        }

        @Test("a guest access is revoked by its label or its guest's name, active ones first; several matches are listed")
        func revokeByName() async throws {
            let (gateway, house, shell) = try await ownersShell()
            let door = try await house.lock("Front door")
            func grant(_ guest: String) async throws -> String {
                let granted = try await shell.run(
                    ["grant", guest, door, "--from", "now", "--until", "+1h", "--json"] + (guest == "Plumber" ? ["--label"] : []))
                return try #require(try granted.json["guestAccess"]["id"].text, "\(granted.errors)")
            }
            let (first, second) = (try await grant("Plumber"), try await grant("Plumber"))
            let both = try await shell.run("revoke", "plumber")
            #expect(both.code == 1)
            #expect(
                both.errors.hasPrefix("doorward: More than one guest access is named `plumber`. Use the id of one of them:\n"),
                "\(both.errors)")
            for id in [first, second] { #expect(both.errors.contains(id)) }
            #expect(try await shell.run("revoke", first).output == "\(first)\trevoked\n")
            #expect(try await shell.run("revoke", "Plumber").output == "\(second)\trevoked\n", "the first one is already revoked")
            _ = try await house.tenant("Tom", on: gateway)
            let access = try await grant("Tom Example")
            let revoked = try await shell.run("revoke", "tom example")
            #expect(revoked.output == "\(access)\trevoked\n", "\(revoked.errors)")
            let nobody = try await shell.run("revoke", "Painter")
            #expect(nobody.code == 1)
            #expect(
                nobody.errors
                    == "doorward: There is no guest access named `Painter`. `doorward grants` lists the guest accesses that you may see.\n"
            )
        }

        @Test("a window that ends before it begins is rejected in words, and nothing is granted")
        func backwards() async throws {
            let (_, house, shell) = try await ownersShell()
            _ = try await house.lock("Front door")
            let result = try await shell.run(
                "grant", "--label", "Plumber", "Front door", "--from", "2030-07-01T18:00:00Z", "--until", "2030-07-01T17:00:00Z")
            #expect(result.code == 1)
            #expect(result.errors.contains("\n  --until is not after the start\n"), "\(result.errors)")
            #expect(try await shell.run("grants").output.isEmpty)
        }

        @Test("revoking a guest access that does not exist gives the same error as one that is not visible")
        func unknownAccess() async throws {
            let (_, _, shell) = try await ownersShell()
            let result = try await shell.run("revoke", "01990a3c-5b1e-7c3f-8f4e-0c9d2a4b6e71")
            #expect(result.code == 1)
            #expect(result.errors.hasPrefix("doorward: You have no access to this, or it does not exist.\n"))
        }

        @Test(
            "an invalid time exits 2 before any request",
            arguments: [
                ("soon", "is not a time"), ("25:00", "does not exist"), ("2030-02-30 12:00", "does not exist"),
                ("2030-02-01 9:00 CET", "is not a time"),
            ])
        func badTimes(_ time: String, _ problem: String) async throws {
            let result = try await Program.run(
                Program.doorward, ["grant", "Plumber", "Front door", "--from", time, "--until", "+1h"],
                environment: ["TZ": "Europe/Berlin"], in: TemporaryFolder())
            #expect(result.code == 2)
            #expect(result.errors.hasPrefix("doorward: --from: `\(time)` \(problem)"), "\(result.errors)")
        }

        @Test(
            "wrong usage exits 2",
            arguments: [
                ["grant", "a", "b", "--from", "now"], ["grant", "a", "b", "--until", "now"],
                ["grant", "a", "--from", "now", "--until", "+1h"],
                ["grant", "a", "b", "--from", "now", "--until", "+1h", "--label", "--name", "c"], ["revoke"],
                ["grants", "a", "b"], ["change"], ["change", "a", "--any-hours", "--days", "mon"],
                ["change", "a", "--any-uses", "--max-uses", "1"],
            ])
        func usage(_ arguments: [String]) async throws {
            let result = try await Program.run(Program.doorward, arguments, in: TemporaryFolder())
            #expect(result.code == 2)
            #expect(result.errors.contains("Usage: doorward"))
        }
    }
}
