import Foundation
import Testing

extension EndToEnd {
    /// A gateway whose wall clock is moved while it runs, by libfaketime. Its monotonic clock is the machine's.
    @Suite("A gateway whose clock is moved") struct ClockTests {
        private let folder: TemporaryFolder
        private let library: String

        init() throws {
            folder = try TemporaryFolder()
            let folders = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib").map { "/usr/lib/\($0)/faketime" }
            let libraries = (folders + ["/usr/lib/faketime"]).map { "\($0)/libfaketimeMT.so.1" }
            library = try #require(
                libraries.first(where: FileManager.default.fileExists), "libfaketime is missing: install the package faketime")
        }

        private func move(by seconds: Int) throws {
            let text = seconds < 0 ? "\(seconds)\n" : "+\(seconds)\n"
            try text.write(toFile: folder.file("offset"), atomically: true, encoding: .utf8)
        }

        private func start() async throws -> RunningGateway {
            let clock = [
                "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": folder.file("offset"), "FAKETIME_NO_CACHE": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1",
            ]
            let program = try Program(
                Program.doorward, ["serve"],
                environment: RunningGateway.environment(for: folder).merging(clock) { _, new in new },
                errors: folder.file("serve-\(UUID().uuidString).log"))
            return try await RunningGateway(listening: program, folder: folder)
        }

        private func create() async throws -> RunningGateway {
            try move(by: 0)
            let created = try await Program.run(
                Program.doorward, ["admin", "create", "--email", RunningGateway.adminEmail, "--password-stdin"],
                environment: RunningGateway.environment(for: folder), input: RunningGateway.password + "\n", in: folder)
            try #require(created.code == 0, "\(created.errors)")
            return try await start()
        }

        /// Lets a new guest unlock a lock in a window of hours from now.
        private func guest(_ name: String, to lock: String, hours: Range<Int>, of house: House, on gateway: RunningGateway)
            async throws
        {
            let admin = try await gateway.signIn(RunningGateway.adminEmail)
            let id = try await House.createUser("\(name)@doors.example", name, by: admin)
            let reading = try #require(try await admin.get("/clock").data["clock"]["at"].text)
            let now = try Date(reading, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            func time(_ hours: Int) -> String { now.addingTimeInterval(Double(hours) * 3600).formatted(.iso8601) }
            let answer = try await house.owner.post(
                "/guest-access",
                #"{"guestUserId":"\#(id)","deviceIds":["\#(lock)"],"operations":["UNLOCK"],"#
                    + #""validFrom":"\#(time(hours.lowerBound))","validUntil":"\#(time(hours.upperBound))"}"#)
            try #require(answer.status == 201, "\(answer.status) \(answer.body)")
        }

        private func unlock(_ lock: String, by name: String, on gateway: RunningGateway) async throws -> Answer {
            try await gateway.signIn("\(name)@doors.example").post("/devices/\(lock)/unlock", "{}")
        }

        private func isTrusted(_ gateway: RunningGateway) async throws -> JSON {
            try await gateway.signIn(RunningGateway.adminEmail).get("/clock").data["clock"]["isTrusted"]
        }

        @Test("set back by 55 minutes, it denies the guest and obeys the owner, also after kill -9, and records the step")
        func setBack() async throws {
            var gateway = try await create()
            let house = try await House.build(on: gateway)
            let lock = try await house.lock("Front")
            try await guest("gus", to: lock, hours: -2..<2, of: house, on: gateway)
            #expect(try await unlock(lock, by: "gus", on: gateway).status == 200)
            try move(by: -3300)
            let denied = try await unlock(lock, by: "gus", on: gateway)
            #expect(denied.status == 403 && denied.code == "clock_untrusted", "\(denied.body)")
            #expect(try await unlock(lock, by: "owner", on: gateway).status == 200)
            #expect(try await isTrusted(gateway) == .bool(false))
            while true {
                let records = try await gateway.signIn(RunningGateway.adminEmail).get("/access-records?kind=GATEWAY")
                let text = "\(records.body)"
                if text.contains("CLOCK_STEP"), text.contains("trust_lost") { break }
            }
            await gateway.crash()
            gateway = try await start()
            #expect(try await unlock(lock, by: "gus", on: gateway).code == "clock_untrusted")
            #expect(try await unlock(lock, by: "owner", on: gateway).status == 200)
            let refused = try await gateway.signIn(RunningGateway.adminEmail).post("/clock/accept", "{}")
            #expect(refused.status == 409, "\(refused.body)")
            #expect(await gateway.stop() == 0)
            try await RunningGateway.verifyLogs(in: folder)
        }

        @Test("set forward by half a day, it lets nobody in early, also after a restart, until the time is accepted")
        func setForward() async throws {
            var gateway = try await create()
            let house = try await House.build(on: gateway)
            let lock = try await house.lock("Front")
            try await guest("tomorrow", to: lock, hours: 11..<13, of: house, on: gateway)
            #expect(try await unlock(lock, by: "tomorrow", on: gateway).code == "guest_window_not_started")
            try move(by: 12 * 3600)
            #expect(try await unlock(lock, by: "tomorrow", on: gateway).code == "clock_untrusted")
            #expect(try await unlock(lock, by: "owner", on: gateway).status == 200)
            #expect(await gateway.stop() == 0)
            gateway = try await start()
            #expect(try await unlock(lock, by: "tomorrow", on: gateway).code == "clock_untrusted")
            let accepted = try await gateway.signIn(RunningGateway.adminEmail).post("/clock/accept", "{}")
            #expect(accepted.status == 200 && accepted.data["clock"]["isTrusted"] == .bool(true), "\(accepted.body)")
            #expect(try await unlock(lock, by: "tomorrow", on: gateway).status == 200)
            #expect(await gateway.stop() == 0)
        }
    }
}
