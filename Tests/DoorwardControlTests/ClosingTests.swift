import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Synchronization
import Testing

@testable import DoorwardLocks
@testable import DoorwardStreams
@testable import DoorwardTenancy

/// Guests' commands wait in the queue of a slow lock while their right ends: it is revoked, the window or the hours of the
/// schedule end, the window is shortened, or the property's zone is changed.
@Suite struct ClosingTests {
    static let interleavings: UInt64 = 10_000

    /// The reason why the right ends.
    enum Ending: CaseIterable {
        case revocation
        case expiry
        case hours
        case shortening
        case shorteningIntoThePast
        case zoneChange
    }

    struct Outcome: Sendable {
        /// The guest's commands that were sent, and those that were not.
        var sent = 0
        var notSent = 0
        var denials: [DenialReason: Int] = [:]
        var violations: [String] = []
    }

    @Test(
        "no command is sent at or after the end of its right, or after the call that ended it was answered: 10,000 interleavings")
    func nothingLeavesAfterTheEnd() throws {
        var total = Outcome()
        var endings: [Ending: Int] = [:]
        for seed in 0..<Self.interleavings {
            let ending = Ending.allCases[Int(seed % UInt64(Ending.allCases.count))]
            let outcome = try Self.interleaving(seed: seed, ending)
            try #require(outcome.violations.isEmpty, "seed \(seed), \(ending): \(outcome.violations)")
            total.sent += outcome.sent
            total.notSent += outcome.notSent
            total.denials.merge(outcome.denials, uniquingKeysWith: +)
            if outcome.notSent > 0 { endings[ending, default: 0] += 1 }
        }
        print("closing: \(total.sent) sent, \(total.notSent) not sent, \(total.denials)")
        #expect(total.sent > 5_000 && total.notSent > 5_000)
        // Each ending must end the right of waiting commands, or the test does not cover it.
        for ending in Ending.allCases { #expect(endings[ending, default: 0] > 200, "\(ending)") }
        let reasons: Set<DenialReason> = [.guestAccessRevoked, .guestWindowEnded, .outsideSchedule]
        #expect(reasons.isSubset(of: total.denials.keys))
    }

    @Test("the same checks find the commands of a gateway whose clock is late", arguments: [Ending.expiry, .hours])
    func lateClockIsFound(ending: Ending) throws {
        var found = 0
        for seed in 0..<300 as Range<UInt64> {
            let outcome = try Self.interleaving(seed: seed, ending, lag: .milliseconds(400))
            if outcome.violations.contains(where: { $0.contains("after the end") }) { found += 1 }
        }
        #expect(found > 20)
    }

    /// A gateway's clock that is late by a constant time.
    private struct LateClock: GatewayClock {
        let clock: VirtualClock
        let lag: Duration

        func now() -> Timestamp { clock.now().advanced(by: .zero - lag) }
        func monotonicNow() -> MonotonicInstant { clock.monotonicNow() }
        func sleep(until instant: MonotonicInstant) async throws { try await clock.sleep(until: instant) }
    }

    private static func interleaving(seed: UInt64, _ ending: Ending, lag: Duration = .zero) throws -> Outcome {
        // 2026-11-21T08:00:00Z, a Saturday.
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: seed, clock: clock)
        return try executor.run {
            var random = SeededGenerator(seed: seed ^ 0xC105E)
            let travel = Duration.milliseconds(Int64.random(in: 1...400, using: &random))
            let house = try await House(
                seed: seed, clock: clock, controlClock: LateClock(clock: clock, lag: lag), executor: executor,
                behaviour: .confirm(after: travel))
            let scene = try await Scene(house, ending, using: &random)
            let start = clock.monotonicNow()
            let starts = (0..<Int.random(in: 2...7, using: &random)).map { _ in
                start.advanced(by: .milliseconds(Int64.random(in: 0...1400, using: &random)))
            }
            let endAt = start.advanced(by: .milliseconds(Int64.random(in: 0...1400, using: &random)))
            return await withTaskGroup(of: Result<Command, any Error>.self) { group in
                for (index, instant) in starts.enumerated() {
                    group.addTask {
                        try? await clock.sleep(until: instant)
                        do {
                            // Every third command is the owner's, whose right does not end.
                            let user = index % 3 == 2 ? house.ids.owner : house.ids.guest
                            return .success(try await house.run(index % 2 == 0 ? .unlock : .lock, by: user))
                        } catch {
                            return .failure(error)
                        }
                    }
                }
                try? await clock.sleep(until: endAt)
                let sentBefore = await scene.end()
                var results: [Result<Command, any Error>] = []
                for await result in group { results.append(result) }
                return scene.judge(results, sentBeforeAnswer: sentBefore)
            }
        }
    }

    /// A house in which the guest's right ends in one way.
    private final class Scene: Sendable {
        struct Sent: Sendable {
            let command: CommandID
            let at: Timestamp
        }

        let house: House
        let ending: Ending
        /// When the right ends by time alone, known in advance; `nil` if a call ends it.
        let endsAt: Timestamp?
        /// The window after the shortening.
        let shortened: GuestWindow
        let sent = Mutex<[Sent]>([])

        init(_ house: House, _ ending: Ending, using random: inout SeededGenerator) async throws {
            (self.house, self.ending) = (house, ending)
            let now = house.clock.now()
            let end = now.advanced(by: .milliseconds(Int64.random(in: 100...1500, using: &random)))
            shortened = GuestWindow(
                validFrom: now.advanced(by: .seconds(-3600)),
                validUntil: ending == .shorteningIntoThePast
                    ? now : now.advanced(by: .milliseconds(Int64.random(in: 1000...1500, using: &random))))
            var access = try #require(house.control.directory.current.guestAccess(house.ids.guestAccess))
            access.window = GuestWindow(validFrom: now.advanced(by: .seconds(-3600)), validUntil: access.window.validUntil)
            let seconds = Int.random(in: 1...2, using: &random)
            let until = try #require(LocalTime(hour: 8, minute: 0, second: seconds))
            let early = try #require(LocalTime("07:00"))
            switch ending {
            case .expiry: access.window = GuestWindow(validFrom: access.window.validFrom, validUntil: end)
            case .hours:
                access.schedule = Schedule(timeZone: "UTC", periods: [.init(days: .init([.saturday]), from: early, until: until)])
            case .zoneChange:
                // In Berlin it is 09:00, so that the hours end when the property moves there.
                access.schedule = Schedule(
                    periods: [.init(days: .everyDay, from: early, until: try #require(LocalTime("08:30")))])
            case .revocation, .shortening, .shorteningIntoThePast: break
            }
            endsAt =
                switch ending {
                case .expiry: end
                case .hours: now.advanced(by: .seconds(seconds))
                case .shortening: shortened.validUntil
                case .revocation, .shorteningIntoThePast, .zoneChange: nil
                }
            try await Self.put(access, in: house)
            try await Self.setZone("UTC", in: house)
            house.adapter.onSend { [weak self, clock = house.clock] command in
                self?.sent.withLock { $0.append(Sent(command: command.commandID, at: clock.now())) }
            }
        }

        private static func put(_ access: GuestAccess, in house: House) async throws {
            try await house.control.guestAccesses.writer.change(house.caller(house.ids.owner)) { (draft) throws(GatewayError) in
                draft.apply(.putGuestAccess(access))
            }
        }

        private static func setZone(_ name: String, in house: House) async throws {
            var changes = PropertyChanges()
            changes.defaultTimeZone = .set(name)
            _ = try await house.control.portfolios.change(house.caller(house.ids.owner), house.ids.property, changes)
        }

        /// Ends the right, if a call ends it.
        ///
        /// - Returns: the number of commands sent before the call was answered; `nil` if it failed, or if there is no call.
        func end() async -> Int? {
            do {
                switch ending {
                case .expiry, .hours: return nil
                case .revocation:
                    try await house.control.guestAccesses.revoke(house.caller(house.ids.tenant), house.ids.guestAccess)
                case .shortening, .shorteningIntoThePast:
                    var access = try #require(house.control.directory.current.guestAccess(house.ids.guestAccess))
                    access.window = shortened
                    try await Self.put(access, in: house)
                case .zoneChange: try await Self.setZone("Europe/Berlin", in: house)
                }
                return sent.withLock { $0.count }
            } catch {
                return nil
            }
        }

        func judge(_ results: [Result<Command, any Error>], sentBeforeAnswer: Int?) -> Outcome {
            var outcome = Outcome()
            let sent = sent.withLock { $0 }
            let commands = results.compactMap { try? $0.get() }
            let guests = commands.filter { $0.actor.userID == house.ids.guest }
            let isEndedByCall = ending != .expiry && ending != .hours
            if isEndedByCall && sentBeforeAnswer == nil { outcome.violations.append("the call failed") }
            // The shortened window still has a while to go when the call is answered.
            let isOverWhenAnswered = isEndedByCall && ending != .shortening
            for (index, order) in sent.enumerated() where guests.contains(where: { $0.id == order.command }) {
                if isOverWhenAnswered, let sentBeforeAnswer, index >= sentBeforeAnswer {
                    outcome.violations.append("a command was sent after the answer")
                }
                let isShortened = ending != .shortening || index >= sentBeforeAnswer ?? .max
                if let endsAt, isShortened, order.at >= endsAt {
                    outcome.violations.append("a command was sent at \(order.at), after the end \(endsAt)")
                }
            }
            for command in commands { outcome.violations += violations(of: command, sent) }
            outcome.sent = guests.count { $0.sent == true }
            outcome.notSent = results.count - commands.count + guests.count { $0.sent != true }
            let denied = results.compactMap { result -> DenialReason? in
                switch result {
                case .success(let command): command.state == .denied ? command.outcomeDetail.flatMap(DenialReason.init) : nil
                case .failure(GatewayError.denied(let denial, _, _)): denial.reason
                case .failure: nil
                }
            }
            for reason in denied { outcome.denials[reason, default: 0] += 1 }
            return outcome
        }

        private func violations(of command: Command, _ sent: [Sent]) -> [String] {
            var found: [String] = []
            let records = house.records(of: command.id)
            if records.count(where: { $0.kind == .commandOutcome }) != 1 { found.append("a command does not have one outcome") }
            if records.first?.kind != .commandIntent { found.append("a command does not begin with its intent") }
            if (command.sent == true) != sent.contains(where: { $0.command == command.id }) { found.append("`sent` is wrong") }
            guard command.actor.userID == house.ids.guest else {
                if command.state != .confirmed { found.append("the owner's command ended as \(command.state)") }
                return found
            }
            if let endsAt, ending != .shortening, command.deadline > endsAt {
                found.append("a deadline is after the end of the right")
            }
            return found
        }
    }
}
