/// A success: what `data` says, and `data` itself.
package struct Answer<Content: Sendable>: Sendable {
    /// As much of `data` as its type knows.
    package let content: Content
    /// The JSON value of `data` as the gateway wrote it, with all that `Content` does not know.
    package let json: [UInt8]

    package init(content: Content, json: [UInt8]) { (self.content, self.json) = (content, json) }
}
