/// A successful response: its `data`, decoded and as JSON.
package struct Response<Content: Sendable>: Sendable {
    /// The decoded part of `data`; unknown members are left out.
    package let content: Content
    /// The JSON value of `data` as the gateway wrote it, with the members that `Content` does not decode.
    package let json: [UInt8]

    package init(content: Content, json: [UInt8]) { (self.content, self.json) = (content, json) }
}
