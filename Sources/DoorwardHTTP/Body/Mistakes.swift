internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain

/// What is wrong with one request, gathered while it is read, so that one answer names every mistake.
final class Mistakes {
    /// Maximum number of problems in one response. A body can contain 20,000.
    static let maxProblems = 100
    /// Maximum length of a field's name in a response, in bytes.
    static let maxFieldBytes = 256

    private(set) var problems: [FieldProblem] = []

    func add(_ field: String, _ problem: FieldProblemWord) { add(field, problem.rawValue) }

    /// A problem that a use case has its own word for.
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
