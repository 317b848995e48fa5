internal import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes

/// The document of the API: as OpenAPI 3.1 for programs, and as a page for people.
enum DocumentRoutes {
    static let all: [Route] = [
        .page("/api/v1/openapi.json") {
            APIResponse(body: try await $0.services.document.forms(describedBy: $0).openAPI)
        },
        .page("/docs") { try await $0.services.document.forms(describedBy: $0).page },
    ]
}

/// The document in the forms in which it is sent, made at the first request: the routes do not change while the program runs.
actor ServedDocument {
    struct Forms: Sendable {
        let openAPI: [UInt8]
        let page: APIResponse
        /// The text of `docs/api.md`.
        let index: String
    }

    private var forms: Forms?

    /// The text of `docs/api.md`; `nil` before the first request.
    var index: String? { forms?.index }

    func forms(describedBy request: AnonymousRequest) async throws -> Forms {
        if let forms { return forms }
        let document = try await APIDocument(RouteTable.routes, describedBy: request)
        var writer = JSONWriter()
        document.openAPI.write(into: &writer)
        let made = Forms(openAPI: writer.bytes, page: document.page, index: document.index)
        forms = made
        return made
    }
}
