import Foundation
import Testing

extension EndToEnd {
    @Suite("doorward lock, unlock and unlatch") struct MovementTests {
        @Test("each command waits for the lock and prints its new state")
        func moves() async throws {
            let (_, house, shell) = try await ownersShell()
            let door = try await house.lock("Front door")
            for (command, state) in [("unlock", "unlocked"), ("unlatch", "unlatched"), ("lock", "locked")] {
                let result = try await shell.run(command, "Front door")
                #expect(result.code == 0, "\(result.errors)")
                #expect(result.output == "Front door\t\(state)\n")
                #expect(result.errors.isEmpty, "no progress line is written to a pipe")
                #expect(try await house.owner.get("/devices/\(door)").data["device"]["state"].text == state.uppercased())
            }
        }

        @Test("JSON output is the command and the device of the API, and the command's source is CLI")
        func json() async throws {
            let (_, house, shell) = try await ownersShell()
            let door = try await house.lock("Front door")
            let printed = try await shell.run("unlock", door, "--reason", "the post is here", "--json").json
            let id = try #require(printed["command"]["id"].text)
            #expect(try await house.owner.get("/commands/\(id)").data["command"] == printed["command"])
            #expect(printed["command"]["state"] == .string("CONFIRMED"))
            #expect(printed["command"]["reason"] == .string("the post is here"))
            #expect(printed["command"]["source"] == .string("CLI"))
            #expect(printed["device"]["id"] == .string(door))
        }

        @Test("a jam, a refusal and an offline lock exit 1 with the cause and the command's id")
        func failures() async throws {
            let (_, house, shell) = try await ownersShell()
            let door = try await house.lock("Front door")
            for (event, sentence, detail) in [
                ("jam", "The lock reports a jam; check the door and the bolt.", "the command was sent to the lock"),
                ("refuse", "The lock or its bridge rejected the command.", "the command was sent to the lock"),
                ("offline", "The lock cannot be reached; check its power and network.", "nothing was sent to the lock"),
            ] {
                #expect(try await shell.run("simulate", "Front door", event).code == 0)
                let result = try await shell.run("unlock", door)
                #expect(result.code == 1)
                #expect(result.output.isEmpty)
                let lines = result.errors.split(separator: "\n").map(String.init)
                #expect(lines.first == "doorward: \(sentence)")
                #expect(lines.contains("  \(detail)"), "\(result.errors)")
                let id = lines.compactMap { $0.firstMatch(of: #/^  command ([0-9a-f-]{36})/#)?.1 }.first
                let command = try await house.owner.get("/commands/\(try #require(id))")
                #expect(command.data["command"]["state"] == .string("FAILED"))
                #expect(try await shell.run("simulate", "Front door", "clear").code == 0)
            }
        }

        @Test("a lock that never confirms is reported after the given timeout")
        func timeout() async throws {
            let (_, house, shell) = try await ownersShell()
            _ = try await house.lock("Front door")
            #expect(try await shell.run("simulate", "Front door", "lose-confirmations").code == 0)
            let result = try await shell.run("unlock", "Front door", "--timeout", "5")
            #expect(result.code == 1)
            #expect(result.errors.hasPrefix("doorward: The lock did not confirm the command in time; check the door.\n"))
        }

        @Test("a denial is printed with its reason and with the time at which the access begins")
        func denials() async throws {
            let (gateway, house, shell) = try await ownersShell()
            let door = try await house.lock("Front door")
            let admin = try await gateway.signIn(RunningGateway.adminEmail)
            let gus = try await House.createUser("gus@doors.example", "Gus", by: admin)
            let guest = try await Shell.signedIn("gus@doors.example", on: gateway)
            let granted = try await house.owner.post(
                "/guest-access",
                #"{"guestUserId":"\#(gus)","deviceIds":["\#(door)"],"operations":["UNLOCK"],"#
                    + #""validFrom":"2090-01-01T00:00:00Z","validUntil":"2090-01-02T00:00:00Z"}"#)
            try #require(granted.status == 201, "\(granted.body)")
            let early = try await guest.run("unlock", door)
            #expect(early.code == 1)
            let lines = early.errors.split(separator: "\n").map(String.init)
            #expect(lines.first == "doorward: The guest access has not begun yet.")
            #expect(lines.contains("  opens 2090-01-01T00:00:00.000Z"), "\(early.errors)")
            #expect(lines.last?.hasPrefix("  request ") == true)
            #expect(try await guest.run("locks").output.isEmpty, "no list has the lock before the access begins")
            let named = try await guest.run("unlock", "front DOOR")
            #expect(named.code == 1)
            #expect(
                named.errors.contains("The guest access has not begun yet.\n  opens 2090-01-01T00:00:00.000Z\n"),
                "\(named.errors)")
            let asked = try await guest.run("can", "me", "unlock", "Front door")
            #expect(
                asked.output
                    == "You may not unlock Front door: the guest access has not started; opens 2090-01-01T00:00:00.000Z\n",
                "\(asked.errors)")
            #expect(try await guest.run("grants").rows.map { $0[1] } == ["Front door"])
            _ = try await house.lock("Cellar")
            let other = try await guest.run("unlock", "Cellar")
            #expect(other.errors.hasPrefix("doorward: There is no lock named `Cellar`."), "\(other.errors)")
            let auditor = try await House.createUser("audit@doors.example", "Ada", by: admin)
            let role = try await house.owner.post(
                "/properties/\(house.propertyID)/managers", #"{"userId":"\#(auditor)","role":"AUDITOR"}"#)
            try #require(role.status == 200, "\(role.body)")
            let reader = try await Shell.signedIn("audit@doors.example", on: gateway)
            let refused = try await reader.run("unlock", "Front door")
            #expect(refused.code == 1)
            #expect(refused.errors.contains("  needs the role "), "\(refused.errors)")
            #expect(try await shell.run("locks").code == 0)
        }

        @Test("a gateway crash during a command exits 3 and prints how to find the outcome")
        func brokenConnection() async throws {
            let (gateway, house, shell) = try await ownersShell()
            let door = try await house.lock("Slow door", address: #""latencyMs":60000"#)
            let errors = shell.folder.file("unlock.errors")
            let waiting = try shell.start("unlock", door, "--timeout", "60", errors: errors)
            try await house.untilCommanded(door)
            await gateway.crash()
            #expect(await waiting.exitCode == 3)
            let text = try String(contentsOfFile: errors, encoding: .utf8)
            #expect(text.hasPrefix("doorward: no answer from \(gateway.address): "), "\(text)")
            #expect(text.contains("whether the lock has moved is not known"))
            #expect(text.contains("doorward log \(door)"))
        }

        @Test("Ctrl-C ends the waiting, and the message says that the command continues")
        func interrupted() async throws {
            let (_, house, shell) = try await ownersShell()
            let door = try await house.lock("Slow door", address: #""latencyMs":60000"#)
            let errors = shell.folder.file("unlock.errors")
            let waiting = try shell.start("unlock", door, "--timeout", "60", errors: errors)
            try await house.untilCommanded(door)
            waiting.signal(SIGINT)
            #expect(await waiting.exitCode == 1)
            let text = try String(contentsOfFile: errors, encoding: .utf8)
            #expect(text.hasPrefix("doorward: stopped waiting; the command may still be carried out\n"))
            #expect(text.contains("doorward status \(door)"))
        }

        @Test("an override is sent with its reason")
        func override() async throws {
            let (_, house, shell) = try await ownersShell()
            let door = try await house.lock("Front door")
            let result = try await shell.run("unlock", door, "--override", "fire in the cellar")
            #expect(result.code == 0, "\(result.errors)")
            let blank = try await shell.run("unlock", door, "--override", "")
            #expect(blank.code == 1)
            #expect(blank.errors.contains("  --override is blank"), "the reason was sent: \(blank.errors)")
        }

        @Test(
            "wrong usage exits 2",
            arguments: [
                ["unlock"], ["unlock", "a", "b"], ["unlock", "a", "--timeout", "0.05"], ["unlock", "a", "--timeout", "61"],
                ["lock", "a", "--timeout", "soon"], ["unlatch", "a", "--reason"],
            ])
        func usage(_ arguments: [String]) async throws {
            let result = try await Program.run(Program.doorward, arguments, in: TemporaryFolder())
            #expect(result.code == 2)
            #expect(result.errors.contains("Usage: doorward"))
        }
    }
}
