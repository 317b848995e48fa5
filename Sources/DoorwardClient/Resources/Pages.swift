package import DoorwardAPI
internal import NIOHTTP1

/// A list, fetched page by page as it is read.
package struct Pages<Item: Wire.ListItem>: AsyncSequence, Sendable {
    /// One page, as the gateway returned it.
    package typealias Element = Response<Wire.Page<Item>>

    let client: DoorwardClient
    let request: APIRequest

    /// Makes an iterator that begins at the first page.
    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: self) }

    /// Iterates over the pages.
    package struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let pages: Pages
        private var page = 1
        private var isAtEnd = false

        fileprivate init(pages: Pages) { self.pages = pages }

        /// Fetches the next page. An empty list has one empty page.
        package mutating func next() async throws -> Response<Wire.Page<Item>>? {
            guard !isAtEnd else { return nil }
            let response = try await pages.page(page)
            isAtEnd = page >= response.content.pagination.totalPages
            page += 1
            return response
        }
    }

    private func page(_ number: Int) async throws -> Response<Wire.Page<Item>> {
        var request = request
        request.query += [("page", String(number)), ("limit", String(WireLimits.pageSize.upperBound))]
        return try await client.send(request)
    }

    /// Fetches the whole list as one page. If the list changes meanwhile, an item may be missing or appear twice.
    package func all() async throws -> Response<[Item]> {
        var responses: [Response<Wire.Page<Item>>] = []
        for try await response in self { responses.append(response) }
        return Response(content: responses.flatMap(\.content.items), json: Self.merged(responses))
    }

    /// Joins the `data` of several pages. The result contains the items of all pages, and the pagination of one page with that
    /// many items.
    private static func merged(_ responses: [Response<Wire.Page<Item>>]) -> [UInt8] {
        if responses.count == 1 { return responses[0].json }
        let items = responses.flatMap { JSONScanner.items(of: JSONScanner.member(Item.listKey, of: $0.json) ?? []) ?? [] }
        let list = items.joined(separator: Array(",".utf8))
        let pagination =
            #""pagination":{"totalItems":\#(items.count),"totalPages":1,"currentPage":1,"pageSize":\#(items.count)}"#
        return Array("{\"\(Item.listKey)\":[".utf8) + list + Array("],\(pagination)}".utf8)
    }
}

/// The deletion of one object, or the removal of a role. Making the value sends nothing.
package struct Deletion: Sendable {
    let client: DoorwardClient
    let path: [String]

    /// Fetches what the deletion would remove and end, without changing anything.
    ///
    /// - Parameter isCascading: whether everything that the object contains is included.
    /// - Throws: `ClientError.refused`, as the deletion itself would.
    package func preview(isCascading: Bool = false) async throws -> Response<Wire.RemovalPreviewAnswer> {
        try await client.send(request(isCascading, isDryRun: true))
    }

    /// Deletes the object. When this returns, every right that the deletion ends has ended.
    ///
    /// - Parameter isCascading: whether everything that the object contains is deleted with it. Locks are kept, without a place.
    /// - Throws: `ClientError.refused` with `has_dependents` for an object that contains others, if `isCascading` is false.
    package func perform(isCascading: Bool = false) async throws {
        try await client.perform(request(isCascading, isDryRun: false))
    }

    private func request(_ isCascading: Bool, isDryRun: Bool) -> APIRequest {
        var deletion = APIRequest(.DELETE, parts: path)
        deletion.query = (isCascading ? [("cascade", "true")] : []) + (isDryRun ? [("dryRun", "true")] : [])
        return deletion
    }
}
