import DoorwardClient
import Foundation
import Testing

extension EndToEnd {
    /// The client library against a running gateway.
    @Suite("The client library", .timeLimit(.minutes(5))) struct ClientLibraryTests {
        private typealias Client = Doorward

        /// A gateway with a house, and one of its tenants in the library.
        @MainActor private struct Rig {
            let gateway: RunningGateway
            let house: House
            let door: String
            let tenant: Caller
            let userID: String
            let folder: TemporaryFolder
            let client: Client

            init() async throws {
                gateway = try await RunningGateway.first(in: TemporaryFolder())
                house = try await House.build(on: gateway)
                door = try await house.lock("Front door", address: #""latencyMs":0"#)
                tenant = try await house.tenant("Tom", on: gateway)
                userID = try #require(try await tenant.get("/users/me").data["user"]["id"].text)
                folder = try TemporaryFolder()
                client = try Client(server: gateway.address, session: .folder(folder.file("session")))
                #expect(!client.isSignedIn)
                let me = try await client.signIn(email: "tom@doors.example", password: RunningGateway.password)
                #expect(me.id == userID && client.isSignedIn)
                try await client.start()
            }

            /// Waits until something is true. If it does not become true, the failure states what the library knows.
            func until(_ expected: Comment, _ isTrue: () -> Bool) async throws {
                while !isTrue() {
                    if Task.isCancelled { Issue.record("not \(expected): \(client.diagnostics)") }
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }

            /// Makes the access token in the session file invalid, as if it had expired.
            func spoilToken() throws {
                let file = try #require(
                    try FileManager.default.contentsOfDirectory(atPath: folder.file("session")).first { $0.hasSuffix(".json") })
                let url = URL(filePath: folder.file("session/\(file)"))
                let session = try JSONDecoder().decode([String: JSON].self, from: Data(contentsOf: url))
                let token = try #require(session["token"]?.text)
                try Data(try String(contentsOf: url, encoding: .utf8).replacing(token, with: "spoilt").utf8).write(to: url)
            }

            func accessToken() throws -> String? {
                let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("session"))
                let file = try #require(names.first { $0.hasSuffix(".json") })
                let data = try Data(contentsOf: URL(filePath: folder.file("session/\(file)")))
                return try JSONDecoder().decode([String: JSON].self, from: data)["token"]?.text
            }
        }

        @Test("watching, commands, records and permissions continue over a restart of the gateway and an expired token")
        @MainActor func restart() async throws {
            let rig = try await Rig()
            let client = rig.client
            let boards = client.devices.watch(.all).makeAsyncIterator()
            func next(_ state: Client.LockState) async throws -> Client.LockDevice {
                var boards = boards
                while true {
                    let board = try #require(try await boards.next(isolation: #isolation))
                    if let door = board.value.first(where: { $0.id == rig.door }), door.state == state { return door }
                }
            }
            let door = try await next(.locked)
            #expect(client.permissions.canUnlock(door) && !client.permissions.can(.update, door))
            #expect(client.permissions.status.hasRules)
            let records = client.followRecords(after: RecordCursor()).makeAsyncIterator()
            var seen: [FollowedRecord] = []
            func follow(_ outcomes: Int) async throws {
                var (records, count) = (records, 0)
                while count < outcomes {
                    let record = try #require(try await records.next(isolation: #isolation))
                    seen.append(record)
                    if record.record.kind == "COMMAND_OUTCOME" { count += 1 }
                }
            }
            let outcome = try await client.devices.unlock(rig.door, reason: "post").outcome()
            #expect(outcome.state == .confirmed)
            _ = try await next(.unlocked)
            try await follow(1)

            try rig.spoilToken()
            await rig.gateway.crash()
            let again = try await rig.gateway.startAgain()
            #expect(try await rig.house.owner.at(again).post("/devices/\(rig.door)/lock", "{}").status == 200)
            _ = try await next(.locked)
            try await follow(1)
            #expect(try rig.accessToken() != "spoilt", "the session was renewed")
            #expect(client.live.status == .live)

            // Another run of the app continues after the stored position.
            let position = try #require(seen.last).cursor
            let other = try Client(server: again.address, session: .folder(rig.folder.file("session")))
            let continued = other.followRecords(after: RecordCursor("\(position)")).makeAsyncIterator()
            #expect(try await client.devices.unlock(rig.door).outcome().state == .confirmed)
            try await follow(1)
            let later = [try await continued.next(), try await continued.next()].map { $0?.record.id }
            #expect(later == seen.suffix(2).map(\.record.id))
            let all = try await rig.tenant.at(again).get("/access-records?order=asc&limit=500").data["accessRecords"].items
            #expect(seen.map(\.record.id) == all.compactMap { $0["id"].text }, "each once and in order, none missing")

            try await client.signOut()
            #expect(!client.isSignedIn && client.live.status == .ended(.notSignedIn))
            #expect(!client.permissions.canUnlock(door))
        }

        /// A follower of records.
        @MainActor private final class Follower {
            /// Whether it has received a record.
            var hasBegun = false
        }

        @Test("a right that is taken ends what it gave, and one that is given opens it again; the person's own data stays")
        @MainActor func rights() async throws {
            let rig = try await Rig()
            let client = rig.client
            let follower = Follower()
            let following = Task { for try await _ in client.followRecords() { follower.hasBegun = true } }
            let doors = client.devices.watched(.all)
            try await rig.until("one door") { doors.value?.count == 1 }
            // The gateway attaches the lock after it has answered.
            try await rig.until("able to unlock") { client.permissions.canUnlock(doors.value?.first) }
            let door = try #require(doors.value?.first)
            // A follower that begins without the right waits for it: it must have begun before.
            while !follower.hasBegun { _ = try await client.devices.unlock(rig.door).outcome() }
            let path = "/units/\(rig.house.unitID)/tenants"
            #expect(try await rig.house.owner.delete("\(path)/\(rig.userID)").status == 204)
            try await rig.until("revoked") { doors.error == .revoked }
            try await rig.until("unable to unlock") { !client.permissions.canUnlock(door) }
            await #expect(throws: DoorwardError.revoked) { try await following.value }
            await #expect(throws: DoorwardError.self) { _ = try await client.devices.unlock(rig.door) }
            // The permissions are still followed: no view holds them.
            let given = #"{"userId":"\#(rig.userID)","role":"TENANT"}"#
            #expect(try await rig.house.owner.post(path, given).status == 200)
            try await rig.until("able to unlock") { client.permissions.canUnlock(door) }
            let again = client.devices.watched(.all)
            try await rig.until("the door again") { again.value?.first?.id == rig.door }
            // A person who is disabled is signed out.
            let admin = try await rig.gateway.signIn(RunningGateway.adminEmail)
            #expect(try await admin.put("/users/\(rig.userID)", #"{"isEnabled":false}"#).status == 200)
            try await rig.until("signed out") { client.live.status == .ended(.sessionEnded) }
            #expect(!client.permissions.canUnlock(door) || client.permissions.status.hasRules)
        }

        @Test("the library knows each action and each role that the gateway lists, and the other way round")
        @MainActor func catalog() async throws {
            let rig = try await Rig()
            let catalog = try await rig.client.permissionCatalog()
            let unknown = catalog.actions.filter { !$0.isKnown }
            #expect(unknown.isEmpty, "\(unknown)")
            #expect(Set(catalog.actions).count == catalog.actions.count)
            // Rules also use these four, which are no rights of their own.
            let generic: Set<Client.Action> = [.read, .manage, .update, .delete]
            let missing = Set(Client.Action.known).subtracting(catalog.actions).subtracting(generic)
            #expect(missing.isEmpty, "the gateway does not list \(missing)")
            #expect(catalog.actionsByCategory.values.map(\.count).reduce(0, +) == catalog.actions.count)
            #expect(catalog.roles == Client.Role.known)
            let holders = try #require(catalog.operations.first { $0.operation == .unlock }).holders.map(\.role)
            #expect(holders.contains(.tenant) && !holders.contains(.auditor))
        }
    }
}
