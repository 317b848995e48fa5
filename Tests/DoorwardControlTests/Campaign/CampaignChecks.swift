import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting

/// The invariants that every campaign must keep.
struct CampaignChecks {
    let house: CampaignHouse
    let trace: CampaignTrace.Content
    let store: InMemoryStore
    let commands: [CommandID: Command]
    private let records: [CommandID: [RecordBody]]

    init(house: CampaignHouse, trace: CampaignTrace.Content, store: InMemoryStore) async throws {
        (self.house, self.trace, self.store) = (house, trace, store)
        let scopes = house.logs.map { log in log.portfolioID.map { RecordScope.portfolioLog($0) } ?? .gatewayLog }
        let stored = try await store.commands(CommandQuery(scopes: scopes, limit: .max)).commands.map(\.command)
        commands = Dictionary(uniqueKeysWithValues: stored.map { ($0.id, $0) })
        var records: [CommandID: [RecordBody]] = [:]
        for body in house.logs.flatMap({ store.log($0) }).map(\.body) {
            if let id = body.commandID { records[id, default: []].append(body) }
        }
        self.records = records
    }

    /// Returns all violations of the invariants; empty if there is none.
    func violations() -> [String] {
        trace.violations + ordersAsAsked() + ordersOneByOne() + nothingAfterRevokes() + outcomes() + answers() + queues()
            + denials() + repeats() + logs()
    }

    // MARK: - Sent commands

    private func ordersAsAsked() -> [String] {
        var found: [String] = []
        var seen: Set<CommandID> = []
        for sent in trace.commands {
            let id = sent.command.commandID
            if !seen.insert(id).inserted { found.append("\(id) was sent twice") }
            let intents = sent.records.filter { $0.kind == .commandIntent }
            if intents.isEmpty { found.append("\(id) was sent without an intent") }
            if sent.records.contains(where: { $0.kind == .commandOutcome }) { found.append("\(id) was sent after its outcome") }
            if sent.decision.rule == nil { found.append("\(id) was sent without a right") }
            if sent.decision.rule != intents.last?.rule {
                found.append("\(id) was sent under another rule than that of its intent")
            }
            guard let request = request(of: id), request.run == sent.run else {
                found.append("\(id) was sent without a request in this run")
                continue
            }
            if sent.at >= request.began.advanced(by: request.wanted.timeout) { found.append("\(id) was sent after its timeout") }
            if sent.wallAt >= sent.command.deadline { found.append("\(id) was sent at or after its own deadline") }
        }
        return found
    }

    private func request(of command: CommandID) -> CampaignTrace.Request? {
        trace.requests.first { $0.accepted?.id == command }
    }

    private func ordersOneByOne() -> [String] {
        var last: [DeviceID: CampaignTrace.SentCommand] = [:]
        return trace.commands.compactMap { sent in
            defer { last[sent.command.deviceID] = sent }
            guard let before = last[sent.command.deviceID], before.run == sent.run,
                let end = commands[before.command.commandID]?.completedAt, wasSeen(before.command.commandID)
            else { return nil }
            return end > sent.wallAt ? "\(sent.command.commandID) was sent while another command was in flight" : nil
        }
    }

    /// Returns whether a caller received the stored outcome. Otherwise recovery may have written the outcome later.
    private func wasSeen(_ id: CommandID) -> Bool {
        guard case .ended(let command)? = request(of: id)?.answer else { return false }
        return command == commands[id]
    }

    private func nothingAfterRevokes() -> [String] {
        trace.revoked.flatMap { revoked in
            trace.commands[revoked.commandsBefore..<(revoked.commandsUntil ?? trace.commands.count)].compactMap { sent in
                let intent = sent.records.last { $0.kind == .commandIntent }
                return rests(intent, on: revoked.right)
                    ? "\(sent.command.commandID) was sent after \(revoked.right) was revoked" : nil
            }
        }
    }

    private func rests(_ intent: RecordBody?, on right: CampaignTrace.Revoked.Right) -> Bool {
        switch (right, intent?.rule) {
        case (.user(let user), _): intent?.actor.userID == user
        case (.access(let revoked), .guestAccess(let access)): revoked == access
        case (.association(let removed), .association(let id, _)): removed == id
        default: false
        }
    }

    // MARK: - Outcomes

    private func outcomes() -> [String] {
        var found: [String] = []
        for id in records.keys where commands[id] == nil { found.append("\(id) has records but is not a command") }
        for command in commands.values {
            let records = records[command.id] ?? []
            let outcomes = records.filter { $0.kind == .commandOutcome }
            if records.first?.kind != .commandIntent { found.append("\(command.id) does not begin with its intent") }
            if outcomes.count != 1 { found.append("\(command.id) has \(outcomes.count) outcomes") }
            if outcomes.first?.outcome != command.state { found.append("\(command.id) has another outcome than its record") }
            if Set(records.map(\.log)).count != 1 { found.append("\(command.id) has records in several logs") }
            let wasSent = trace.commands.contains { $0.command.commandID == command.id }
            if let sent = command.sent, sent != wasSent { found.append("\(command.id) has a wrong value of `sent`") }
            if command.sent == nil, command.state != .unknown { found.append("\(command.id) has no value of `sent`") }
        }
        return found
    }

    private func answers() -> [String] {
        trace.requests.compactMap { request in
            guard let accepted = request.accepted else { return nil }
            guard let stored = commands[accepted.id] else { return "\(accepted.id) was accepted and is not stored" }
            guard case .ended(let told)? = request.answer, told != stored else { return nil }
            let isExcused = told.state == .unknown && trace.runsWithFailures.contains(request.run)
            return isExcused ? nil : "\(told.id) was answered as \(told.state) and is stored as \(stored.state)"
        }
    }

    /// A command that passed its deadline in the queue must have waited behind another command until then.
    private func queues() -> [String] {
        trace.requests.compactMap { request in
            guard case .ended(let command)? = request.answer, command.outcomeDetail == "deadline_passed",
                request.wanted.key == nil, request.wanted.timeout > .seconds(2)
            else { return nil }
            let hadCompany = trace.requests.contains { other in
                guard other.run == request.run, let before = other.accepted, before.id != command.id,
                    before.deviceID == command.deviceID, before.requestedAt <= command.requestedAt,
                    let end = commands[before.id]?.completedAt
                else { return false }
                // A finished command occupies its device until its outcome is written.
                return end.advanced(by: .seconds(1)) >= command.deadline
            }
            return hadCompany ? nil : "\(command.id) passed its deadline in the queue without a command before it"
        }
    }

    // MARK: - Denials and idempotent repeats

    private func denials() -> [String] {
        let outside = house.logs.flatMap { store.log($0) }.filter { $0.body.actor == .outside && $0.body.kind == .denial }
        return trace.requests.compactMap { request in
            guard case .denied(let denial)? = request.answer else { return nil }
            let own = house.logs.flatMap { store.log($0) }.map(\.body).filter {
                $0.kind == .denial && $0.requestID == request.id && $0.actor.userID == request.wanted.user
            }
            guard own.count == 1, let record = own.first, record.reason == denial.reason else {
                return "\(request.id) was denied and has \(own.count) records"
            }
            guard !denial.hasReach else { return record.log == .gateway ? "\(request.id) is recorded in the wrong log" : nil }
            let counterparts = outside.filter { RecordValue.place(of: $0) == record.details["counterpart"] }
            let isTold = record.log == .gateway && counterparts.first?.body.device?.deviceID == request.wanted.device
            return isTold ? nil : "\(request.id) of a stranger has no matching record in the portfolio's log"
        }
    }

    private func repeats() -> [String] {
        let withKeys = Dictionary(grouping: trace.requests.filter { $0.wanted.key != nil }) { request in
            "\(request.wanted.user) \(request.wanted.key ?? "")"
        }
        return withKeys.flatMap { key, requests in
            let accepted = requests.compactMap(\.accepted)
            let twice = accepted.count > 1 ? ["\(key) made \(accepted.count) commands"] : []
            return twice + requests.compactMap { violation(ofRepeat: $0, accepted: accepted.first) }
        }
    }

    private func violation(ofRepeat request: CampaignTrace.Request, accepted: Command?) -> String? {
        guard case .replayed(let answer)? = request.answer else { return nil }
        let words = answer.split(separator: " ")
        guard words.count == 2, let command = CommandID(words[0]).flatMap({ commands[$0] }) else {
            return "\(request.id) was answered with a command that does not exist"
        }
        if let accepted, accepted.id != command.id { return "\(request.id) was answered with the command of another request" }
        if words[1] == command.state.rawValue { return nil }
        let isExcused = words[1] == CommandState.unknown.rawValue && trace.runsWithFailures.contains(request.run)
        return isExcused ? nil : "\(request.id) was answered \(words[1]), but its command ended as \(command.state)"
    }

    // MARK: - Logs

    private func logs() -> [String] {
        house.logs.flatMap { log -> [String] in
            let records = store.log(log)
            let hasGaps = records.enumerated().contains { $0.offset != Int($0.element.seq) }
            let goesBack = zip(records, records.dropFirst()).contains { $0.body.at > $1.body.at }
            return (hasGaps ? ["\(log) has gaps"] : []) + (goesBack ? ["\(log) goes back in time"] : [])
        }
    }
}

extension RecordValue {
    /// Returns the log and the sequence number of a record, in the form of the `counterpart` detail.
    fileprivate static func place(of record: AccessRecord) -> RecordValue {
        .object(["logId": .string(record.body.log.description), "seq": .integer(Int64(record.seq))])
    }
}
