import FoundationEssentials

/// Decodes JSON as the client decodes responses.
func decoded<Content: Decodable>(_ json: String, as: Content.Type = Content.self) throws -> Content {
    try JSONDecoder().decode(Content.self, from: Data(json.utf8))
}
