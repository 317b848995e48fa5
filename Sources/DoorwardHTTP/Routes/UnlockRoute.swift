internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes

/// The way of every command: read the request, hand it to `LockDAL`, wait for the lock's word, answer.
enum UnlockRoute {
    static let all: [Route] = [route("lock", .lock), route("unlock", .unlock), route("unlatch", .unlatch)]

    private static func route(_ word: String, _ operation: LockOperation) -> Route {
        var route = Route.post("/devices/:id/\(word)") { try await move($0, operation) }
        route.limit = { (control, caller, _) throws(GatewayError) in
            if let caller { try await control.locks.admit(caller) }
        }
        return route
    }

    private static func move(_ call: Call, _ operation: LockOperation) async throws -> Answer {
        let order = try Order(call)
        let request = CommandRequest(
            caller: call.caller, deviceID: call.id("id"), attemptedID: call.exchange.text("id"), operation: operation,
            statedReason: order.reason, override: order.override, timeout: order.timeout ?? call.services.commandTimeout)
        let repeatable = try call.services.repeats.call(call) { (finished: FinishedCommand, tenancy) in
            answer(finished, call.view(in: tenancy), requestID: call.facts.requestID, asProblem: false)
        }
        switch try await call.control.locks.begin(request, repeatable: repeatable) {
        case .replayed(let stored): return replayed(stored, call, isAsync: order.isAsync)
        case .fresh(let running):
            if order.isAsync {
                let (command, view) = (running.accepted, call.view)
                return accepted(command.id.description) { view.command(command, into: &$0) }
            }
            return answer(
                await running.finished, call.view, requestID: call.facts.requestID, asProblem: call.facts.wantsProblem)
        }
    }

    // MARK: - Request

    private struct Order {
        let reason: String?
        let override: String?
        let timeout: Duration?
        /// `Prefer: respond-async` (RFC 7240).
        let isAsync: Bool

        init(_ call: Call) throws(GatewayError) {
            isAsync =
                call.facts.headers[.prefer]?.lowercased().split(separator: ",")
                .contains { String($0).trimmed.prefix { $0 != ";" } == "respond-async" } ?? false
            guard !call.body.isEmpty || call.facts.query != nil else {
                (reason, override, timeout) = (nil, nil, nil)
                return
            }
            (reason, override, timeout) = try call.exchange.readBody { body in
                (
                    body.text("reason", longest: WireLimits.reasonCharacters),
                    body.object("override") { $0.requiredText("reason", longest: WireLimits.reasonCharacters) },
                    body.integer("timeoutMs", in: WireLimits.timeoutMs).map { .milliseconds($0) }
                )
            }
        }
    }

    // MARK: - Answer

    private static func accepted(_ id: String, _ command: (inout JSONWriter) -> Void) -> Answer {
        var answer = Answer.success(202, location: "/api/v1/commands/\(id)") { $0.field("command", command) }
        answer.headers[.preferenceApplied] = "respond-async"
        return answer
    }

    /// The answer to a repeat: to one that would rather not wait, the command and its place, as to a first call.
    private static func replayed(_ stored: StoredAnswer, _ call: Call, isAsync: Bool) -> Answer {
        guard isAsync, let command = stored.command, case .string(let id)? = command["id"] else {
            return Answer(replaying: stored, to: call.facts)
        }
        var answer = accepted(id) { JSONValue.object(command).write(into: &$0) }
        answer.headers[.idempotentReplayed] = "true"
        return answer
    }

    /// 200 for what the lock confirmed; any other end is an error that carries the command.
    private static func answer(
        _ finished: FinishedCommand, _ view: View, requestID: String, asProblem: @autoclosure () -> Bool
    ) -> Answer {
        guard finished.command.state == .confirmed else {
            return ErrorAnswer(finished) { view.command($0, into: &$1) }.answer(requestID: requestID, asProblem: asProblem())
        }
        return .success { writer in
            writer.field("command") { view.command(finished.command, into: &$0) }
            writer.field("device") { writer in
                guard let device = view.tenancy.device(finished.command.deviceID) else { return writer.null() }
                view.device(device, status: finished.status, into: &writer)
            }
        }
    }
}

extension StoredAnswer {
    /// The command that the answer is about, in `data` or, of an error, in `details`.
    fileprivate var command: [String: JSONValue]? {
        guard case .object(let members)? = try? JSONParser.parse(body),
            case .object(let holder)? = members["data"] ?? members["details"], case .object(let command)? = holder["command"]
        else { return nil }
        return command
    }
}
