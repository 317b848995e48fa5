import Foundation
import NIOHTTP1
import Testing

extension EndToEnd {
    /// Follows the sections Backup and Restore of docs/operating.md.
    @Suite("Backup and restore", .timeLimit(.minutes(30))) struct RestoreTests {
        private let folder: TemporaryFolder
        private let host: Host

        init() throws {
            folder = try TemporaryFolder()
            host = Host(in: folder)
        }

        @Test("a backup taken under load and restored elsewhere with the key is complete and works")
        func drill() async throws {
            let gateway = try await RunningGateway.first(in: folder)
            let house = try await House.build(on: gateway)
            let admin = try await gateway.signIn(RunningGateway.adminEmail)
            try await signIn(at: gateway)
            let (guestAccess, locks, tenants) = try await furnish(house, on: gateway)
            let tenancy = try await Lists.read(on: gateway, admin: admin, house).tenancy

            let history = CommandHistory()
            let load = Load(gateway: gateway, tenants: tenants, locks: locks, history: history, seed: Seed(of: "drill"))
            let (isBusy, isOver) = (Latch<Void>(), Latch<Void>())
            async let loaded: Void = load.run(untilAnswers: 40) {
                isBusy.open(())
                await isOver.value
            }
            defer {
                gateway.program.signal(SIGKILL)
                isOver.open(())
            }
            await isBusy.value
            let answered = history.answers
            for block in try Page("operating").shellBlocks(under: "## Backup") { try await host.follow(block) }
            #expect(history.answers.count > answered.count, "commands ended while the backup was made")
            // Make changes after the backup. The restored gateway must not have them.
            #expect(try await house.owner.send(.DELETE, "/guest-access/\(guestAccess)").status == 204)
            _ = try await house.lock("Attached later")
            #expect(await gateway.stop() == 0)
            isOver.open(())
            await loaded

            let again = try await RunningGateway.start(in: folder)
            let original = try await Lists.read(on: again, admin: admin, house)
            #expect(await again.stop() == 0)

            let restored = try await restore()
            let lists = try await Lists.read(on: restored, admin: admin, house)
            #expect(lists.tenancy == tenancy)
            try compareLogs(lists, original, holding: answered)
            try await expectWorking(house, lock: locks[0], guestAccess: guestAccess, on: restored)
            #expect(await restored.stop() == 0)
            try await RunningGateway.verifyLogs(in: folder, database: folder.file("restored/doorward.db"))
            try await host.follow("doorward store check --store-path restored/doorward.db")
        }

        private func signIn(at gateway: RunningGateway) async throws {
            let login = try await host.type(
                "doorward login --server \(gateway.address) --email \(RunningGateway.adminEmail) --password-stdin",
                input: RunningGateway.password + "\n")
            try #require(login.code == 0, "\(login.errors)")
        }

        /// Makes locks, tenants who use them, and a guest access.
        private func furnish(_ house: House, on gateway: RunningGateway) async throws -> (
            guestAccess: String, locks: [String], tenants: [Caller]
        ) {
            var (locks, tenants) = ([String](), [Caller]())
            for latency in [0, 5, 20, 60] {
                locks.append(try await house.lock("Lock \(latency)", address: #""latencyMs":\#(latency)"#))
            }
            for index in 0..<4 { tenants.append(try await house.tenant("Tenant\(index)", on: gateway)) }
            let granted = try await house.owner.post(
                "/guest-access",
                #"{"label":"Plumber","deviceIds":["\#(locks[0])"],"operations":["UNLOCK"],"#
                    + #""validFrom":"2026-01-01T00:00:00Z","validUntil":"2030-01-01T00:00:00Z"}"#)
            return (try #require(granted.data["guestAccess"]["id"].text, "\(granted.body)"), locks, tenants)
        }

        /// Follows the page. First tries to start the gateway without the keys, which must fail.
        private func restore() async throws -> RunningGateway {
            let blocks = try Page("operating").shellBlocks(under: "## Restore")
            try #require(blocks.count == 3)
            let keyless = try await host.type("doorward serve --store-path backups/monday.db")
            #expect(keyless.code == 1)
            #expect(keyless.errors.contains("the file with the keys of personal data is missing"), "\(keyless.errors)")
            let checked = try await host.follow(blocks[0])
            #expect(checked.contains("\twhole\n"))
            let refused = try await host.type("doorward serve --store-path restored/doorward.db")
            #expect(refused.code == 4, "\(refused.errors)")
            #expect(try await host.follow(blocks[1]).contains("gateway\t2\n"))
            return try await host.serve(blocks[2])
        }

        /// Checks that each log equals the original up to the backup. After it there are only records of the restored gateway
        /// itself: outcomes of interrupted commands, and device and gateway events.
        private func compareLogs(_ restored: Lists, _ original: Lists, holding answered: [String: String]) throws {
            #expect(Set(restored.logs.keys) == Set(original.logs.keys))
            var ended: Set<String> = []
            for (log, records) in restored.logs {
                let shared = zip(records, original.logs[log] ?? []).prefix { $0 == $1 }.count
                let added = records.dropFirst(shared)
                ended.formUnion(
                    records.prefix(shared).filter { $0["kind"] == .string("COMMAND_OUTCOME") }.compactMap { $0["commandId"].text }
                )
                #expect(original.logs[log].map { $0.count > shared } == true, "the original has later records")
                for record in added {
                    let isEnding = record["outcome"] == .string("UNKNOWN")
                    let isOwn = ["GATEWAY", "DEVICE_EVENT"].contains(record["kind"].text)
                    #expect(isEnding || isOwn, "\(record)")
                }
            }
            #expect(ended.isSuperset(of: answered.keys), "the backup contains every command answered before it")
            for (id, state) in answered {
                #expect(restored.commands[id] == original.commands[id])
                #expect(restored.commands[id]?["state"] == .string(state))
            }
        }

        /// Checks that earlier tokens are still valid because the key is the same, that the guest access revoked after the backup
        /// exists again, and that the door can be unlocked.
        private func expectWorking(_ house: House, lock: String, guestAccess: String, on gateway: RunningGateway) async throws {
            let owner = house.owner.at(gateway)
            let access = try await owner.get("/guest-access/\(guestAccess)").data["guestAccess"]
            #expect(access["label"] == .string("Plumber"))
            #expect(access["revokedAt"] == .null)
            #expect(try await owner.post("/devices/\(lock)/unlock", "{}").status == 200)
        }
    }
}
