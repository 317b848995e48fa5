internal import DoorwardAPI
internal import DoorwardControl

/// What is wrong with one request, gathered while it is read, so that one answer names every mistake.
final class Mistakes {
    private(set) var problems: [FieldProblem] = []

    func add(_ field: String, _ problem: FieldProblemWord) { add(field, problem.rawValue) }

    /// A problem that a use case has its own word for.
    func add(_ field: String, _ problem: String) { problems.append(FieldProblem(field: field, problem: problem)) }

    /// - Throws: `.invalid` with all that was gathered, in the order of the fields' names.
    func finish() throws(GatewayError) {
        guard !problems.isEmpty else { return }
        throw .invalid(problems.sorted { ($0.field, $0.problem) < ($1.field, $1.problem) })
    }
}
