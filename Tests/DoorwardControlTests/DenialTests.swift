import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardKernel
@testable import DoorwardLocks

/// Records of denied commands, and the limit on denials per principal.
@Suite struct DenialTests {
    @Test("a denial for a visible device is recorded once, with all fields, in the log of the device's portfolio")
    func withReach() async throws {
        let house = try await House()
        house.clock.advance(by: .seconds(25 * 3600))
        let denied = await denial { _ = try await house.run(by: house.ids.guest) }
        #expect(denied?.reason == .guestWindowEnded)
        #expect(denied?.hasReach == true)
        let record = try #require(house.portfolioLog.last?.body)
        #expect(record.kind == .denial)
        #expect(record.reason == .guestWindowEnded)
        #expect(record.decision == .denied)
        #expect(record.actor.name == "Gus Guest")
        #expect(record.clientAddress == "192.0.2.7")
        #expect(record.commandID == nil)
        #expect(house.gatewayLog.allSatisfy { $0.body.kind != .denial })
        #expect(house.adapter.sentCommands.isEmpty)
    }

    @Test("a stranger's denial is recorded without identity in the portfolio's log, and with all fields in the gateway's log")
    func stranger() async throws {
        let house = try await House()
        let denied = await denial { _ = try await house.run(by: house.ids.stranger) }
        #expect(denied?.hasReach == false)
        let outside = try #require(house.portfolioLog.last)
        #expect(outside.body.actor == .outside)
        #expect(outside.body.clientAddress == nil)
        #expect(outside.body.requestID == nil)
        #expect(outside.body.rule == nil)
        let whole = try #require(house.gatewayLog.last?.body)
        #expect(whole.kind == .denial)
        #expect(whole.actor.name == "Sam Stranger")
        let counterpart: [String: RecordValue] = [
            "logId": .string(house.ids.portfolio.description), "seq": .integer(Int64(outside.seq)),
        ]
        #expect(whole.details["counterpart"] == .object(counterpart))
    }

    @Test("an attempt with an unknown id is recorded in the gateway's log, and is answered like a stranger's attempt")
    func unknownDevice() async throws {
        let house = try await House()
        for (id, text) in [(nil, "not an id"), (DeviceID(high: 1, low: 2), "00000000-0000-0001-0000-000000000002")] {
            let request = CommandRequest(
                caller: house.caller(house.ids.tenant), deviceID: id, attemptedID: text, operation: .unlock, timeout: .seconds(1))
            let denied = await denial { _ = try await house.control.locks.begin(request) }
            #expect(denied?.hasReach == false)
            let record = try #require(house.gatewayLog.last?.body)
            #expect(record.reason == .deviceUnknown)
            #expect(record.details["attemptedId"] == .personal(text, person: house.ids.tenant))
        }
        let asSuperAdmin = await failure {
            _ = try await house.run(by: house.ids.superAdmin, on: DeviceID(high: 1, low: 2))
        }
        guard case .notFound = asSuperAdmin else {
            Issue.record("a super admin did not get 'not found' for an id that does not exist")
            return
        }
    }

    @Test("a super admin cannot operate a lock, and gets the reason")
    func superAdmin() async throws {
        let house = try await House()
        let denied = await denial { _ = try await house.run(by: house.ids.superAdmin) }
        #expect(denied?.reason == .roleInsufficient)
        #expect(denied?.hasReach == true)
    }

    @Test("a principal over the denial limit is rejected before a decision, with one summary record per minute")
    func suppression() async throws {
        let house = try await House(deniedPerMinute: 3)
        for _ in 0..<3 { _ = await denial { _ = try await house.run(by: house.ids.stranger) } }
        let records = house.portfolioLog.count
        for _ in 0..<5 {
            guard case .rateLimited(let seconds) = await failure({ _ = try await house.run(by: house.ids.stranger) }) else {
                Issue.record("an attempt over the limit was decided")
                return
            }
            #expect((1...60).contains(seconds))
        }
        #expect(house.portfolioLog.count == records)
        #expect(house.gatewayLog.count { $0.body.event == .denialsSuppressed } == 1)
        #expect(try await house.run(by: house.ids.tenant).state == .confirmed, "other principals are not limited")
        house.clock.advance(by: .seconds(61))
        let again = await denial { _ = try await house.run(by: house.ids.stranger) }
        #expect(again != nil)
    }

    @Test("a principal over the denial limit is told so before anything about a gateway that accepts no commands")
    func whileStopped() async throws {
        let house = try await House(deniedPerMinute: 3)
        for _ in 0..<3 { _ = await failure { _ = try await house.run(by: house.ids.stranger) } }
        await house.control.stop()
        guard case .rateLimited = await failure({ _ = try await house.run(by: house.ids.stranger) }) else {
            Issue.record("the limit of denials was not asked first")
            return
        }
        guard case .shuttingDown = await failure({ _ = try await house.run(by: house.ids.tenant) }) else {
            Issue.record("a stopped gateway accepted a command")
            return
        }
        #expect(house.gatewayLog.allSatisfy { $0.body.event != .denialsSuppressed }, "a stopped gateway writes nothing")
    }

    @Test("a rejection while the store is in doubt writes no summary record; the first one after it does")
    func whileInDoubt() async throws {
        let house = try await House()
        let storeGuard = StoreGuard(store: house.store)
        let recorder = DenialRecorder(
            storeGuard: storeGuard, clock: house.clock, random: RandomSource(SeededGenerator(seed: 7)), perMinute: 1)
        let caller = Caller(userID: house.ids.stranger)
        try await recorder.admit(caller, denying: true)
        func summaries() async -> Int {
            guard case .rateLimited = await failure({ try await recorder.admit(caller) }) else { return -1 }
            return house.gatewayLog.count { $0.body.event == .denialsSuppressed }
        }
        storeGuard.markInDoubt(reason: "disk full")
        #expect(await summaries() == 0)
        #expect(storeGuard.clearInDoubt(asOf: storeGuard.inDoubtGeneration))
        #expect(await summaries() == 1)
    }

    @Test("of denied commands at the same time, those over the limit are not recorded, and one summary is")
    func atTheSameTime() async throws {
        let house = try await House(deniedPerMinute: 3)
        let before = house.portfolioLog.count
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { _ = await failure { _ = try await house.run(by: house.ids.stranger) } } }
        }
        #expect(house.portfolioLog.count == before + 3)
        #expect(house.gatewayLog.count { $0.body.event == .denialsSuppressed } == 1)
    }

    @Test("concurrent denials that exceed the limit together are recorded up to it, and lead to one summary record")
    func admittedTogether() async throws {
        let house = try await House()
        let denied = try #require(await denial { _ = try await house.run(by: house.ids.stranger) })
        let recorder = DenialRecorder(
            storeGuard: StoreGuard(store: house.store), clock: house.clock, random: RandomSource(SeededGenerator(seed: 7)),
            perMinute: 2)
        let caller = Caller(userID: house.ids.stranger)
        let request = CommandRequest(
            caller: caller, deviceID: nil, attemptedID: "x", operation: .unlock, timeout: .seconds(10))
        for _ in 0..<4 { try await recorder.admit(caller) }
        let before = house.gatewayLog.count { $0.body.kind == .denial }
        for _ in 0..<2 { _ = try await recorder.record(denied, of: request, in: TenancyDirectory()) }
        for _ in 0..<2 {
            await #expect(throws: GatewayError.self) {
                _ = try await recorder.record(denied, of: request, in: TenancyDirectory())
            }
        }
        #expect(house.gatewayLog.count { $0.body.kind == .denial } == before + 2)
        for _ in 0..<3 { await #expect(throws: GatewayError.self) { try await recorder.admit(caller) } }
        #expect(house.gatewayLog.count { $0.body.event == .denialsSuppressed } == 1)
    }
}
