import Testing

extension EndToEnd {
    /// The scenarios of `PersonaTests`, typed as commands.
    @Suite("Five people on the command line") struct PersonaCommandTests {
        /// Runs a command that must succeed; returns the rows that it prints.
        @discardableResult
        private func run(_ shell: Shell, _ arguments: String...) async throws -> [[String]] {
            let result = try await shell.run(arguments)
            #expect(result.code == 0, "\(arguments): \(result.errors)")
            return result.rows
        }

        /// Runs a command that must be refused with exit code 1 and a sentence.
        private func refuse(_ shell: Shell, _ arguments: String...) async throws -> String {
            let result = try await shell.run(arguments)
            #expect(result.code == 1 && result.output.isEmpty, "\(arguments): \(result.output)")
            #expect(result.errors.hasPrefix("doorward: "), "\(arguments): \(result.errors)")
            return result.errors
        }

        /// Opens the link of an invitation, as the page of the link does, and signs the new person in at a command line.
        private func accept(_ link: [[String]], _ email: String, _ name: String, on gateway: RunningGateway) async throws -> Shell
        {
            let token = try #require(link.first?.first?.split(separator: "token=").last)
            let answer = try await gateway.stranger.post(
                "/auth/accept-invitation",
                #"{"token":"\#(token)","firstName":"\#(name)","lastName":"Example","password":"\#(RunningGateway.password)"}"#)
            #expect(answer.status == 201, "\(answer.body)")
            return try await Shell.signedIn(email, on: gateway)
        }

        @Test("setting up, managing, living there, letting a guest in, and everything that each of them may not")
        func scenarios() async throws {
            let gateway = try await RunningGateway.first(in: TemporaryFolder())
            let root = try await Shell.signedIn(RunningGateway.adminEmail, on: gateway)
            // 1. The owner and the admin set up.
            let link = try await run(
                root, "user", "create", "olga@doors.example", "--first-name", "Olga", "--last-name", "Example")
            let owner = try await accept([link.last ?? []], "olga@doors.example", "Olga", on: gateway)
            #expect(try await refuse(owner, "portfolio", "create", "Harbour").contains("only a super admin may"))
            try await run(root, "portfolio", "create", "Harbour", "--owner", "olga@doors.example")
            let invited = try await run(owner, "invite", "ada@doors.example", "portfolio-admin", "Harbour")
            let admin = try await accept(invited, "ada@doors.example", "Ada", on: gateway)
            #expect(try await run(admin, "portfolio", "list").map { $0[0] } == ["Harbour"])
            try await run(admin, "portfolio", "rename", "Harbour", "Harbour Homes")
            try await run(admin, "property", "create", "Quay 1", "--portfolio", "Harbour Homes", "--time-zone", "Europe/Berlin")
            try await run(owner, "property", "create", "Quay 2", "--portfolio", "Harbour Homes")
            let mias = try await run(owner, "invite", "mia@doors.example", "property-manager", "Quay 1")
            let manager = try await accept(mias, "mia@doors.example", "Mia", on: gateway)
            // 2. The manager.
            #expect(try await run(manager, "property", "list").map { $0[0] } == ["Quay 1"])
            for unit in ["1A", "1B"] {
                try await run(manager, "unit", "create", unit, "--property", "Quay 1")
                try await run(
                    manager, "attach", "Door \(unit)", "--adapter", "simulator", "--property", "Quay 1", "--unit", unit)
            }
            let toms = try await run(manager, "invite", "tom@doors.example", "tenant", "1A")
            let tenant = try await accept(toms, "tom@doors.example", "Tom", on: gateway)
            #expect(try await run(manager, "role", "list", "1A").map { $0[1] } == ["tom@doors.example"])
            #expect(try await run(manager, "locks").map { $0[0] } == ["Door 1A", "Door 1B"])
            #expect(try await run(manager, "unlock", "Door 1B") == [["Door 1B", "unlocked"]])
            // 3. The tenant.
            #expect(try await run(tenant, "unit", "list").map { $0[0] } == ["1A"])
            #expect(try await run(tenant, "locks").map { $0[0] } == ["Door 1A"])
            #expect(try await run(tenant, "unlock", "Door 1A") == [["Door 1A", "unlocked"]])
            #expect(try await run(tenant, "lock", "Door 1A") == [["Door 1A", "locked"]])
            #expect(try await refuse(tenant, "unlock", "Door 1B").contains("no lock named `Door 1B`"))
            // 4. The guest.
            let created = try await root.run(
                "user", "create", "gus@doors.example", "--first-name", "Gus", "--last-name", "Example", "--password-stdin",
                input: RunningGateway.password + "\n")
            #expect(created.code == 0, "\(created.errors)")
            let guest = try await Shell.signedIn("gus@doors.example", on: gateway)
            let gus = try #require(created.rows.first?.last)
            try await run(tenant, "grant", gus, "Door 1A", "--from", "+1h", "--until", "+1h", "--operations", "UNLOCK")
            #expect(try await refuse(guest, "unlock", "Door 1A").contains("has not begun yet.\n  opens "))
            try await run(tenant, "grant", gus, "Door 1A", "--from", "now", "--until", "+1h", "--operations", "UNLOCK")
            #expect(try await run(guest, "unlock", "Door 1A") == [["Door 1A", "unlocked"]])
            _ = try await refuse(guest, "lock", "Door 1A")
            for row in try await run(tenant, "grants") { try await run(tenant, "revoke", try #require(row.last)) }
            _ = try await refuse(guest, "unlock", "Door 1A")
            // 5. What they may not.
            _ = try await refuse(tenant, "unit", "create", "Mine", "--property", "Quay 1")
            _ = try await refuse(tenant, "lockdown", "Quay 1")
            _ = try await refuse(guest, "user", "list")
            _ = try await refuse(manager, "property", "delete", "Quay 1", "--cascade", "--yes")
            _ = try await refuse(manager, "invite", "x@doors.example", "property-manager", "Quay 1")
            _ = try await refuse(admin, "portfolio", "delete", "Harbour Homes", "--cascade", "--yes")
            _ = try await refuse(admin, "role", "add", "me", "owner", "Harbour Homes")
            _ = try await refuse(owner, "subscription", "set", "Harbour Homes", "--tier", "free")
            _ = try await refuse(root, "unlock", "Door 1A")
            #expect(try await run(owner, "locks").map { $0[0] } == ["Door 1A", "Door 1B"])
            #expect(await gateway.stop() == 0)
            try await RunningGateway.verifyLogs(in: gateway.folder)
        }
    }
}
