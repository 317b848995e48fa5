internal import DoorwardControl
internal import DoorwardDomain

/// The gateway's adapters.
enum AdapterRoutes {
    static let all: [Route] = [
        .get(
            "/adapters",
            """
            Lists the adapters with their health and their form of addresses; for a super admin with all brokers and locks, for \
            others with the brokers of the portfolios in which they may attach locks, and the locks that they see.
            """,
            .data(["adapters": .array(.reference("Adapter"))]), list)
    ]

    private static let health = JSONSchema.words(["ok", "degraded", "down"])

    static let schema = JSONSchema.fields([
        "kind": .text, "health": health, "problem": .nullable(.text),
        "deviceCount": .count, "onlineCount": .count,
        "address": .array(
            .fields([
                "field": .text, "type": .words(["string", "boolean", "integer", "number", "array"]), "required": .boolean,
                "minimum": .nullable(.number()), "maximum": .nullable(.number()), "values": .nullable(.array(.text)),
                "default": .any, "meaning": .text,
            ])),
        "transports": .array(
            .fields([
                "name": .text, "health": health, "problem": .nullable(.text),
                "portfolioId": .nullable(.id),
            ])),
    ])

    private static func list(_ call: AuthenticatedRequest) throws -> APIResponse {
        try call.readNothing()
        let adapters = try call.control.adapterStates.all(for: call.caller)
        return .success { writer in
            writer.field("adapters") { writer in
                writer.array(adapters) { writer, adapter in
                    writer.object { writer in
                        writer.field("kind", adapter.kind)
                        writer.field("health", adapter.health)
                        writer.field("problem", adapter.problem)
                        writer.field("deviceCount", adapter.deviceCount)
                        writer.field("onlineCount", adapter.onlineCount)
                        writer.field("address") { writer in writer.array(adapter.addressKeys) { $1.write(into: &$0) } }
                        writer.field("transports") { writer in writer.array(adapter.transports) { $1.write(into: &$0) } }
                    }
                }
            }
        }
    }
}

extension AddressKey: JSONRenderable {
    /// `minimum` and `maximum` are set for numbers, `values` for enumerations; otherwise they are `null`.
    func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("field", name)
            writer.field("type", type)
            writer.field("required", isRequired)
            writer.field("minimum", minimum)
            writer.field("maximum", maximum)
            writer.field("values") { writer in
                guard let values else { return writer.null() }
                writer.array(values) { $0.string($1) }
            }
            writer.field("default", defaultValue)
            writer.field("meaning", meaning)
        }
    }
}

extension TransportState: JSONRenderable {
    /// `problem` is `null` if there is none. `portfolioId` is `null` if the transport belongs to no portfolio.
    func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("name", name)
            writer.field("health", health)
            writer.field("problem", problem)
            writer.field("portfolioId", portfolioID?.description)
        }
    }
}
