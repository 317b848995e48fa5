internal import DoorwardControl
internal import DoorwardDomain

/// Backs up the database while the gateway runs.
enum StoreRoutes {
    static let all: [Route] = [
        .post("/store/backup", "Copies the database to a file on the gateway's machine.", .object("backup", "Backup"), backUp)
    ]

    static let schema = JSONSchema.fields([
        "file": .text, "bytes": .count, "at": .instant, "logs": .array(.fields(["id": .text, "size": .count])),
    ])

    private static func backUp(_ call: AuthenticatedRequest) async throws -> APIResponse {
        let file = try call.readBody { $0.require("file", $0.string("file", .absolutePath)) ?? "" }
        let backup = try await call.control.storeCare.backUp(call.caller, to: file)
        return .success { writer in
            writer.field("backup") { writer in
                writer.object { writer in
                    writer.field("file", backup.path)
                    writer.field("bytes", Int(backup.bytes))
                    writer.field("at", backup.at)
                    writer.field("logs") { writer in
                        writer.array(backup.logs) { writer, log in
                            writer.object { writer in
                                writer.field("id", log.log.description)
                                writer.field("size", log.size)
                            }
                        }
                    }
                }
            }
        }
    }
}

extension StringSchema {
    /// The absolute path of a file.
    fileprivate static let absolutePath = StringSchema(pattern: #"^/[^\u0000]*$"#)
}
