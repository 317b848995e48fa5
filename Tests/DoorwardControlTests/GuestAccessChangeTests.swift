import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// Changes of a guest access.
@Suite struct GuestAccessChangeTests {
    private func house(_ behaviour: ScriptedAdapter.Behaviour = .confirmAtOnce) async throws -> House {
        try await House(behaviour: behaviour)
    }

    private func change(
        _ house: House, by user: UserID? = nil, _ edit: (inout GuestAccessChanges) -> Void
    ) async throws -> GuestAccess {
        var changes = GuestAccessChanges()
        edit(&changes)
        return try await house.control.guestAccesses.change(
            house.caller(user ?? house.ids.tenant), house.ids.guestAccess, changes
        ).access
    }

    private func at(_ instant: Timestamp) -> ResolvedLocalTime { ResolvedLocalTime(instant: instant, change: .none) }

    private func refusal(_ house: House, at device: DeviceID? = nil, _ operation: LockOperation = .unlock) async -> DenialReason?
    {
        await denial { _ = try await house.run(operation, by: house.ids.guest, on: device) }?.reason
    }

    @Test("an end that has passed ends the access now; an extension lets the guest in again")
    func window() async throws {
        let house = try await house()
        house.clock.advance(by: .seconds(600))
        #expect(await refusal(house) == nil)
        let ended = try await change(house) { $0.validUntil = at(house.clock.now().advanced(by: .seconds(-300))) }
        #expect(ended.window.validUntil == house.clock.now())
        #expect(await refusal(house) == .guestWindowEnded)
        house.clock.advance(by: .seconds(60))
        let again = try await change(house) { $0.validUntil = at(ended.window.validUntil.advanced(by: .seconds(-300))) }
        #expect(again == ended, "a repeat changes nothing")
        let extended = try await change(house) { $0.validUntil = at(house.clock.now().advanced(by: .seconds(60))) }
        #expect(await refusal(house) == nil)
        house.clock.advance(by: .seconds(60))
        #expect(await refusal(house) == .guestWindowEnded)
        let updates = house.portfolioLog.map(\.body).filter { $0.action == .update && $0.target?.id == extended.id.description }
        #expect(updates.count == 2)
        #expect(updates.last?.details["after"] == .object(["validUntil": .string(extended.window.validUntil.description)]))
        #expect(updates.last?.details["before"] == .object(["validUntil": .string(ended.window.validUntil.description)]))
    }

    @Test("a window that ends before it starts, or is longer than five years, is rejected, and nothing changes")
    func badWindow() async throws {
        let house = try await house()
        let before = house.control.directory.current.guestAccess(house.ids.guestAccess)
        let from = try #require(before).window.validFrom
        for (until, problem) in [
            (from, "end_not_after_start"), (from.advanced(by: .seconds(6 * 366 * 86_400)), "window_too_long"),
        ] {
            guard case .invalid(let problems)? = await failure({ _ = try await change(house) { $0.validUntil = at(until) } })
            else { Issue.record("\(problem) was accepted"); continue }
            #expect(problems == [FieldProblem(field: "validUntil", problem: problem)])
        }
        #expect(house.control.directory.current.guestAccess(house.ids.guestAccess) == before)
    }

    @Test("a command that waits when the window is shortened is denied and not sent")
    func waiting() async throws {
        let house = try await house(.silent)
        house.clock.advance(by: .seconds(1))
        let first = try await house.begin(.lock, by: house.ids.owner)
        let second = try await house.begin(by: house.ids.guest)
        _ = try await change(house) { $0.validUntil = at(house.clock.now()) }
        house.clock.advance(by: .seconds(11))
        #expect(await first.finished.command.state == .timedOut)
        let denied = await second.finished.command
        #expect(denied.sent == false)
        #expect(house.adapter.sentCommands.count == 1)
    }

    @Test("operations and devices are replaced; what is left out is denied at once")
    func scope() async throws {
        let house = try await house()
        _ = try await change(house) { $0.operations = [.lock] }
        #expect(await refusal(house) == .operationNotGranted)
        #expect(await refusal(house, .lock) == nil)
        _ = try await change(house) { ($0.operations, $0.deviceIDs) = ([.unlock], [house.ids.frontDoor]) }
        #expect(await refusal(house, at: house.ids.frontDoor) == nil)
        #expect(await refusal(house) == .noAssociation)
        try await house.control.roles.remove(house.caller(house.ids.owner), house.ids.tenant, from: .unit(house.ids.unit))
        #expect(await refusal(house, at: house.ids.frontDoor) == .grantorLostAccess, "what a tenant adds ends with the tenancy")
    }

    @Test("nobody gives more than they have: a device of others is as unknown, and only managers and the tenant change it")
    func rights() async throws {
        let house = try await house()
        #expect(
            await denial { _ = try await change(house) { $0.deviceIDs = [house.ids.door, house.ids.otherDoor] } }?.hasReach
                == false)
        #expect(
            await denial { _ = try await change(house, by: house.ids.guest) { $0.label = .set("Me") } }?.reason
                == .roleInsufficient)
        #expect(await denial { _ = try await change(house, by: house.ids.stranger) { $0.label = .set("Me") } }?.hasReach == false)
        #expect(try await change(house, by: house.ids.managers[0]) { $0.label = .set("Note") }.label == "Note")
    }

    @Test("what a manager adds to a tenant's access ends with the tenancy, and what a tenant adds to a manager's does too")
    func basis() async throws {
        let house = try await house()
        _ = try await change(house, by: house.ids.managers[0]) { $0.deviceIDs = [house.ids.door, house.ids.frontDoor] }
        let now = house.clock.now()
        let managers = try #require(
            try await house.control.guestAccesses.grant(
                house.caller(house.ids.managers[0]),
                NewGuestAccess(
                    guestUserID: house.ids.stranger, label: nil, propertyID: nil, unitID: house.ids.unit,
                    deviceIDs: [house.ids.door], operations: [.lock],
                    window: GuestWindow(validFrom: now, validUntil: now.advanced(by: .seconds(3600)))), repeatable: nil
            ).executed)
        var wider = GuestAccessChanges()
        wider.operations = [.lock, .unlock]
        _ = try await house.control.guestAccesses.change(house.caller(house.ids.tenant), managers.id, wider)
        #expect(await denial { _ = try await house.run(by: house.ids.stranger) } == nil)
        try await house.control.roles.remove(house.caller(house.ids.owner), house.ids.tenant, from: .unit(house.ids.unit))
        #expect(await refusal(house, at: house.ids.frontDoor) == .grantorLostAccess)
        #expect(await denial { _ = try await house.run(by: house.ids.stranger) }?.reason == .grantorLostAccess)
    }

    @Test("a revoked access is not changed, and a stale precondition is refused")
    func refused() async throws {
        let house = try await house()
        let stale = await failure {
            _ = try await house.control.guestAccesses.change(
                house.caller(house.ids.tenant), house.ids.guestAccess, GuestAccessChanges(), onlyIf: { _, _ in false })
        }
        guard case .preconditionFailed? = stale else { Issue.record("\(String(describing: stale))"); return }
        try await house.control.guestAccesses.revoke(house.caller(house.ids.tenant), house.ids.guestAccess)
        let revoked = await failure { _ = try await change(house) { $0.label = .set("Late") } }
        guard case .conflict? = revoked else { Issue.record("\(String(describing: revoked))"); return }
    }
}
