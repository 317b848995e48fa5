import Foundation
import Testing

extension EndToEnd {
    @Suite("doorward log", .timeLimit(.minutes(30))) struct LogTests {
        @Test("records are printed one per line, newest last, for one lock or for all")
        func lines() async throws {
            let (_, house, shell) = try await ownersShell()
            _ = try await house.lock("Front door")
            _ = try await house.lock("Cellar")
            #expect(try await shell.run("unlock", "Front door").code == 0)
            let log = try await shell.run("log", "Front door")
            #expect(log.code == 0, "\(log.errors)")
            let commands = log.rows.filter { $0[2] == "unlock" }
            #expect(commands.map { $0[4] } == ["allowed as owner", "confirmed"], "\(log.output)")
            #expect(commands.allSatisfy { $0[1] == "Olga Example" && $0[3] == "Front door" })
            #expect(commands[0][0] <= commands[1][0])
            #expect(commands[0][0].hasSuffix("Z"), "UTC in a pipe")
            #expect(log.rows.allSatisfy { $0[3] == "Front door" })
            #expect(try await shell.run("log").rows.contains { $0[3] == "Cellar" })
        }

        @Test("JSON output is the data of the API, newest first, and a limit counts from the newest")
        func json() async throws {
            let (_, house, shell) = try await ownersShell()
            let door = try await house.lock("Front door")
            for command in ["unlock", "lock"] { #expect(try await shell.run(command, door).code == 0) }
            let expected = try await house.owner.get("/access-records?deviceId=\(door)&limit=50").data
            #expect(try await shell.run("log", door, "--json").json == expected)
            let two = try await shell.run("log", door, "--limit", "2", "--json").json
            #expect(two["accessRecords"].items == Array(expected["accessRecords"].items.prefix(2)))
            #expect(two["nextCursor"].text != nil)
        }

        @Test("records are filtered by user, time and denial")
        func filters() async throws {
            let (gateway, house, shell) = try await ownersShell()
            let door = try await house.lock("Front door")
            let tom = try await house.tenant("Tom", on: gateway)
            #expect(try await tom.post("/devices/\(door)/unlock", "{}").status == 200)
            #expect(try await shell.run("lock", door).code == 0)
            let toms = try await shell.run("log", "--user", "tom@doors.example")
            #expect(toms.code == 0, "\(toms.errors)")
            #expect(Set(toms.rows.map { $0[1] }) == ["Tom Example"], "\(toms.output)")
            #expect(try await shell.run("log", "--since", "+1h").output.isEmpty)
            let recent = try await shell.run("log", "--since", "-1h")
            #expect(recent.rows.count > 2 && recent.rows.map { $0[0] } == recent.rows.map { $0[0] }.sorted(), "\(recent.output)")
            let document = try await shell.run("log", "--since", "-1h", "--json").output
            let listed = try JSONDecoder().decode(JSON.self, from: Data(document.utf8))
            #expect(listed["accessRecords"].items.count == recent.rows.count && document.hasSuffix("],\"nextCursor\":null}\n"))
            let sam = try await House.createUser("sam@doors.example", "Sam", by: gateway.signIn(RunningGateway.adminEmail))
            #expect(!sam.isEmpty)
            #expect(try await gateway.signIn("sam@doors.example").post("/devices/\(door)/unlock", "{}").status == 403)
            let denied = try await shell.run("log", "--denied")
            #expect(denied.rows.map { $0[4] } == ["denied: no role or guest access for this lock"], "\(denied.output)")
            #expect(denied.rows.map { $0[1] } == ["somebody without access"])
            let nobody = try await shell.run("log", "--user", "nobody@doors.example")
            #expect(nobody.code == 1)
            #expect(nobody.errors.hasPrefix("doorward: There is no person named `nobody@doors.example`. "))
        }

        @Test(
            "--follow prints each record once, also after the gateway was stopped or killed, and exits 0 on Ctrl-C",
            arguments: zip([["--limit", "500"], ["--limit", "1"], ["--since", "-1h"]], [false, true, false]))
        func follow(_ limit: [String], isKilled: Bool) async throws {
            let (gateway, house, shell) = try await ownersShell()
            let door = try await house.lock("Front door")
            for command in ["unlock", "lock"] {
                #expect(try await house.owner.post("/devices/\(door)/\(command)", "{}").status == 200)
            }
            let history = try await house.owner.get("/access-records?deviceId=\(door)&order=asc").data["accessRecords"].items
                .compactMap { $0["id"].text }
            let errors = shell.folder.file("follow.errors")
            let log = try Program(
                Program.doorward, ["log", door, "--follow", "--json"] + limit, environment: shell.environment, errors: errors)
            var seen: [String] = []
            func until(_ outcomes: Int) async throws {
                var count = 0
                while count < outcomes {
                    let line = try #require(await log.nextLine())
                    let record = try JSONDecoder().decode(JSON.self, from: Data(line.utf8))
                    seen.append(try #require(record["id"].text))
                    if record["kind"] == .string("COMMAND_OUTCOME") { count += 1 }
                }
            }
            // Wait for the records within the limit, which come before any new ones.
            try await until(limit == ["--limit", "1"] ? 1 : 2)
            #expect(try await house.owner.post("/devices/\(door)/unlock", "{}").status == 200)
            try await until(1)
            // The last record before the end may not have been printed.
            #expect(try await house.owner.post("/devices/\(door)/lock", "{}").status == 200)
            if isKilled { await gateway.crash() } else { #expect(await gateway.stop() == 0) }
            let again = try await gateway.startAgain()
            let owner = house.owner.at(again)
            #expect(try await owner.post("/devices/\(door)/unlock", "{}").status == 200)
            #expect(try await owner.post("/devices/\(door)/lock", "{}").status == 200)
            try await until(3)
            log.signal(SIGINT)
            #expect(await log.exitCode == 0)
            let all = try await owner.get("/access-records?deviceId=\(door)&order=asc&limit=500")
            let ids = all.data["accessRecords"].items.compactMap { $0["id"].text }
            let start = try #require(ids.firstIndex(of: seen[0]))
            #expect(seen[0] == (limit == ["--limit", "1"] ? history.last : history.first))
            #expect(seen == Array(ids[start...].prefix(seen.count)), "each record once, in order, none missing")
        }

        /// What ends the stream of a tenant who follows the log, and the message.
        enum Ending: CaseIterable {
            case roleTaken, userDisabled, keyDeleted, signedOut
        }

        @Test("--follow ends with a message and exit code 1 when the right or the sign-in ends", arguments: Ending.allCases)
        func ends(_ ending: Ending) async throws {
            let (gateway, house, _) = try await ownersShell()
            let door = try await house.lock("Front door")
            let tom = try await house.tenant("Tom", on: gateway)
            let me = try #require(try await tom.get("/users/me").data["user"]["id"].text)
            let shell = try await Shell.signedIn("tom@doors.example", on: gateway)
            let errors = shell.folder.file("follow.errors")
            var environment = shell.environment
            var keyID = ""
            if ending == .keyDeleted {
                let key = try await house.owner.post(
                    "/api-keys",
                    #"{"name":"reader","entityType":"PROPERTY","entityId":"\#(house.propertyID)","role":"AUDITOR","#
                        + #""expiresAt":"\#(Date(timeIntervalSinceNow: 86_400).ISO8601Format())"}"#
                ).data
                keyID = try #require(key["apiKey"]["id"].text)
                let secret = try #require(key["secret"].text)
                environment.merge(["DOORWARD_SERVER": gateway.address, "DOORWARD_TOKEN": secret]) { $1 }
            }
            let log = try Program(
                Program.doorward, ["log", "--follow", "--json", "--limit", "1"], environment: environment, errors: errors)
            _ = try #require(await log.nextLine())
            #expect(try await house.owner.post("/devices/\(door)/unlock", "{}").status == 200)
            // The stream is open.
            #expect(await log.nextLine()?.contains(#""operation":"UNLOCK""#) == true)
            switch ending {
            case .roleTaken: #expect(try await house.owner.delete("/units/\(house.unitID)/tenants/\(me)").status == 204)
            case .userDisabled:
                let admin = try await gateway.signIn(RunningGateway.adminEmail)
                #expect(try await admin.put("/users/\(me)", #"{"isEnabled":false}"#).status == 200)
            case .keyDeleted: #expect(try await house.owner.delete("/api-keys/\(keyID)").status == 204)
            case .signedOut: #expect(try await shell.run("logout").code == 0)
            }
            #expect(await log.exitCode == 1)
            let message = try String(contentsOfFile: errors, encoding: .utf8)
            switch ending {
            case .roleTaken: #expect(message == "doorward: You may not see these records any more.\n")
            case .userDisabled:
                #expect(message.hasPrefix("doorward: The session has expired; sign in again: doorward login --server "))
            case .keyDeleted:
                #expect(message.hasPrefix("doorward: Sign in: the credentials are missing, wrong or expired.\n"), "\(message)")
            case .signedOut: #expect(message.hasPrefix("doorward: not signed in at \(gateway.address); "), "\(message)")
            }
        }

        @Test("a tenant's log names the lock and its place, and shows actors as `you` or `staff`")
        func tenantsLog() async throws {
            let (gateway, house, shell) = try await ownersShell()
            let door = try await house.lock("Front door")
            let tom = try await house.tenant("Tom", on: gateway)
            #expect(try await tom.post("/devices/\(door)/unlock", #"{"reason":"the post"}"#).status == 200)
            #expect(try await shell.run("lock", door, "--reason", "night").code == 0)
            let reader = try await Shell.signedIn("tom@doors.example", on: gateway)
            let rows = try await reader.run("log").rows.filter { ["lock", "unlock"].contains($0[2]) }
            #expect(Set(rows.map { $0[3] }) == ["Front door"], "\(rows)")
            #expect(Set(rows.map { $0[5] }) == ["Quay 1 / 1a"], "\(rows)")
            #expect(
                rows.contains { $0[1] == "you" && $0[2] == "unlock" } && rows.contains { $0[1] == "staff" && $0[2] == "lock" })
            let owners = try await shell.run("log").rows
            #expect(owners.contains { $0[1] == "Tom Example" && $0[4] == "allowed as tenant (reason: the post)" }, "\(owners)")
            #expect(owners.contains { $0[4] == "allowed as owner (reason: night)" })
        }

        @Test("a change is shown with its names: role and holder, guest access and locks, field and values")
        func changes() async throws {
            let (gateway, house, shell) = try await ownersShell()
            let door = try await house.lock("Front door")
            _ = try await house.tenant("Tom", on: gateway)
            let granted = try await shell.run(
                "grant", "Tom Example", door, "--from", "now", "--until", "+1h", "--operations", "unlatch", "--json")
            let id = try #require(try granted.json["guestAccess"]["id"].text, "\(granted.errors)")
            #expect(try granted.json["guestAccess"]["operations"] == .array([.string("UNLATCH")]))
            #expect(try await shell.run("revoke", id).code == 0)
            #expect(try await house.owner.put("/devices/\(door)", #"{"name":"Back door"}"#).status == 200)
            let rows = try await shell.run("log").rows.map { Array($0[1...5]) }
            for row in [
                ["Olga Example", "assign role", "-", "Tom Example: tenant of 1a", "Quay 1 / 1a"],
                ["Olga Example", "grant guest access", "-", "Tom Example: Back door", "Quay 1"],
                ["Olga Example", "revoke guest access", "-", "Tom Example: Back door", "Quay 1"],
                ["Olga Example", "update lock", "Back door", "name Front door → Back door", "Quay 1 / 1a"],
                ["Olga Example", "create lock", "Front door", "-", "Quay 1 / 1a"],
                ["Olga Example", "create unit", "-", "1a", "Quay 1 / 1a"],
            ] { #expect(rows.contains(row), "\(row) is not in \(rows)") }
        }

        @Test("wrong usage exits 2", arguments: [["log", "a", "b"], ["log", "--limit", "0"], ["log", "--since", "soon"]])
        func usage(_ arguments: [String]) async throws {
            let result = try await Program.run(Program.doorward, arguments, in: TemporaryFolder())
            #expect(result.code == 2)
            #expect(!result.errors.isEmpty)
        }
    }
}
