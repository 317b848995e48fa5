import Foundation
import Testing

extension EndToEnd {
    /// A gateway whose wall clock is moved while it runs.
    @Suite("A gateway whose clock is moved") struct ClockTests {
        private static let day = 24 * 3600
        private let folder: TemporaryFolder
        private let clock: MovedClock

        init() async throws {
            folder = try TemporaryFolder()
            clock = try await MovedClock(in: folder)
        }

        // MARK: - The gateway and its clock

        private func setClock(_ seconds: Int) throws { try clock.set(seconds) }

        private func start() async throws -> RunningGateway { try await clock.start() }

        /// A house with a lock, on a gateway whose clock is right.
        private func build() async throws -> (gateway: RunningGateway, house: House, lock: String) {
            try setClock(0)
            let gateway = try await clock.first()
            let house = try await House.build(on: gateway)
            return (gateway, house, try await house.lock("Front"))
        }

        /// The people of a test, signed in.
        private struct People {
            var (admin, owner, guest): (Caller, Caller, Caller)

            func at(_ gateway: RunningGateway) -> People {
                People(admin: admin.at(gateway), owner: owner.at(gateway), guest: guest.at(gateway))
            }
        }

        private func signIn(on gateway: RunningGateway) async throws -> People {
            People(
                admin: try await gateway.signIn(RunningGateway.adminEmail),
                owner: try await gateway.signIn("owner@doors.example"), guest: try await gateway.signIn("gus@doors.example"))
        }

        /// Lets a new guest unlock a lock in a window of minutes from now.
        private func admitGuest(to lock: String, minutes: Range<Int>, of house: House, on gateway: RunningGateway) async throws {
            let admin = try await gateway.signIn(RunningGateway.adminEmail)
            let id = try await House.createUser("gus@doors.example", "Gus", by: admin)
            let window = try await admin.window(minutes: minutes)
            let answer = try await house.owner.post(
                "/guest-access",
                #"{"guestUserId":"\#(id)","deviceIds":["\#(lock)"],"operations":["UNLOCK"],\#(window)}"#)
            try #require(answer.status == 201, "\(answer.status) \(answer.body)")
        }

        /// The code of the answer to an unlock by the guest; the owner's unlock must succeed beside it.
        private func guestsCode(_ people: People, at lock: String) async throws -> String? {
            let owner = try await people.owner.post("/devices/\(lock)/unlock", "{}")
            #expect(owner.status == 200, "a standing role does not depend on the clock: \(owner.body)")
            let answer = try await people.guest.post("/devices/\(lock)/unlock", "{}")
            #expect(answer.status == (answer.code == nil ? 200 : 403), "\(answer.body)")
            return answer.code
        }

        /// Runs `doorward` as one of the people.
        private func run(_ caller: Caller, on gateway: RunningGateway, _ arguments: String...) async throws -> Shell.Result {
            let shell = try Shell(gateway, ["DOORWARD_SERVER": caller.address, "DOORWARD_TOKEN": caller.token ?? ""])
            return try await shell.run(arguments)
        }

        private func clockStatus(_ people: People, on gateway: RunningGateway) async throws -> [String: String] {
            let result = try await run(people.admin, on: gateway, "clock", "status")
            #expect(result.code == 0, "\(result.errors)")
            return Dictionary(result.rows.map { ($0[0], $0.dropFirst().joined()) }) { $1 }
        }

        /// Waits until the gateway's log contains records of its clock with these changes.
        private func untilRecorded(_ changes: Set<String>, by admin: Caller) async throws {
            while true {
                let records = try await admin.get("/access-records?kind=GATEWAY&limit=200").data["accessRecords"].items
                let steps = records.filter { $0["event"] == .string("CLOCK_STEP") }
                if changes.isSubset(of: steps.compactMap { $0["details"]["change"].text }) { return }
                try Task.checkCancellation()
            }
        }

        // MARK: - Steps

        @Test("set back by 55 minutes, it denies a guest whose window has ended, also after kill -9, until the clock is right")
        func setBack() async throws {
            var (gateway, house, lock) = try await build()
            try await admitGuest(to: lock, minutes: -120..<(-30), of: house, on: gateway)
            var people = try await signIn(on: gateway)
            #expect(try await guestsCode(people, at: lock) == "guest_window_ended")

            try setClock(-55 * 60)
            #expect(try await guestsCode(people, at: lock) == "clock_untrusted")
            let status = try await clockStatus(people, on: gateway)
            #expect(status["clock"] == "not trusted" && status["because"]?.contains("before the latest trusted time") == true)
            try await untilRecorded(["step", "trust_lost"], by: people.admin)
            let refused = try await run(people.guest, on: gateway, "unlock", lock)
            #expect(refused.code == 1 && refused.errors.contains("clock"), "\(refused.code) \(refused.errors)")

            await gateway.crash()
            gateway = try await start()
            people = people.at(gateway)
            #expect(try await guestsCode(people, at: lock) == "clock_untrusted")
            // A clock that is behind is not accepted by mistake.
            let accepted = try await run(people.admin, on: gateway, "clock", "accept")
            #expect(accepted.code == 1, "\(accepted.output)")
            #expect(try await guestsCode(people, at: lock) == "clock_untrusted")
            #expect(await gateway.stop() == 0)

            try setClock(0)
            gateway = try await start()
            people = people.at(gateway)
            #expect(try await guestsCode(people, at: lock) == "guest_window_ended")
            #expect(try await clockStatus(people, on: gateway)["clock"] == "trusted")
            #expect(await gateway.stop() == 0)
            try await RunningGateway.verifyLogs(in: folder)
        }

        @Test("set forward by a day, it does not let tomorrow's guest in, also after a restart, until the time is accepted")
        func setForward() async throws {
            var (gateway, house, lock) = try await build()
            try await admitGuest(to: lock, minutes: 23 * 60..<25 * 60, of: house, on: gateway)
            #expect(try await guestsCode(try await signIn(on: gateway), at: lock) == "guest_window_not_started")

            try setClock(Self.day)
            // The tokens of yesterday have expired.
            var people = try await signIn(on: gateway)
            #expect(try await guestsCode(people, at: lock) == "clock_untrusted")
            let status = try await clockStatus(people, on: gateway)
            #expect(status["clock"] == "not trusted" && status["because"]?.contains("set forward") == true, "\(status)")
            #expect(status["last step"]?.hasPrefix("+86") == true, "\(status)")
            try await untilRecorded(["step", "trust_lost"], by: people.admin)
            #expect(await gateway.stop() == 0)

            gateway = try await start()
            people = people.at(gateway)
            #expect(try await guestsCode(people, at: lock) == "clock_untrusted")
            let refused = try await run(people.owner, on: gateway, "clock", "accept")
            #expect(refused.code == 1, "only a super admin may accept the time")
            #expect(try await guestsCode(people, at: lock) == "clock_untrusted")
            let accepted = try await run(people.admin, on: gateway, "clock", "accept")
            #expect(accepted.code == 0 && accepted.rows.first == ["clock", "trusted"], "\(accepted.output)\(accepted.errors)")
            #expect(try await guestsCode(people, at: lock) == nil)
            try await untilRecorded(["trust_regained"], by: people.admin)
            #expect(await gateway.stop() == 0)

            gateway = try await start()
            #expect(try await guestsCode(people.at(gateway), at: lock) == nil, "the acceptance holds after a restart")
            #expect(await gateway.stop() == 0)
            try await RunningGateway.verifyLogs(in: folder)
        }
    }
}
