/// A successful response: its `data`, decoded and as JSON.
package struct Response<Content: Sendable>: Sendable {
    /// The decoded part of `data`; unknown members are left out.
    package let content: Content
    /// The JSON value of `data` as the gateway wrote it, with the members that `Content` does not decode.
    package let json: [UInt8]

    /// The `ETag` of the object; `nil` if the response has none.
    package let etag: String?

    package init(content: Content, json: [UInt8], etag: String? = nil) {
        (self.content, self.json, self.etag) = (content, json, etag)
    }
}
