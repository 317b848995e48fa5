internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain

/// The errors of one request, collected while it is read, so that one response contains all of them.
final class FieldErrors {
    /// Maximum number of problems in one response. A body can contain 20,000.
    static let maxProblems = 100
    /// Maximum length of a field's name in a response, in bytes.
    static let maxFieldBytes = 256

    private(set) var problems: [FieldProblem] = []

    func add(_ field: String, _ problem: FieldProblemCode) { add(field, problem.rawValue) }

    /// Adds a problem with a code that a use case defines.
    func add(_ field: String, _ problem: String) {
        problems.append(FieldProblem(field: field.truncated(toBytes: Self.maxFieldBytes), problem: problem))
    }

    /// - Throws: `.invalid` with the first `maxProblems` problems, in the order of the fields' names.
    func finish() throws(GatewayError) {
        guard !problems.isEmpty else { return }
        let sorted = problems.sorted { ($0.field, $0.problem) < ($1.field, $1.problem) }
        throw .invalid(Array(sorted.prefix(Self.maxProblems)))
    }
}
