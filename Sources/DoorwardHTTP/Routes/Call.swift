internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes
internal import Hummingbird

/// A request that has been read, of somebody who is signed in.
typealias Call = ReadRequest<Caller>
/// A request that has been read, and that anybody may make.
typealias OpenCall = ReadRequest<Void>

/// A request from when its body has been read until its answer: what a route works with. Before, it is a `GatewayContext`.
struct ReadRequest<Requester: Sendable>: Sendable {
    let services: Services
    let facts: RequestFacts
    let parameters: Parameters
    /// The body; an absent one is an empty object.
    let body: [String: JSONValue]
    let client: ClientPresence
    /// Who makes it.
    let caller: Requester

    var control: GatewayControl { services.control }

    /// A part of the path.
    func text(_ name: String) -> String { parameters.get(name) ?? "" }

    /// An id in the path; `nil` for a text that cannot be one, which is an id that does not exist.
    func id<Entity>(_ name: String, of: Entity.Type = Entity.self) -> EntityID<Entity>? { EntityID(text(name)) }

    /// Reads body and query with `read`, and throws every mistake of either, unknown keys too.
    func read<Value>(
        _ read: (inout BodyReader, inout QueryReader) throws(GatewayError) -> Value
    ) throws(GatewayError) -> Value {
        let mistakes = Mistakes()
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

    /// For calls that take nothing but their path.
    func readNothing() throws(GatewayError) {
        if !body.isEmpty || facts.query != nil { try read { (_, _) throws(GatewayError) in } }
    }
}

extension ReadRequest<Caller> {
    /// The answer for an id that the caller may not know of or that does not exist.
    var outOfReach: GatewayError { .outOfReach(of: view.subject) }

    /// Renders for the caller, by the current directory.
    var view: View { View(caller.principal, control: control) }

    /// Renders for the caller, by the directory that something was chosen in.
    func view(in snapshot: PublishedDirectory.Snapshot) -> View {
        View(caller.principal, in: snapshot, control: control)
    }
}
