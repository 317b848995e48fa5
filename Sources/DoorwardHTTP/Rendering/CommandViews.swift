internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

// Commands, whole to their actor and to the management of the device, else reduced as their records are.
extension View {
    /// A command of the subject's own.
    func command(_ command: Command, into writer: inout JSONWriter) {
        self.command(command, at: tenancy.device(command.deviceID).map { DeviceStamp($0) }, into: &writer)
    }

    /// Any command, at the level that the subject has where the device was attached then.
    func command(_ stored: StoredCommand, into writer: inout JSONWriter) {
        command(stored.command, at: stored.device, into: &writer)
    }

    private func command(_ command: Command, at place: DeviceStamp?, into writer: inout JSONWriter) {
        let level = level(
            for: .event(
                unit: place?.unitID, property: place?.propertyID, portfolio: place?.portfolioID, actor: command.actor.userID))
        writer.projected(.command, at: level) { writer in
            writer.field("id", command.id)
            writer.field("deviceId", command.deviceID)
            writer.field("operation", command.operation)
            writer.field("state", command.state)
            writer.field("actor") { writer in
                if level < .management {
                    label(of: command.actor, under: command.rule, unit: place?.unitID, at: command.requestedAt)
                        .write(into: &writer)
                } else {
                    command.actor.write(into: &writer)
                }
            }
            writer.field("source", command.source)
            writer.field("reason", command.reason)
            writer.field("override", command.override.map { OverrideView(reason: $0) })
            writer.field("rule", command.rule)
            writer.field("sent", command.sent)
            writer.field("changed", command.changed)
            writer.field("outcomeDetail", command.outcomeDetail)
            writer.field("stateBefore", command.stateBefore)
            writer.field("stateAfter", command.stateAfter)
            writer.field("requestedAt", command.requestedAt)
            writer.field("deadline", command.deadline)
            writer.field("dispatchedAt", command.dispatchedAt)
            writer.field("completedAt", command.completedAt)
        }
    }

    /// How a resident sees who did something: "you", a co-tenant's or guest's first name, or "staff"; `nil` for locks, the
    /// gateway and outsiders, and for a resident or guest from before the subject's own tenancy: neither the name nor "staff" is
    /// shown.
    ///
    /// - Parameters:
    ///   - rule: the rule of the decision; without one, as in many denials, the user's present role on the unit is used.
    ///   - instant: when the command or event took place.
    func label(of actor: Actor, under rule: Rule?, unit: UnitID?, at instant: Timestamp) -> String? {
        if subject.isUser(actor.userID) { return "you" }
        let isNeighbour = unit.flatMap(subject.tenancyStart).map { $0 <= instant } ?? false
        guard let user = actor.userID else { return actor.kind == .guestLink && isNeighbour ? actor.name : nil }
        guard let role = rule?.role ?? unit.flatMap({ role(of: user, on: $0) }), role == .tenant || role == .guest else {
            return "staff"
        }
        guard isNeighbour else { return nil }
        return tenancy.user(user)?.firstName ?? "staff"
    }

    /// Whether somebody is a tenant or a guest of a unit; `nil` for neither.
    private func role(of user: UserID, on unit: UnitID) -> Role? {
        if tenancy.associations(of: user).contains(where: { $0.role == .tenant && $0.entity == .unit(unit) }) { return .tenant }
        let isGuest = tenancy.guestAccesses(of: user).contains { access in
            access.deviceIDs.contains { tenancy.device($0)?.unitID == unit }
        }
        return isGuest ? .guest : nil
    }
}

struct OverrideView: JSONRenderable {
    let reason: String

    func write(into writer: inout JSONWriter) { writer.object { $0.field("reason", reason) } }
}

extension Actor: JSONRenderable {
    func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("kind", kind)
            writer.field("id", id)
            writer.field("name", name)
        }
    }
}
