import DoorwardTesting
import Foundation
import Synchronization
import Testing

extension EndToEnd {
    /// Kills the gateway with `kill -9` while many commands race for the last uses of a guest access. The locks run in another
    /// process, which notes each command that reaches a lock.
    @Suite("A gateway that is killed while the uses of a guest run out") struct UseCrashTests {
        static let uses = 7
        /// Commands in each life of the gateway; fewer than its limit of denials per minute permits, with the uses.
        static let commands = 24

        /// The number of kills.
        static let rounds = 3 * TestRounds.factor

        @Test("the locks move no more often than there are uses, and the uses that are left match the outcomes")
        func killed() async throws {
            let seed = Seed(of: "killedWithUses")
            var random = seed.generator()
            var world = try await MQTTHouse.build(["--profile", "zigbee2mqtt:8", "--latency", "5ms-150ms"])
            let doors = try await world.attachFound(8)
            var unconfirmed = 0
            for round in 0..<Self.rounds {
                let guest = try await Guest(number: round, at: doors, in: world)
                let before = try world.fleet.orders().count
                let firstLife = Task { [world] in await guest.command(doors, on: world.gateway) }
                // In some rounds no lock has received a command yet, in others all uses are taken.
                try await world.fleet.untilOrders(before + Int.random(in: 0...Self.uses, using: &random))
                await world.gateway.crash()
                let unanswered = await firstLife.value

                let gateway = try await RunningGateway.start(in: world.gateway.folder, world.options)
                world = world.at(gateway)
                let afterCrash = try await guest.outcomes(in: world)
                #expect(try await guest.usesLeft(in: world) == Self.uses - afterCrash.count(where: \.consumesUse))
                unconfirmed += afterCrash.count { $0 == .unknown }
                try await world.untilHealth("ok")
                try await world.untilOnline(doors)
                // Each command without an outcome was unanswered, and a repeat with its key is not another command.
                var known = 0
                for call in unanswered where try await guest.repeat(call, on: gateway) == "outcome_unknown" { known += 1 }
                #expect(known == afterCrash.count { $0 == .unknown })
                _ = await guest.command(doors, on: gateway)

                let outcomes = try await guest.outcomes(in: world)
                let left = try await guest.usesLeft(in: world)
                #expect(left == 0 && outcomes.count(where: \.consumesUse) == Self.uses, "\(left): \(outcomes)")
                let moved = try world.fleet.orders().dropFirst(before).count
                #expect(moved <= Self.uses, "the locks have received \(moved) commands: \(outcomes)")
                #expect(moved >= outcomes.count { $0 == .confirmed }, "\(moved): \(outcomes)")
            }
            #expect(unconfirmed > 0, "no crash interrupted a command: nothing was tested")
            // Commands that were published before a kill have reached the locks by now.
            let moved = try world.fleet.orders().count
            #expect(moved <= Self.uses * Self.rounds, "\(moved) movements")
            #expect(await world.gateway.stop() == 0)
            #expect(await world.fleet.stop() == 0)
            try await RunningGateway.verifyLogs(in: world.gateway.folder)
        }
    }
}

/// A guest with a limited access to all locks.
private struct Guest: Sendable {
    /// A request without a response.
    struct Call: Sendable {
        let path: String
        let key: String
    }

    enum Outcome: String {
        case confirmed = "CONFIRMED"
        case timedOut = "TIMED_OUT"
        case unknown = "UNKNOWN"
        case failed = "FAILED"
        case denied = "DENIED"

        var consumesUse: Bool { [.confirmed, .timedOut, .unknown].contains(self) }
    }

    let id: String
    let caller: Caller
    let accessID: String

    init(number: Int, at doors: [MQTTDoor], in world: MQTTHouse) async throws {
        let email = "guest\(number)@doors.example"
        id = try await House.createUser(email, "Guest \(number)", by: world.admin)
        caller = try await world.gateway.signIn(email)
        let window = try await world.admin.window(minutes: -60..<1440)
        let devices = doors.map { "\"\($0.id)\"" }.joined(separator: ",")
        let answer = try await world.owner.post(
            "/guest-access",
            #"{"guestUserId":"\#(id)","deviceIds":[\#(devices)],"operations":["UNLOCK"],"#
                + #""maxUses":\#(EndToEnd.UseCrashTests.uses),\#(window)}"#)
        accessID = try #require(answer.data["guestAccess"]["id"].text, "\(answer.status) \(answer.body)")
    }

    /// Sends all commands at once, spread over the locks; returns those without a response.
    func command(_ doors: [MQTTDoor], on gateway: RunningGateway) async -> [Call] {
        let caller = caller.at(gateway)
        return await withTaskGroup(of: Call?.self) { group in
            for index in 0..<EndToEnd.UseCrashTests.commands {
                let call = Call(path: "/devices/\(doors[index % doors.count].id)/unlock", key: UUID().uuidString)
                group.addTask {
                    do {
                        let answer = try await caller.post(call.path, #"{"timeoutMs":30000}"#, ["Idempotency-Key": call.key])
                        let isExpected = answer.status == 200 || answer.code == "guest_uses_exhausted" || answer.status == 429
                        if !isExpected { Issue.record("\(answer.status) \(answer.body)") }
                        return nil
                    } catch {
                        return call
                    }
                }
            }
            return await group.reduce(into: []) { if let call = $1 { $0.append(call) } }
        }
    }

    /// Repeats a request that the crash left without a response; returns its code, `nil` if it succeeds.
    func `repeat`(_ call: Call, on gateway: RunningGateway) async throws -> String? {
        try await caller.at(gateway).post(call.path, #"{"timeoutMs":30000}"#, ["Idempotency-Key": call.key]).code
    }

    /// The outcomes of all commands of the guest.
    func outcomes(in world: MQTTHouse) async throws -> [Outcome] {
        var found: [Outcome] = []
        for page in 1... {
            let answer = try await world.owner.get("/commands?limit=100&page=\(page)")
            let commands = answer.data["commands"].items
            for command in commands where command["actor"]["id"] == .string(id) {
                let state = command["state"].text ?? ""
                found.append(try #require(Outcome(rawValue: state), "a command without an outcome: \(command)"))
            }
            if commands.count < 100 { break }
        }
        return found
    }

    func usesLeft(in world: MQTTHouse) async throws -> Int {
        let answer = try await world.owner.get("/guest-access/\(accessID)")
        guard case .number(let left) = answer.data["guestAccess"]["usesLeft"] else {
            throw Problem("\(answer.status) \(answer.body)")
        }
        return Int(left)
    }

    struct Problem: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }
}
