internal import DoorwardAPI
internal import FoundationEssentials
internal import NIOHTTP1

/// The objects of one type: list, read, create, change, delete.
package struct Resource<Noun: NamedNoun>: Sendable {
    let client: DoorwardClient

    package init(client: DoorwardClient) { self.client = client }

    /// Lists the objects that the caller may see, in the order of the type.
    ///
    /// - Parameters:
    ///   - filters: items of the query; `nil` is left out.
    ///   - search: only those whose name contains this text; `nil` for all.
    package func list(_ filters: [(name: String, value: String?)] = [], search: String? = nil) -> Pages<Noun> {
        Pages(client: client, path: [Noun.listPath], query: filters + [("q", search), ("sortBy", Noun.listOrder)])
    }

    /// Fetches an object, with the `ETag` of its version.
    package func get(_ id: String) async throws -> Response<Noun> {
        try await client.send(.get(Noun.listPath, id), member: Noun.objectKey)
    }

    /// Creates an object. If the connection breaks, the request is repeated with the same idempotency key, so that one object is
    /// created.
    package func create(_ body: some Encodable) async throws -> Response<Noun> {
        try await client.send(.post(Noun.listPath, body: body), member: Noun.objectKey)
    }

    /// Changes the named members of an object.
    ///
    /// - Parameter etag: the version to change; if the object has changed since, the gateway rejects the change. `nil` for any.
    package func change(_ id: String, _ body: some Encodable, onlyIf etag: String? = nil) async throws -> Response<Noun> {
        var request = try APIRequest.put(Noun.listPath, id, body: body)
        if let etag { request.headers.append((name: "If-Match", value: etag)) }
        return try await client.send(request, member: Noun.objectKey)
    }

    /// The deletion of an object. When it has been performed, every right that it ends has ended: the gateway sends no command
    /// under one, and accepts no token and no key that it has ended.
    package func deletion(of id: String) -> Deletion { Deletion(client: client, path: [Noun.listPath, id]) }
}

/// A list, fetched page by page as it is read.
package struct Pages<Item: NamedNoun>: Sendable {
    let client: DoorwardClient
    private let request: APIRequest

    /// - Parameter path: path segments, not yet encoded.
    init(client: DoorwardClient, path: [String], query: [(name: String, value: String?)]) {
        var request = APIRequest(.GET, path)
        request.query = query
        (self.client, self.request) = (client, request)
    }

    private func page(_ number: Int) async throws -> Response<Page<Item>> {
        var request = request
        request.query += [("page", String(number)), ("limit", String(WireLimits.pageSize.upperBound))]
        return try await client.send(request)
    }

    /// Fetches the whole list as one page. If the list changes meanwhile, an item may be missing or appear twice.
    package func all() async throws -> Response<[Item]> {
        var responses = [try await page(1)]
        while let last = responses.last, responses.count < last.content.pagination.totalPages {
            responses.append(try await page(responses.count + 1))
        }
        return Response(content: responses.flatMap(\.content.items), json: Self.merged(responses))
    }

    /// Joins the `data` of several pages. The result contains the items of all pages, and the pagination of one page with that
    /// many items.
    private static func merged(_ responses: [Response<Page<Item>>]) -> [UInt8] {
        if responses.count == 1 { return responses[0].json }
        let items = responses.flatMap { JSONScanner.items(of: JSONScanner.member(Item.listKey, of: $0.json) ?? []) ?? [] }
        let list = items.joined(separator: Array(",".utf8))
        let pagination =
            #""pagination":{"totalItems":\#(items.count),"totalPages":1,"currentPage":1,"pageSize":\#(items.count)}"#
        return Array("{\"\(Item.listKey)\":[".utf8) + list + Array("],\(pagination)}".utf8)
    }
}

/// `data` of one page of a list.
package struct Page<Item: NamedNoun>: Decodable, Sendable {
    /// The items of this page, in the requested order.
    package let items: [Item]
    /// The position of the page in the whole list.
    package let pagination: Pagination

    /// The position of a page in its list.
    package struct Pagination: Decodable, Equatable, Sendable {
        /// The number of items that the caller may see, on all pages together.
        package var totalItems: Int
        /// The number of pages; 0 for an empty list.
        package var totalPages: Int
        /// The number of this page, from 1.
        package var currentPage: Int
        /// The maximum number of items on a page.
        package var pageSize: Int
    }

    /// Reads the items under their key.
    package init(from decoder: any Decoder) throws {
        let data = try decoder.container(keyedBy: MemberKey.self)
        items = try data.decode([Item].self, forKey: MemberKey(Item.listKey))
        pagination = try data.decode(Pagination.self, forKey: MemberKey("pagination"))
    }
}

/// The name of a member of an object.
struct MemberKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ text: String) { stringValue = text }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}

/// The deletion of one object, or the removal of a role. Making the value sends nothing.
package struct Deletion: Sendable {
    let client: DoorwardClient
    let path: [String]

    /// Fetches what the deletion would remove and end, without changing anything.
    ///
    /// - Parameter isCascading: whether everything that the object contains is included.
    /// - Throws: `ClientError.refused`, as the deletion itself would.
    package func preview(isCascading: Bool = false) async throws -> Response<Doorward.RemovalPreview> {
        try await client.send(request(isCascading, isDryRun: true), member: "preview")
    }

    /// Deletes the object. When this returns, every right that the deletion ends has ended.
    ///
    /// - Parameter isCascading: whether everything that the object contains is deleted with it. Locks are kept, without a place.
    /// - Throws: `ClientError.refused` with `has_dependents` for an object that contains others, if `isCascading` is false.
    package func perform(isCascading: Bool = false) async throws {
        try await client.perform(request(isCascading, isDryRun: false))
    }

    private func request(_ isCascading: Bool, isDryRun: Bool) -> APIRequest {
        var deletion = APIRequest(.DELETE, path)
        deletion.query = [("cascade", isCascading ? "true" : nil), ("dryRun", isDryRun ? "true" : nil)]
        return deletion
    }
}

/// An object, and its JSON as the gateway wrote it, with the members that the type does not have.
package struct Verbatim<Noun: Decodable & Equatable & Sendable>: Sendable, Equatable {
    /// The decoded object.
    package let value: Noun
    /// The object as one JSON object.
    package let json: [UInt8]

    init(_ value: Noun, json: [UInt8]) { (self.value, self.json) = (value, json) }
}

extension Response where Content: NamedNoun & Equatable {
    /// The object of the response, with its JSON.
    package var verbatim: Verbatim<Content> {
        Verbatim(content, json: JSONScanner.member(Content.objectKey, of: json) ?? [])
    }
}

extension Response {
    /// The objects of a list, each with its JSON.
    package func verbatimItems<Noun: NamedNoun & Equatable>() -> [Verbatim<Noun>] where Content == [Noun] {
        let items = JSONScanner.items(of: JSONScanner.member(Noun.listKey, of: json) ?? []) ?? []
        return zip(content, items).map { Verbatim($0, json: $1) }
    }
}

/// On the stream, the JSON of an object has its members in the order of their names.
extension Verbatim: Codable, Identifiable, LiveNoun where Noun: LiveNoun {
    /// The type in the stream.
    package static var streamType: StreamType { Noun.streamType }
    /// The id of the object.
    package var id: String { value.id }

    package init(from decoder: any Decoder) throws {
        self.init(try Noun(from: decoder), json: try Doorward.JSONValue(from: decoder).sortedJSON())
    }

    package func encode(to encoder: any Encoder) throws {
        try JSONDecoder().decode(Doorward.JSONValue.self, from: Data(json)).encode(to: encoder)
    }
}
