internal import DoorwardControl
internal import DoorwardDomain

/// The gateway's clock: whether it is trusted, and its acceptance.
enum ClockRoutes {
    static let all: [Route] = [
        .get("/clock", "Reads whether the gateway's clock is trusted.", .object("clock", "Clock"), read),
        .post(
            "/clock/accept", "Accepts the time of the gateway's clock after a step forward.", .object("clock", "Clock"), accept),
    ]

    static let schema = JSONSchema.fields([
        "isTrusted": .boolean, "reason": .nullable(.words(ClockDistrust.allCases.map(\.rawValue))), "at": .instant,
        "mark": .instant, "isSynchronised": .boolean, "maxStepSeconds": .count,
        "lastStep": .nullable(.fields(["before": .instant, "after": .instant, "stepMs": .integer()])),
    ])

    private static func read(_ call: AuthenticatedRequest) throws -> APIResponse {
        try call.readNothing()
        return answer(try call.control.clockCare.status(for: call.caller))
    }

    private static func accept(_ call: AuthenticatedRequest) async throws -> APIResponse {
        let loweringMark = try call.readBody { $0.bool("lowerMark") ?? false }
        return answer(try await call.control.clockCare.accept(call.caller, loweringMark: loweringMark))
    }

    private static func answer(_ status: ClockStatus) -> APIResponse {
        .success { writer in
            writer.field("clock") { writer in
                writer.object { writer in
                    writer.field("isTrusted", status.distrust == nil)
                    writer.field("reason", status.distrust?.rawValue)
                    writer.field("at", status.at)
                    writer.field("mark", status.mark)
                    writer.field("isSynchronised", status.isSynchronised)
                    writer.field("maxStepSeconds", Int(status.maxStep.components.seconds))
                    writer.field("lastStep") { writer in
                        guard let step = status.lastStep else { return writer.null() }
                        writer.object { writer in
                            writer.field("before", step.before)
                            writer.field("after", step.after)
                            writer.field("stepMs", Int(step.size.wholeMilliseconds))
                        }
                    }
                }
            }
        }
    }
}
