package import DoorwardAPI

/// `data` of one page of a list.
package protocol ListPage: Decodable, Sendable {
    /// The type of the listed items.
    associatedtype Item: Sendable
    /// The key of the items in `data`.
    static var key: String { get }
    /// The items of this page.
    var items: [Item] { get }
    /// The page's position in the whole list.
    var pagination: Wire.Pagination { get }
}

/// A list, fetched page by page as it is read.
package struct Pages<Page: ListPage>: AsyncSequence, Sendable {
    /// One page, as the gateway returned it.
    package typealias Element = Response<Page>

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
        package mutating func next() async throws -> Response<Page>? {
            guard !isAtEnd else { return nil }
            let response = try await pages.page(page)
            isAtEnd = page >= response.content.pagination.totalPages
            page += 1
            return response
        }
    }

    private func page(_ number: Int) async throws -> Response<Page> {
        var request = request
        request.query += [("page", String(number)), ("limit", String(WireLimits.pageSize.upperBound))]
        return try await client.send(request)
    }

    /// Fetches the whole list as one page. If the list changes meanwhile, an item may be missing or appear twice.
    package func all() async throws -> Response<[Page.Item]> {
        var responses: [Response<Page>] = []
        for try await response in self { responses.append(response) }
        return Response(content: responses.flatMap(\.content.items), json: Self.merged(responses))
    }

    /// Joins the `data` of several pages. The result contains the items of all pages, and the pagination of one page with that
    /// many items.
    private static func merged(_ responses: [Response<Page>]) -> [UInt8] {
        if responses.count == 1 { return responses[0].json }
        let items = responses.flatMap { JSONScanner.items(of: JSONScanner.member(Page.key, of: $0.json) ?? []) ?? [] }
        let list = items.joined(separator: Array(",".utf8))
        let pagination =
            #""pagination":{"totalItems":\#(items.count),"totalPages":1,"currentPage":1,"pageSize":\#(items.count)}"#
        return Array("{\"\(Page.key)\":[".utf8) + list + Array("],\(pagination)}".utf8)
    }
}

extension Wire.DevicePage: ListPage {
    package static var key: String { "devices" }
    package var items: [Wire.Device] { devices }
}

extension Wire.DiscoveredDevicePage: ListPage {
    package static var key: String { "discoveredDevices" }
    package var items: [Wire.DiscoveredDevice] { discoveredDevices }
}

extension Wire.CommandPage: ListPage {
    package static var key: String { "commands" }
    package var items: [Wire.Command] { commands }
}

extension Wire.GuestAccessPage: ListPage {
    package static var key: String { "guestAccesses" }
    package var items: [Wire.GuestAccess] { guestAccesses }
}

extension Wire.UserPage: ListPage {
    package static var key: String { "users" }
    package var items: [Wire.User] { users }
}

extension Wire.PortfolioPage: ListPage {
    package static var key: String { "portfolios" }
    package var items: [Wire.Portfolio] { portfolios }
}

extension Wire.PropertyPage: ListPage {
    package static var key: String { "properties" }
    package var items: [Wire.Property] { properties }
}

extension Wire.UnitPage: ListPage {
    package static var key: String { "units" }
    package var items: [Wire.Unit] { units }
}

extension Wire.APIKeyPage: ListPage {
    package static var key: String { "apiKeys" }
    package var items: [Wire.APIKey] { apiKeys }
}

extension Wire.PermittedPrincipalPage: ListPage {
    package static var key: String { "entries" }
    package var items: [Wire.PermittedPrincipal] { entries }
}
