internal import DoorwardDomain
package import Logging

/// The request that a task works for, so that every line which is logged on its way says which one it was.
package struct RequestScope: Sendable {
    /// `nil` outside a request.
    @TaskLocal static var current: RequestScope?

    /// `request`; and of a request that is part of a trace, `trace`, `span` (this gateway's own) and `parent` (the caller's).
    let metadata: Logger.Metadata

    init(_ facts: RequestFacts, random: RandomSource) {
        var metadata: Logger.Metadata = ["request": .string(facts.requestID)]
        if let trace = facts.trace {
            metadata["trace"] = .string(trace.traceID)
            metadata["parent"] = .string(trace.parentID)
            metadata["span"] = .string(TraceContext.newSpanID(random))
        }
        self.metadata = metadata
    }

    /// For the logging system of the program: adds the request to the lines of every module.
    package static let metadataProvider = Logger.MetadataProvider { current?.metadata ?? [:] }
}
