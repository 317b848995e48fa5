internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import HTTPTypes
internal import NIOCore

/// Reports for people: HTML that prints well.
enum ComplianceRoutes {
    static let all: [Route] = [
        .get(
            "/reports/compliance",
            "Reads the compliance report of a portfolio or a property: who had access, who used it, what was denied. It is recorded.",
            .file("The report, one HTML document without scripts.", ["text/html"]), report)
    ]

    private static func report(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let reportRequest = try request.readQuery { read(&$0) }
        guard let reportRequest else { throw GatewayError.invalid("until", FieldProblemCode.malformed.rawValue) }
        let reports = request.control.complianceReports
        guard request.metadata.method != .head else {
            // A `HEAD` request gets no report, so nothing is recorded.
            try reports.check(reportRequest, for: request.caller)
            return answer(APIResponse(type: contentType), of: reportRequest)
        }
        let running = try await reports.begin(reportRequest, for: request.caller)
        return answer(.streamed(contentType, document(running)), of: reportRequest)
    }

    private static let contentType = "text/html; charset=utf-8"

    private static func read(_ query: inout QueryReader) -> ComplianceRequest? {
        let portfolio: PortfolioID? = query.id("portfolioId")
        let property: PropertyID? = query.id("propertyId")
        let (from, until) = (query.instant("from"), query.instant("until"))
        for name in ["from", "until"] { query.require(name) }
        switch (portfolio, property) {
        case (nil, nil): query.errors.add("portfolioId", .required)
        case (_?, _?): query.errors.add("propertyId", "exclusive")
        default: break
        }
        guard let from, let until else { return nil }
        guard from < until else {
            query.errors.add("until", "end_not_after_start")
            return nil
        }
        let place = portfolio.map { ComplianceRequest.Place.portfolio($0) } ?? property.map { .property($0) }
        return place.map { ComplianceRequest(place: $0, period: from..<until) }
    }

    private static func answer(_ response: APIResponse, of reportRequest: ComplianceRequest) -> APIResponse {
        let day = reportRequest.period.lowerBound.description.prefix(10)
        return response.asPage(CompliancePage.frame.policy)
            .with(.contentDisposition, "inline; filename=\"doorward-compliance-\(reportRequest.place.id)-\(day).html\"")
    }

    /// The pages of records that are read between two line breaks.
    private static let pages = 32
    private static let chunkBytes = 64 * 1024

    /// The chunks of a report: the head at once, a line break from time to time while the log is read, and then the body.
    static func document(_ running: RunningComplianceReport) -> StreamedBody {
        StreamedBody { send in
            var report = running
            try await send(ByteBuffer(string: CompliancePage.head(report.header)))
            var hasMore = true
            while hasMore {
                for _ in 0..<pages where hasMore { hasMore = try await report.readPage() }
                try await send(ByteBuffer(string: "\n"))
            }
            var rest = ByteBuffer(string: CompliancePage(report.finish()).body)
            while rest.readableBytes > 0 {
                try report.check()
                try await send(rest.readSlice(length: min(rest.readableBytes, chunkBytes)) ?? ByteBuffer())
            }
        }
    }
}
