internal import DoorwardDomain
package import Logging

/// The request that a task works for, so that every line which is logged on its way says which one it was.
package struct RequestScope: Sendable {
    /// `nil` outside a request.
    @TaskLocal static var current: RequestScope?

    private let requestID: String
    private let trace: TraceContext?
    /// The gateway's own span of the trace.
    private let span: String?

    init(_ facts: RequestFacts, random: RandomSource) {
        (requestID, trace) = (facts.requestID, facts.trace)
        span = trace.map { _ in TraceContext.newSpanID(random) }
    }

    /// `request`; and of a request that is part of a trace, `trace`, `span` (this gateway's own) and `parent` (the caller's).
    /// Made only for a line that is logged.
    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["request": .string(requestID)]
        if let trace, let span {
            metadata["trace"] = .string(trace.traceID)
            metadata["parent"] = .string(trace.parentID)
            metadata["span"] = .string(span)
        }
        return metadata
    }

    /// For the logging system of the program: adds the request to the lines of every module.
    package static let metadataProvider = Logger.MetadataProvider { current?.metadata ?? [:] }
}
