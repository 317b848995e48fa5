import Foundation
import Testing

extension EndToEnd {
    @Suite("doorward locks and status") struct LocksTests {
        @Test("in a pipe each lock is one line of plain cells separated by tabs")
        func plainLines() async throws {
            let (gateway, house, shell) = try await ownersShell()
            let cellar = try await house.lock("Cellar", address: #""batteryLevel":40"#)
            let attic = try await house.lock("attic", address: #""capabilities":["LOCK","UNLOCK"]"#)
            let result = try await shell.run("locks")
            #expect(result.code == 0)
            #expect(
                result.rows == [
                    ["attic", "locked", "unknown", "-", "yes", "Quay 1 / 1a", attic],
                    ["Cellar", "locked", "closed", "40 %", "yes", "Quay 1 / 1a", cellar],
                ], "\(result.output)")
            #expect(result.errors.isEmpty)
            #expect(await gateway.stop() == 0)
        }

        @Test("property and unit filter the list by name in any case or by id, and wrong names are reported")
        func places() async throws {
            let (_, house, shell) = try await ownersShell()
            let inUnit = try await house.lock("In the unit")
            let other = try await house.property("Quay 2", unit: "1a")
            let elsewhere = try await house.lock("Elsewhere", property: other.propertyID, unit: other.unitID)
            func ids(_ arguments: String...) async throws -> [String?] {
                var all = ["locks"] + arguments
                all.append("--json")
                return try await shell.run(all).json["devices"].items.map { $0["id"].text }
            }
            #expect(try await ids("--property", "quay 1") == [inUnit])
            #expect(try await ids("--property", other.propertyID) == [elsewhere])
            #expect(try await ids("--unit", house.unitID) == [inUnit])
            #expect(try await ids("--property", "Quay 2", "--unit", "1A") == [elsewhere])
            let ambiguous = try await shell.run("locks", "--unit", "1a")
            #expect(ambiguous.code == 1)
            #expect(ambiguous.output.isEmpty)
            #expect(ambiguous.errors.contains("1a  Quay 1  \(house.unitID)"), "\(ambiguous.errors)")
            #expect(ambiguous.errors.contains("1a  Quay 2  \(other.unitID)"))
            let unknown = try await shell.run("locks", "--property", "Quay 3")
            #expect(unknown.code == 1)
            #expect(unknown.errors.hasPrefix("doorward: There is no property named `Quay 3`. Did you mean `Quay "))
        }

        @Test("JSON output is the data of the API, field by field, over all pages")
        func json() async throws {
            let (_, house, shell) = try await ownersShell()
            for index in 0..<201 { _ = try await house.lock("Lock \(1000 + index)") }
            let printed = try await shell.run("locks", "--json").json
            #expect(printed["devices"].items.count == 201)
            #expect(printed["pagination"]["totalItems"] == .number(201))
            let first = printed["devices"].items[0]
            let id = try #require(first["id"].text)
            #expect(try await house.owner.get("/devices/\(id)").data["device"] == first)
            let status = try await shell.run("status", id, "--json").json
            #expect(try await house.owner.get("/devices/\(id)/status").data == status)
        }

        @Test(
            "--follow continues after a restart of the gateway, and prints each changed or detached lock as a JSON object")
        func follow() async throws {
            let (gateway, house, shell) = try await ownersShell()
            let door = try await house.lock("Front door")
            _ = try await house.lock("Cellar")
            let errors = shell.folder.file("follow.errors")
            let locks = try shell.start("locks", "--follow", "--json", errors: errors)
            func next() async throws -> JSON {
                try JSONDecoder().decode(JSON.self, from: Data(try #require(await locks.nextLine()).utf8))
            }
            #expect(try await next()["name"] == .string("Cellar"))
            #expect(try await next()["name"] == .string("Front door"))
            #expect(try await house.owner.post("/devices/\(door)/unlock", "{}").status == 200)
            var changed = try await next()
            // The state in between is sent, too, if the gateway is busy.
            while changed["state"] == .string("UNLOCKING") { changed = try await next() }
            #expect(changed["id"] == .string(door) && changed["state"] == .string("UNLOCKED"), "\(changed)")
            #expect(await gateway.stop() == 0)
            while try String(contentsOfFile: errors, encoding: .utf8).isEmpty { await Task.yield() }
            let again = try await gateway.startAgain()
            let owner = house.owner.at(again)
            #expect(try await owner.delete("/devices/\(door)").status == 204)
            // Changes caused by the restart may come first.
            var removed = try await next()
            while removed["removed"] == .null { removed = try await next() }
            #expect(removed == .object(["id": .string(door), "removed": .bool(true)]))
            locks.signal(SIGINT)
            #expect(await locks.exitCode == 0)
            let messages = try String(contentsOfFile: errors, encoding: .utf8).split(separator: "\n")
            #expect(messages.count == 2, "\(messages)")
            #expect(messages.first?.hasSuffix("; trying again") == true && messages.last?.hasSuffix(" is back") == true)
        }

        @Test("status --watch prints what changes, over a restart and a move to another property, until the lock is removed")
        func watch() async throws {
            let (gateway, house, shell) = try await ownersShell()
            let door = try await house.lock("Front door")
            let other = try await house.property("Quay 2", unit: "2b")
            let errors = shell.folder.file("watch.errors")
            let lines = try shell.start("status", "front door", "--watch", errors: errors)
            let documents = try shell.start("status", door, "--watch", "--json", errors: errors)
            func until(_ line: String) async throws {
                while try #require(await lines.nextLine()) != line {}
            }
            func until(_ state: String, _ id: String) async throws {
                while true {
                    let line = try #require(await documents.nextLine())
                    let status = try JSONDecoder().decode(JSON.self, from: Data(line.utf8))["status"]
                    #expect(status["deviceId"] == .string(id))
                    if status["state"] == .string(state) { return }
                }
            }
            try await until("id\t\(door)")
            try await until("LOCKED", door)
            #expect(try await house.owner.post("/devices/\(door)/unlock", "{}").status == 200)
            try await until("state\tunlocked")
            try await until("UNLOCKED", door)
            await gateway.crash()
            let again = try await gateway.startAgain()
            let owner = house.owner.at(again)
            let place = #"{"propertyId":"\#(other.propertyID)","unitId":"\#(other.unitID)"}"#
            #expect(try await owner.put("/devices/\(door)", place).status == 200)
            try await until("where\tQuay 2 / 2b")
            #expect(try await owner.post("/devices/\(door)/lock", "{}").status == 200)
            try await until("state\tlocked")
            try await until("LOCKED", door)
            #expect(try await owner.delete("/devices/\(door)").status == 204)
            for program in [lines, documents] { #expect(await program.exitCode == 1) }
            #expect(try String(contentsOfFile: errors, encoding: .utf8).hasSuffix("\n"))
        }

        @Test("a name in any case identifies a lock; several matches are listed, and an unknown name is reported")
        func names() async throws {
            let (_, house, shell) = try await ownersShell()
            let first = try await house.lock("Front door")
            let found = try await shell.run("status", "front DOOR")
            #expect(found.rows.contains(["id", first]), "\(found.output)\(found.errors)")
            #expect(found.rows.contains(["state", "locked"]))
            let second = try await house.lock("FRONT door")
            let several = try await shell.run("status", "front door")
            #expect(several.code == 1)
            #expect(several.output.isEmpty)
            for id in [first, second] { #expect(several.errors.contains("Quay 1 / 1a  \(id)"), "\(several.errors)") }
            #expect(try await shell.run("status", second).rows.contains(["name", "FRONT door"]))
            let none = try await shell.run("status", "Back door")
            #expect(none.code == 1)
            #expect(
                none.errors.hasPrefix(
                    "doorward: There is no lock named `Back door`. `doorward locks` lists the locks that you may see.\n"))
        }

        @Test("an id that is not visible gives the same error as one that does not exist, and the error shows the request id")
        func outOfReach() async throws {
            let (gateway, house, shell) = try await ownersShell()
            let door = try await house.lock("Front door")
            let admin = try await gateway.signIn(RunningGateway.adminEmail)
            _ = try await House.createUser("stranger@doors.example", "Sam", by: admin)
            let stranger = try await Shell.signedIn("stranger@doors.example", on: gateway)
            for id in [door, "01990a3c-5b1e-7c3f-8f4e-0c9d2a4b6e71"] {
                let result = try await stranger.run("status", id)
                #expect(result.code == 1)
                let lines = result.errors.split(separator: "\n")
                #expect(lines.first == "doorward: You have no access to this, or it does not exist.")
                #expect(lines.count == 2 && lines[1].hasPrefix("  request "), "\(result.errors)")
            }
            let empty = try await stranger.run("locks")
            #expect(empty.code == 0)
            #expect(empty.output.isEmpty, "an empty list prints nothing in a pipe")
            #expect(try await shell.run("locks").rows.count == 1)
        }

        @Test("an expired token is refreshed once, even by two commands at the same time")
        func renewal() async throws {
            let (gateway, house, shell) = try await ownersShell()
            _ = try await house.lock("Front door")
            for _ in 0..<3 {
                try shell.spoilAccessToken()
                async let first = shell.run("locks")
                async let second = shell.run("locks")
                let codes = [try await first.code, try await second.code]
                #expect(codes == [0, 0])
            }
            let records = try await gateway.signIn(RunningGateway.adminEmail).get("/access-records?limit=500")
            let events = records.data["accessRecords"].items.compactMap { $0["event"].text }
            #expect(!events.contains("REFRESH_REUSED"))
        }
    }
}
