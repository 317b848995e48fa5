import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardKernel

/// Guests and roles while the gateway's clock is moved. The guest of the house may unlock its door for 24 hours from the start.
@Suite struct GuestClockTests {
    private static let hour = Duration.seconds(3600)

    /// The reason for which the guest is denied; `nil` if the guest is let in.
    ///
    /// - Parameter first: the house that created the store, if `house` is a restarted one.
    private func reason(_ house: House, of first: House? = nil) async -> DenialReason? {
        let first = first ?? house
        return await denial { _ = try await run(house, first.request(by: first.ids.guest)) }?.reason
    }

    private func run(_ house: House, _ request: CommandRequest) async throws -> Command {
        try await #require(try await house.control.locks.begin(request).running).finished.command
    }

    private func steps(_ house: House) -> [[String: RecordValue]] {
        house.gatewayLog.map(\.body).filter { $0.event == .clockStep }.map(\.details)
    }

    /// Waits until the records of the clock's events are written. Without them the test fails, and does not wait forever.
    private func waitForSteps(_ count: Int, in house: House) async {
        for _ in 0..<100_000 where steps(house).count < count { await house.clock.pass(.zero) }
        #expect(steps(house).count >= count)
    }

    @Test("A clock set back by 55 minutes does not let an ended guest in again, and the step is recorded")
    func setBack() async throws {
        let house = try await House()
        house.clock.advance(by: Self.hour * 24)
        #expect(await reason(house) == .guestWindowEnded)
        house.clock.stepWall(by: .seconds(-3300))
        #expect(await reason(house) == .clockUntrusted)
        #expect(try await house.run(by: house.ids.tenant).state == .confirmed)
        #expect(try await house.run(.lock, by: house.ids.tenant).state == .confirmed)
        await waitForSteps(2, in: house)
        let step = steps(house)[0]
        #expect(step["change"] == .string("step") && step["stepMs"] == .integer(-3_300_000))
        #expect(steps(house)[1]["reason"] == .string("below_mark"))
        house.clock.stepWall(by: .seconds(3300))
        #expect(await reason(house) == .guestWindowEnded)
    }

    @Test("A clock set forward by a day does not let tomorrow's guest in today, until a super admin accepts it")
    func setForward() async throws {
        let house = try await House()
        house.clock.stepWall(by: Self.hour * 12)
        #expect(await reason(house) == .clockUntrusted)
        #expect(try await house.run(by: house.ids.tenant).state == .confirmed)
        #expect(
            await failure {
                _ = try await house.control.clockWatch.accept(house.caller(house.ids.owner), loweringMark: false)
            }
                != nil)
        #expect(await reason(house) == .clockUntrusted)
        let status = try await house.control.clockWatch.accept(house.caller(house.ids.superAdmin), loweringMark: false)
        #expect(status.distrust == nil && status.highWaterMark == house.clock.now())
        #expect(await reason(house) == nil)
        let accepted = try #require(house.gatewayLog.map(\.body).last { $0.details["by"] == .string("accepted") })
        #expect(accepted.event == .clockStep && accepted.actor.userID == house.ids.superAdmin)
    }

    @Test("After a step back the guest is let in again once the clock has agreed for 60 s")
    func regained() async throws {
        let house = try await House()
        house.clock.advance(by: Self.hour)
        house.clock.stepWall(by: .seconds(-600))
        #expect(await reason(house) == .clockUntrusted)
        house.clock.stepWall(by: .seconds(600))
        #expect(await reason(house) == .clockUntrusted)
        house.clock.advance(by: .milliseconds(59_999))
        #expect(await reason(house) == .clockUntrusted)
        house.clock.advance(by: .milliseconds(1))
        #expect(await reason(house) == nil)
        await waitForSteps(4, in: house)
        #expect(steps(house).last?["change"] == .string("trust_regained"))
    }

    @Test("A start in the past denies guests, and one at the right time does not", arguments: [-55, 0])
    func startInThePast(minutes: Int) async throws {
        let house = try await House()
        house.clock.advance(by: Self.hour * 2)
        _ = try await house.run(by: house.ids.tenant)
        await house.control.stop()
        let clock = VirtualClock(start: house.clock.now().advanced(by: .seconds(minutes * 60)))
        let next = try await House(clock: clock, store: house.store.reopened())
        #expect(await reason(next, of: house) == (minutes < 0 ? .clockUntrusted : nil))
        #expect(try await run(next, house.request(by: house.ids.tenant)).state == .confirmed)
        if minutes < 0 { #expect(steps(next).first?["change"] == .string("start")) }
    }

    @Test("A step forward that is not confirmed is still not trusted after a restart")
    func unconfirmedOverRestart() async throws {
        let house = try await House()
        house.clock.stepWall(by: Self.hour * 12)
        #expect(await reason(house) == .clockUntrusted)
        await waitForSteps(2, in: house)
        let next = try await House(
            clock: VirtualClock(start: house.clock.now().advanced(by: .seconds(5))), store: house.store.reopened())
        #expect(await reason(next, of: house) == .clockUntrusted)
        _ = try await next.control.clockWatch.accept(next.caller(house.ids.superAdmin), loweringMark: false)
        #expect(await reason(next, of: house) == nil)
        let last = try await House(
            clock: VirtualClock(start: next.clock.now().advanced(by: .seconds(5))), store: next.store.reopened())
        #expect(await reason(last, of: house) == nil)
    }

    @Test("A clock below the mark is accepted only with a lowered mark, which is durable")
    func lowerMark() async throws {
        let house = try await House()
        house.clock.advance(by: Self.hour)
        _ = try await house.run(by: house.ids.tenant)
        house.clock.stepWall(by: .seconds(-600))
        let root = house.caller(house.ids.superAdmin)
        let refusal = await failure { _ = try await house.control.clockWatch.accept(root, loweringMark: false) }
        guard case .conflict(let sentence) = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(sentence.contains("lowerMark"))
        #expect(await reason(house) == .clockUntrusted)
        let status = try await house.control.clockWatch.accept(root, loweringMark: true)
        #expect(status.distrust == nil && status.highWaterMark == house.clock.now())
        #expect(try await house.store.storedClock()?.highWaterMark == house.clock.now())
        #expect(await reason(house) == nil)
    }

    @Test("A command that waits in the queue is denied at the dispatch gate if the clock steps meanwhile")
    func dispatchGate() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 4, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .confirm(after: .seconds(1)))
            let first = try await house.begin(by: house.ids.tenant)
            let second = try await house.begin(by: house.ids.guest)
            clock.stepWall(by: .seconds(7200))
            #expect(await first.finished.command.state == .confirmed)
            let denied = await second.finished.command
            #expect(denied.state == .denied && denied.sent == false && denied.outcomeDetail == "clock_untrusted")
        }
    }

    @Test("Sessions and keys do not come back to life when the clock is set back")
    func credentials() async throws {
        let house = try await House()
        let clock = house.control.clock
        house.clock.advance(by: Self.hour)
        let end = house.clock.now()
        #expect(clock.credentialNow() == end)
        house.clock.stepWall(by: Self.hour * -1)
        #expect(clock.credentialNow() == end && clock.now() < end)
        house.clock.advance(by: .seconds(10))
        #expect(clock.credentialNow() == end.advanced(by: .seconds(10)))
    }

    @Test("The mark is written with other transactions at most once a second, and never while the clock is untrusted")
    func markInTransactions() async throws {
        let house = try await House()
        let clock = house.control.clock
        house.clock.advance(by: .seconds(1))
        #expect(clock.markToWrite() == house.clock.now())
        house.clock.advance(by: .milliseconds(999))
        #expect(clock.markToWrite() == nil)
        house.clock.advance(by: .milliseconds(1))
        #expect(clock.markToWrite() == house.clock.now())
        house.clock.stepWall(by: Self.hour)
        #expect(clock.markToWrite() == nil)
    }

    @Test("The operating system's word confirms a step forward of its own clock, and of no other", arguments: [0, 3])
    func synchronised(seconds: Int) {
        let virtual = VirtualClock()
        let clock = TrustedClock(
            virtual, synchronisedTime: { virtual.now().advanced(by: .seconds(seconds)) })
        virtual.stepWall(by: Self.hour)
        #expect(!clock.decisionTime().isTrusted)
        clock.confirmIfSynchronised()
        #expect(clock.decisionTime().isTrusted == (seconds == 0))
        virtual.stepWall(by: Self.hour * -2)
        #expect(!clock.decisionTime().isTrusted)
        clock.confirmIfSynchronised()
        #expect(!clock.decisionTime().isTrusted)
    }
}
