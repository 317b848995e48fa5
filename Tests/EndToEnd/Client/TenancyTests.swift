import Foundation
import Testing

extension EndToEnd {
    @Suite("Places, people and rights on the command line") struct TenancyTests {
        @Test("from an empty database to a tenant's unlocked door, without a request by hand")
        func wholePath() async throws {
            let gateway = try await RunningGateway.first(in: TemporaryFolder())
            let root = try await Shell.signedIn(RunningGateway.adminEmail, on: gateway)
            var ids: [String: String] = [:]
            for (email, name) in [("olga@doors.example", "Olga"), ("tom@doors.example", "Tom")] {
                let created = try await root.run(
                    "user", "create", email, "--first-name", name, "--last-name", "Example", "--password-stdin",
                    input: RunningGateway.password + "\n")
                #expect(created.code == 0, "\(created.errors)")
                ids[name] = try #require(created.rows.first?.last)
            }
            let portfolio = try await root.run("portfolio", "create", "Harbour Homes", "--owner", "olga@doors.example")
            #expect(portfolio.rows.first?.first == "Harbour Homes", "\(portfolio.errors)")

            let olga = try await Shell.signedIn("olga@doors.example", on: gateway)
            func run(_ arguments: String...) async throws {
                let result = try await olga.run(arguments)
                #expect(result.code == 0, "\(arguments): \(result.errors)")
            }
            try await run("property", "create", "Quay 1", "--portfolio", "harbour homes", "--time-zone", "Europe/Berlin")
            try await run("unit", "create", "1A", "--property", "quay 1")
            try await run("attach", "Door 1A", "--adapter", "simulator", "--property", "Quay 1", "--unit", "Quay 1 / 1A")
            try await run("role", "add", try #require(ids["Tom"]), "tenant", "1A")
            #expect(try await olga.run("role", "list", "1A").rows.map { $0[2] } == ["tenant"])
            #expect(try await olga.run("user", "show", "tom@doors.example").rows.contains(["roles", "tenant of 1A"]))

            let tom = try await Shell.signedIn("tom@doors.example", on: gateway)
            #expect(try await tom.run("unlock", "Door 1A").output == "Door 1A\tunlocked\n")
            #expect(try await tom.run("unit", "list").rows.map { $0[0] } == ["1A"])
            #expect(try await tom.run("property", "create", "Mine", "--portfolio", portfolio.rows[0][1]).code == 1)
            let removed = try await olga.run("role", "remove", "tom@doors.example", "1A", "--yes")
            #expect(removed.output == "tom@doors.example\tremoved\n", "\(removed.errors)")
            #expect(try await tom.run("unlock", "Door 1A").code == 1)
            #expect(await gateway.stop() == 0)
            try await RunningGateway.verifyLogs(in: gateway.folder)
        }

        @Test("units of several properties with one name are told apart by their property")
        func sameUnitNames() async throws {
            let (_, house, shell) = try await ownersShell()
            let other = try await house.property("Quay 2", unit: "1a")
            let both = try await shell.run("unit", "show", "1a")
            #expect(both.code == 1 && both.errors.hasPrefix("doorward: More than one unit is named `1a`. "), "\(both.errors)")
            #expect(both.errors.contains("1a  Quay 1  \(house.unitID)") && both.errors.contains("1a  Quay 2  \(other.unitID)"))
            #expect(try await shell.run("unit", "show", "quay 2 / 1A").rows.last == ["id", other.unitID])
            #expect(try await shell.run("unit", "show", other.unitID).code == 0)
        }

        @Test("without a terminal nothing is deleted or removed unless --yes is given, and no request is sent")
        func noTerminal() async throws {
            let contract = try await ContractGateway()
            let environment = ["DOORWARD_SERVER": contract.address, "DOORWARD_TOKEN": "t"]
            let folder = try TemporaryFolder()
            for (arguments, verb, past) in [
                (["portfolio", "delete", "Harbour"], "delete", "deleted"),
                (["property", "delete", "Quay 1"], "delete", "deleted"),
                (["unit", "delete", "1A"], "delete", "deleted"), (["user", "delete", "tom@doors.example"], "delete", "deleted"),
                (["key", "delete", "Display"], "delete", "deleted"),
                (["role", "remove", "Tom Example", "1A"], "remove", "removed"),
            ] {
                let result = try await Program.run(Program.doorward, arguments, environment: environment, in: folder)
                #expect(result.code == 2)
                #expect(
                    result.errors
                        == "doorward: There is no terminal to ask on; nothing was \(past). "
                        + "Add --yes to \(verb) without a question.\n")
            }
            #expect(contract.changes == [])
        }

        /// Starts a command that calls the contract's gateway, on a terminal.
        private func start(
            _ arguments: [String], on contract: ContractGateway, columns: UInt16 = 80, in folder: TemporaryFolder
        ) throws -> TerminalProgram {
            try TerminalProgram(
                Program.doorward, arguments, size: .init(columns: columns, rows: 24),
                environment: [
                    "DOORWARD_SERVER": contract.address, "DOORWARD_TOKEN": "t", "NO_COLOR": "1", "TZ": "Europe/Berlin",
                ], in: folder)
        }

        @Test("a deletion is previewed and asked about, and only `yes` deletes")
        func asked() async throws {
            let folder = try TemporaryFolder()
            for (arguments, question, path) in [
                (["portfolio", "delete", "Harbour"], "Delete portfolio Harbour?", "/portfolios/\(ContractGateway.portfolioID)"),
                (["unit", "delete", "1A"], "Delete unit 1A?", "/units/\(ContractGateway.unitID)"),
                (["user", "delete", "tom@doors.example"], "Delete user tom@doors.example?", "/users/\(ContractGateway.userID)"),
                (["key", "delete", "Display"], "Delete API key Display?", "/api-keys/\(ContractGateway.keyID)"),
                (
                    ["role", "remove", "Tom Example", "1A"], "Remove the roles of Tom Example on 1A?",
                    "/units/\(ContractGateway.unitID)/tenants/\(ContractGateway.userID)"
                ),
            ] {
                let contract = try await ContractGateway()
                for (answer, code) in [("", 1), ("n", 1), ("yes", 0)] as [(String, Int32)] {
                    let program = try start(arguments, on: contract, in: folder)
                    let shown = try await program.read(until: "\(question) [y/N] ")
                    #expect(
                        shown.contains("This would go:\r\n") && shown.contains("  unit  1A  \(ContractGateway.unitID)\r\n"),
                        "\(shown)")
                    #expect(
                        shown.contains("This would end: 1 guest access, 1 role\r\nThis would leave without a place: 1 lock\r\n"),
                        "\(shown)")
                    program.type(answer)
                    program.press(.enter)
                    let rest = await program.rest()
                    #expect(await program.exitCode == code)
                    let verb = arguments[1] == "remove" ? "removed" : "deleted"
                    #expect(code == 0 || rest.hasSuffix("doorward: Nothing was \(verb).\r\n"), "\(rest)")
                }
                let preview = "DELETE \(path)?dryRun=true "
                #expect(contract.changes == [preview, preview, preview, "DELETE \(path) "])
            }
        }

        @Test("the preview and the deletion of a property both include what it contains only with --cascade")
        func cascade() async throws {
            let (contract, folder) = (try await ContractGateway(), try TemporaryFolder())
            let refused = try start(["property", "delete", "Quay 1"], on: contract, in: folder)
            #expect(await refused.rest().contains("doorward: Quay 1 contains 2 locks, 1 unit; nothing was deleted.\r\n"))
            #expect(await refused.exitCode == 1)
            let program = try start(["property", "delete", "Quay 1", "--cascade"], on: contract, in: folder)
            try await program.read(until: "Delete property Quay 1? [y/N] ")
            program.type("y")
            program.press(.enter)
            #expect(await program.rest().contains("Deleted property Quay 1.\r\n"))
            let path = "DELETE /properties/\(ContractGateway.propertyID)"
            #expect(contract.changes == ["\(path)?dryRun=true ", "\(path)?cascade=true&dryRun=true ", "\(path)?cascade=true "])
        }

        @Test(
            "every table fits the window", arguments: [80, 120] as [UInt16],
            [["portfolio"], ["property"], ["unit"], ["user"], ["key"], ["session"], ["role", "1A"]])
        func tables(_ columns: UInt16, _ words: [String]) async throws {
            let (contract, folder) = (try await ContractGateway(), try TemporaryFolder())
            let arguments = [words[0], "list"] + words.dropFirst()
            let program = try start(arguments, on: contract, columns: columns, in: folder)
            let lines = await program.rest().components(separatedBy: "\r\n")
            #expect(await program.exitCode == 0)
            #expect(lines.count == 3 && lines.allSatisfy { $0.count <= Int(columns) }, "\(lines)")
            #expect(lines[1].hasSuffix("  01990000"), "\(lines)")
        }

        @Test("a rejected session is reported in words, with exit code 1")
        func expired() async throws {
            let (gateway, _, _) = try await ownersShell()
            let shell = try Shell(gateway, ["DOORWARD_SERVER": gateway.address, "DOORWARD_TOKEN": "expired"])
            for arguments in [["portfolio", "list"], ["unit", "create", "1B", "--property", "Quay 1"], ["role", "list", "1a"]] {
                let result = try await shell.run(arguments)
                #expect(result.code == 1 && result.output.isEmpty)
                // The next line has the id of the request, in which any digits may stand.
                let sentence = result.errors.split(separator: "\n").first
                #expect(sentence == "doorward: Sign in: the credentials are missing, wrong or expired.", "\(result.errors)")
            }
        }
    }
}
