import DoorwardDomain
import Testing

@Suite struct CommandTests {
    private static let at = Timestamp(milliseconds: 1000)
    private static let user = User(
        id: UserID(high: 1, low: 1), email: "ada@example.org", firstName: "Ada", lastName: "Lovelace", createdAt: at,
        updatedAt: at)

    private func command(operation: LockOperation = .unlock) -> Command {
        Command(
            id: CommandID(high: 1, low: 2), deviceID: DeviceID(high: 1, low: 3), operation: operation,
            actor: RecordActor(Self.user),
            source: .cli, rule: .superAdmin, requestedAt: Self.at, deadline: Self.at.advanced(by: .seconds(10)))
    }

    @Test("A new command is accepted, not sent and not ended")
    func new() {
        let new = command()
        #expect(new.state == .accepted && !new.state.isEnd)
        #expect(new.sent == false, "false, because it is certain that nothing was sent")
        #expect(new.changed == nil && new.outcomeDetail == nil && new.dispatchedAt == nil && new.completedAt == nil)
        #expect(new.reason == nil && new.override == nil && new.stateBefore == nil && new.stateAfter == nil)
    }

    @Test(
        "All states except accepted and dispatched are final",
        arguments: [
            (CommandState.accepted, false), (.dispatched, false), (.confirmed, true), (.failed, true), (.timedOut, true),
            (.unknown, true), (.denied, true),
        ])
    func ends(state: CommandState, isEnd: Bool) { #expect(state.isEnd == isEnd) }

    @Test("Each value of a command is stored in its own field")
    func fields() {
        let full = Command(
            id: CommandID(high: 1, low: 2), deviceID: DeviceID(high: 1, low: 3), operation: .unlatch, state: .failed,
            actor: .gateway, source: .console, reason: "reason", override: "override",
            rule: .guestAccess(GuestAccessID(high: 1, low: 4)), sent: nil, changed: false, outcomeDetail: "jammed",
            stateBefore: .locked, stateAfter: .jammed, requestedAt: Self.at, deadline: Timestamp(milliseconds: 2000),
            dispatchedAt: Timestamp(milliseconds: 1100), completedAt: Timestamp(milliseconds: 1200))
        #expect(full.id.low == 2 && full.deviceID.low == 3 && full.operation == .unlatch && full.state == .failed)
        #expect(full.actor == .gateway && full.source == .console && full.reason == "reason" && full.override == "override")
        #expect(full.rule.kind == "GUEST_ACCESS" && full.sent == nil && full.changed == false)
        #expect(full.outcomeDetail == "jammed" && full.stateBefore == .locked && full.stateAfter == .jammed)
        let times = [full.requestedAt, full.dispatchedAt, full.completedAt, full.deadline].map { $0?.milliseconds }
        #expect(times == [1000, 1100, 1200, 2000])
    }

    @Test("The actor of a user has the user's id and full name")
    func actor() {
        let actor = RecordActor(Self.user)
        #expect(actor.kind == .user)
        #expect(actor.id == Self.user.id.description)
        #expect(actor.name == "Ada Lovelace")
        #expect(actor.userID == Self.user.id)
    }

    @Test("The actors for the gateway and for outsiders have a kind but no id or name")
    func namelessActors() {
        for (actor, kind) in [(RecordActor.gateway, ActorKind.gateway), (.outside, .outside)] {
            #expect(actor.kind == kind)
            #expect(actor.id == nil && actor.name == nil && actor.userID == nil)
        }
    }

    @Test(
        "A full name consists of the first and last name, or of the one that is not empty",
        arguments: [("Ada", "Lovelace", "Ada Lovelace"), ("Ada", "", "Ada"), ("", "Lovelace", "Lovelace"), ("", "", "")])
    func fullName(first: String, last: String, whole: String) {
        var user = Self.user
        (user.firstName, user.lastName) = (first, last)
        #expect(user.fullName == whole)
        #expect(RecordActor(user).name == whole)
    }
}
