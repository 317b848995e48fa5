internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes
internal import Hummingbird

/// A request of a signed-in user, after its body was read.
typealias AuthenticatedRequest = ReadRequest<Caller>
/// A request that needs no sign-in, after its body was read.
typealias OpenCall = ReadRequest<Void>

/// A request whose body was read, as route handlers use it. Before that, a request is represented by its `GatewayContext`.
struct ReadRequest<Requester: Sendable>: Sendable {
    let services: Services
    let facts: RequestMetadata
    let parameters: Parameters
    /// The body; an absent body is an empty object.
    let body: [String: JSONValue]
    let client: ClientPresence
    /// The caller of the request.
    let caller: Requester
    /// Gets what the handler would read; `nil` while a request is handled.
    var description: InputDescription.Box?

    var control: GatewayControl { services.control }

    /// A parameter in the path.
    func text(_ name: String) -> String { parameters.get(name) ?? "" }

    /// An id in the path.
    func id<Entity>(_ name: String, of: Entity.Type = Entity.self) -> EntityID<Entity> { EntityID(orNonexistent: text(name)) }

    /// Reads body and query with `read`, and throws all errors of both, including unknown keys.
    func read<Value>(
        _ read: (inout BodyReader, inout QueryReader) throws(GatewayError) -> Value
    ) throws(GatewayError) -> Value {
        if let description {
            // The handler ends here: nothing of a real request is at hand.
            try description.set(InputDescription(read))
            throw .invalid([])
        }
        let mistakes = FieldErrors()
        var bodyReader = BodyReader(body, mistakes: mistakes)
        var queryReader = QueryReader(facts.query, mistakes: mistakes)
        let value = try read(&bodyReader, &queryReader)
        bodyReader.finish()
        queryReader.finish()
        try mistakes.finish()
        return value
    }

    func readBody<Value>(_ read: (inout BodyReader) -> Value) throws(GatewayError) -> Value {
        try self.read { (body, _) throws(GatewayError) in read(&body) }
    }

    func readQuery<Value>(_ read: (inout QueryReader) -> Value) throws(GatewayError) -> Value {
        try self.read { (_, query) throws(GatewayError) in read(&query) }
    }

    /// Whether `read` has something to do: an absent body and query have no keys.
    var hasInput: Bool { !body.isEmpty || facts.query != nil || description != nil }

    /// Rejects any key in the body or query, for requests that have parameters only in the path.
    func readNothing() throws(GatewayError) {
        if hasInput { try read { (_, _) throws(GatewayError) in } }
    }
}

extension ReadRequest<Caller> {
    /// The renderer for the caller, with the current directory.
    var view: ProjectedRenderer { ProjectedRenderer(caller.principal, control: control) }

    /// The renderer for the caller, with the directory that the rendered objects were chosen in.
    func view(in snapshot: CurrentDirectory.Snapshot) -> ProjectedRenderer {
        ProjectedRenderer(caller.principal, in: snapshot, control: control)
    }
}
