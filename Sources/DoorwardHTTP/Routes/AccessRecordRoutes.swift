internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes

/// Lists of access records, paged by cursor.
enum AccessRecordRoutes {
    static let all: [Route] = [
        .get("/access-records", "Lists access records.", page, list),
        .get(
            "/access-records/summary", "Counts access records by hour or day.",
            .data(["buckets": .array(bucket.schema(), maxItems: WireLimits.summaryBuckets)]), summary),
        .get(
            "/access-records/export",
            "Exports access records as a file, of any size. A CSV file has a byte order mark; `separator` chooses between commas and "
                + "semicolons. The export is recorded.",
            .file(
                "The file. As NDJSON it has proofs, and is verified without the gateway; docs/log-format.md specifies it.",
                ["text/csv", "application/x-ndjson"]),
            export),
        .read("/access-records/:id", "Reads an access record.", .object("accessRecord", "AccessRecord")) { request in
            let record = try await request.control.history.record(request.id("id"), for: request.caller)
            return .success { $0.field("accessRecord") { request.view.record(record, into: &$0) } }
        },
        .get("/devices/:id/access-records", "Lists the access records of one lock.", page, listOfDevice),
    ]

    private static let page: [DocumentedAnswer] = .data([
        "accessRecords": .array(.reference("AccessRecord")), "nextCursor": .nullable(.text),
    ])

    private static let bucket: [ResponseField<(from: Timestamp, until: Timestamp, counts: [String: Int])>] = [
        .init("from", \.from), .init("until", \.until),
        .written("counts", .map(.count)) { bucket, writer in
            writer.object { for (value, count) in bucket.counts.sorted(by: { $0.key < $1.key }) { $0.field(value, count) } }
        },
    ]

    private static func list(_ request: AuthenticatedRequest) async throws -> APIResponse {
        try await answer(try query(request), request)
    }

    private static func listOfDevice(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let id: DeviceID = request.id("id")
        // Report errors in the query before checking rights.
        let query = try query(request, device: id)
        let device = try request.control.attachedDevices.device(id, for: request.caller)
        try request.control.attachedDevices.require(.viewAccessHistory, on: device, of: request.caller)
        return try await answer(query, request)
    }

    // MARK: - Summary

    /// Counts records, and writes a bucket for each hour or day of the time between `from` and `until`.
    private static func summary(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let (filter, limits, grouping) = try request.readQuery { query in
            let filters = RecordFilterQuery(&query)
            for name in ["from", "until"] { query.require(name) }
            let period = query.requiredEnumValue("by", of: CivilPeriod.allCases)
            let grouping = query.enumValue("groupBy", of: RecordCountQuery.Grouping.allCases)
            let zone = query.zone("timeZone").rules ?? TimeZoneDatabase.system.utc
            guard let period, let from = filters.from, let until = filters.until, query.errors.problems.isEmpty else {
                return (filters.filter, [Timestamp](), grouping)
            }
            let limits = zone.limits(from: from, until: until, by: period, maxParts: WireLimits.summaryBuckets)
            if limits == nil { query.errors.add("until", from < until ? "window_too_long" : "end_not_after_start") }
            return (filters.filter, limits ?? [], grouping)
        }
        let buckets = try await request.client.whileConnected {
            try await request.control.history.summary(for: request.caller, filter: filter, limits: limits, by: grouping)
        }
        return .success { writer in
            writer.objects("buckets", buckets.indices) { bucket.write((limits[$1], limits[$1 + 1], buckets[$1]), into: &$0) }
        }
    }

    // MARK: - Export

    private static func export(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let (filter, format, separator, from, until) = try request.readQuery { query in
            (
                RecordFilterQuery(&query).filter, query.requiredEnumValue("format", of: ExportRequest.Format.allCases),
                query.enumValue("separator", of: ExportRequest.Separator.allCases),
                query.integer("fromSeq", in: AuditRoutes.validSizes), query.integer("untilSeq", in: AuditRoutes.validSizes)
            )
        }
        // Two filters that name different logs select nothing, and an export is one of a log.
        guard let filter, let format else { throw GatewayError.invalid("logId", FieldProblemCode.malformed.rawValue) }
        var exportRequest = ExportRequest(
            format: format, filter: filter, fromSeq: from.map { UInt64($0) }, untilSeq: until.map { UInt64($0) })
        if let separator {
            // Only a table has cells.
            guard format == .csv else { throw GatewayError.invalid("separator", "exclusive") }
            exportRequest.separator = separator
        }
        let type = format == .csv ? "text/csv; charset=utf-8; header=present" : "application/x-ndjson"
        let (name, answer): (String, APIResponse)
        if request.metadata.method == .head {
            // No record leaves the gateway, so no export is recorded.
            name = try await request.control.exports.check(exportRequest, for: request.caller)
            answer = .streamed(type, StreamedBody { _ in })
        } else {
            let export = try await request.control.exports.begin(exportRequest, for: request.caller)
            (name, answer) = (export.name, .streamed(type, StreamedBody(export)))
        }
        return answer.with(.contentDisposition, "attachment; filename=\"\(name).\(format.rawValue)\"")
    }

    // MARK: - Pages

    private struct Query {
        let filter: RecordFilter?
        let order: RecordQuery.Order
        let limit: Int
        let after: RecordPosition?
        /// The scope that a cursor of this list is bound to: the caller, the path, the filters and the order.
        let scope: String
    }

    /// - Parameter device: the device in the path; `nil` for the list of all records, which reads `deviceId` from the query instead.
    private static func query(_ request: AuthenticatedRequest, device: DeviceID? = nil) throws(GatewayError) -> Query {
        try request.readQuery { query in
            let filters = RecordFilterQuery(&query, device: device)
            let order = query.enumValue("order", of: [RecordQuery.Order.newestFirst, .oldestFirst]) ?? .newestFirst
            let limit = query.integer("limit", in: WireLimits.recordPageSize) ?? WireLimits.defaultRecordPageSize
            let scope = "\(request.caller.principal.key)\(request.metadata.path)\(filters.canonical)/\(order.rawValue)"
            let text = query.string("cursor")
            let after = text.flatMap { request.services.cursors.position($0, scope: scope) }
            if text != nil, after == nil { query.errors.add("cursor", .badCursor) }
            return Query(filter: filters.filter, order: order, limit: limit, after: after, scope: scope)
        }
    }

    private static func answer(_ query: Query, _ request: AuthenticatedRequest) async throws -> APIResponse {
        let page = try await request.client.whileConnected {
            try await request.control.history.records(
                for: request.caller, filter: query.filter, order: query.order, after: query.after, limit: query.limit)
        }
        let view = request.view
        var cursor: Result<String?, any Error> = .success(nil)
        let answer = APIResponse.success { writer in
            var count = 0
            writer.field("accessRecords") { writer in
                count = writer.array(page.records, maxBytes: WireLimits.pageBytes) { view.record($1, into: &$0) }
            }
            let next = count < page.records.count ? page.records[count - 1].position : page.next
            cursor = Result { try next.map { try request.services.cursors.text(of: $0, scope: query.scope) } }
            writer.field("nextCursor", (try? cursor.get()) ?? nil)
        }
        _ = try cursor.get()
        return answer
    }
}
