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

    @Test("A new command is accepted, certainly not sent, and without an end")
    func new() {
        let new = command()
        #expect(new.state == .accepted && !new.state.isEnd)
        #expect(new.sent == false, "it is certain that nothing was sent, which null would not say")
        #expect(new.changed == nil && new.outcomeDetail == nil && new.dispatchedAt == nil && new.completedAt == nil)
        #expect(new.reason == nil && new.override == nil && new.stateBefore == nil && new.stateAfter == nil)
    }

    @Test(
        "Only what waits or is on its way has no end",
        arguments: [
            (CommandState.accepted, false), (.dispatched, false), (.confirmed, true), (.failed, true), (.timedOut, true),
            (.unknown, true), (.denied, true),
        ])
    func ends(state: CommandState, isEnd: Bool) { #expect(state.isEnd == isEnd) }

    @Test("Each thing said of a command is kept under its own name")
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

    @Test("A user acts under their id and whole name, and is the user behind the act")
    func actor() {
        let actor = RecordActor(Self.user)
        #expect(actor.kind == .user)
        #expect(actor.id == Self.user.id.description)
        #expect(actor.name == "Ada Lovelace")
        #expect(actor.userID == Self.user.id)
    }

    @Test("Of the gateway and of outsiders nothing is known but what they are")
    func namelessActors() {
        for (actor, kind) in [(RecordActor.gateway, ActorKind.gateway), (.outside, .outside)] {
            #expect(actor.kind == kind)
            #expect(actor.id == nil && actor.name == nil && actor.userID == nil)
        }
    }

    @Test(
        "A person is called by both names, or by the one that they have",
        arguments: [("Ada", "Lovelace", "Ada Lovelace"), ("Ada", "", "Ada"), ("", "Lovelace", "Lovelace"), ("", "", "")])
    func fullName(first: String, last: String, whole: String) {
        var user = Self.user
        (user.firstName, user.lastName) = (first, last)
        #expect(user.fullName == whole)
        #expect(RecordActor(user).name == whole)
    }
}
