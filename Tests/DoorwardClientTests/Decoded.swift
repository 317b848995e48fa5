import DoorwardAPI
import FoundationEssentials

/// What the wire's JSON says, read as the client reads it.
func decoded<Content: Decodable>(_ json: String, as: Content.Type = Content.self) throws -> Content {
    try JSONDecoder().decode(Content.self, from: Data(json.utf8))
}
