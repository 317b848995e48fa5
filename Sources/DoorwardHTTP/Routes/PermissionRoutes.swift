internal import DoorwardDomain
internal import DoorwardPolicy
internal import FoundationEssentials

/// The permission matrices, as data.
enum PermissionRoutes {
    static let all: [Route] = [
        .get(
            "/permission-matrix", "Reads which roles hold which operations and permissions.",
            .data([
                "operations": .array(
                    .fields([
                        "operation": LockOperation.schema,
                        "holders": .array(
                            .object([
                                JSONSchema.Member("role", Role.schema), JSONSchema.Member("condition", .text, isRequired: false),
                            ])),
                    ])),
                "management": .array(.fields(["permission": .text, "superAdmin": .text, "roles": .array(Role.schema)])),
            ]), matrix)
    ]

    private static func matrix(_ call: AuthenticatedRequest) throws -> APIResponse {
        try call.readNothing()
        return APIResponse(status: 200, body: body)
    }

    /// The response, which never changes while the program runs.
    private static let body: [UInt8] = {
        let view = PermissionMatrixView()
        return APIResponse.success { writer in
            writer.field("operations") { writer in
                writer.array(view.operations) { writer, row in
                    writer.object { writer in
                        writer.field("operation", row.operation)
                        writer.field("holders") { writer in
                            writer.array(row.holders) { writer, holder in
                                writer.object { writer in
                                    writer.field("role", holder.role)
                                    writer.fieldIfPresent("condition", holder.condition?.rawValue)
                                }
                            }
                        }
                    }
                }
            }
            writer.field("management") { writer in
                writer.array(view.management) { writer, row in
                    writer.object { writer in
                        writer.field("permission", row.permission.rawValue)
                        writer.field("superAdmin", row.superAdmin.rawValue)
                        writer.field("roles", row.roles)
                    }
                }
            }
        }.body
    }()
}
