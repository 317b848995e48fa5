internal import DoorwardControl
internal import DoorwardDomain

/// The query of a `DELETE`.
struct RemovalQuery {
    /// Whether nothing is changed, and the response contains the effects.
    let isDryRun: Bool
    /// Whether an entity that contains others is removed together with them.
    let isCascade: Bool
}

extension AuthenticatedRequest {
    /// Reads `dryRun`.
    func readDryRun() throws(GatewayError) -> Bool { try readQuery { $0.bool("dryRun") ?? false } }

    /// Reads `dryRun` and `cascade`.
    func readRemoval() throws(GatewayError) -> RemovalQuery {
        try readQuery { query in
            RemovalQuery(isDryRun: query.bool("dryRun") ?? false, isCascade: query.bool("cascade") ?? false)
        }
    }
}

extension APIResponse {
    /// The response to a removal: without a body, or the effects of a dry run.
    static func removal(_ preview: RemovalPreview?) -> APIResponse {
        guard let preview else { return .nothing }
        return .success { $0.field("preview", preview) }
    }
}

extension RemovalPreview: JSONRenderable {
    static let schema = JSONSchema.fields([
        "removed": .array(.fields(["type": .text, "id": .text, "name": .text])),
        "ended": .array(.fields(["type": .text, "id": .text])),
    ])

    func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("removed") { writer in
                writer.array(removed) { writer, removed in
                    writer.object { writer in
                        writer.field("type", removed.target.type)
                        writer.field("id", removed.target.id)
                        writer.field("name", removed.name)
                    }
                }
            }
            writer.field("ended") { writer in
                writer.array(ended) { writer, ended in
                    writer.object { writer in
                        writer.field("type", ended.type)
                        writer.field("id", ended.id)
                    }
                }
            }
        }
    }
}
