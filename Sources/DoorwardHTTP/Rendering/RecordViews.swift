internal import DoorwardDomain
internal import DoorwardPolicy

// Access records: whole to management, reduced to residents.
extension View {
    func record(_ record: AccessRecord, into writer: inout JSONWriter) {
        let body = record.body
        let level = level(of: body)
        writer.projected(.record, at: level) { writer in
            writer.field("logId", body.log.description)
            writer.field("seq", record.seq)
            writer.field("id", body.id)
            writer.field("at", body.at)
            writer.field("kind", body.kind)
            writer.field("operation", body.operation)
            writer.field("decision", body.decision)
            writer.field("reason", body.reason)
            writer.field("rule", body.rule)
            if level < .management {
                writer.field("actor", label(of: body.actor, under: body.rule, unit: body.unitID, at: body.at))
            }
            actor(of: body, into: &writer)
            place(of: body, into: &writer)
            outcome(of: body, into: &writer)
            change(in: body, into: &writer)
        }
    }

    /// Whoever reads the gateway's own log reads it whole.
    private func level(of body: RecordBody) -> FieldLevel {
        if body.log == .gateway { return .management }
        return level(
            for: .event(
                unit: body.unitID, property: body.propertyID,
                portfolio: body.portfolioID ?? body.log.portfolioID, actor: nil))
    }

    private func actor(of body: RecordBody, into writer: inout JSONWriter) {
        writer.field("actorKind", body.actor.kind)
        writer.field("actorId", body.actor.id)
        writer.field("actorName", body.actor.name)
        writer.field("actorUserId", body.actor.userID)
        writer.field("source", body.source)
        writer.field("clientAddress", body.clientAddress)
        writer.field("requestId", body.requestID)
    }

    private func place(of body: RecordBody, into writer: inout JSONWriter) {
        writer.field("deviceId", body.device?.deviceID)
        writer.field("deviceName", body.device?.deviceName)
        writer.field("unitId", body.unitID)
        writer.field("propertyId", body.propertyID)
        writer.field("portfolioId", body.portfolioID ?? body.log.portfolioID)
    }

    private func outcome(of body: RecordBody, into writer: inout JSONWriter) {
        writer.field("commandId", body.commandID)
        writer.field("outcome", body.outcome)
        writer.field("outcomeDetail", body.outcomeDetail)
        writer.field("stateBefore", body.stateBefore)
        writer.field("stateAfter", body.stateAfter)
        writer.field("latencyMs", body.latencyMs)
        writer.field("statedReason", body.statedReason)
        writer.field("override", body.override.map { OverrideView(reason: $0) })
        writer.field("event", body.event)
        writer.field("method", body.method)
    }

    private func change(in body: RecordBody, into writer: inout JSONWriter) {
        writer.field("action", body.action)
        writer.field("targetType", body.target?.type)
        writer.field("targetId", body.target?.id)
        writer.field("details", RecordValue.object(body.details))
    }
}

extension RecordValue: JSONRenderable {
    /// A personal value that was erased is `null`. Keys in ascending order.
    func write(into writer: inout JSONWriter) {
        switch self {
        case .null, .withheld: writer.null()
        case .bool(let value): value.write(into: &writer)
        case .integer(let value): value.write(into: &writer)
        case .string(let value), .personal(let value, _): writer.string(value)
        case .array(let values): writer.array(values) { $1.write(into: &$0) }
        case .object(let members):
            writer.object { writer in
                for key in members.keys.sorted() { writer.field(key, members[key]) }
            }
        }
    }
}
