import ArgumentParser
import DoorwardAPI
import DoorwardClient

/// The options of the commands that delete something or take a role away, and the course of such a command: show what would go,
/// ask, delete.
struct DeletionOptions: ParsableArguments {
    @Flag(help: "Delete without showing what would be deleted and without asking.")
    var yes = false

    /// The words for one kind of deletion.
    enum Verb: String {
        case delete = "Delete"
        case remove = "Remove"

        var lowercased: String { rawValue.lowercased() }
        var past: String { "\(lowercased)d" }
    }

    /// - Throws: a usage error if there is no terminal to ask on.
    func requireConfirmable(_ verb: Verb = .delete) throws {
        try Confirmation.requireTerminal(unless: yes, verb.lowercased, verb.past)
    }

    /// Deletes an object. Unless `--yes` is given, shows before what the gateway would remove and end, and asks.
    ///
    /// - Parameters:
    ///   - name: the object as the user named it.
    ///   - what: the object in the question, such as `property Quay 1`.
    func run(
        _ deletion: Deletion, name: String, _ what: String, isCascading: Bool = false, verb: Verb = .delete
    ) async throws {
        try await Self.explainingDependents(of: name) {
            if !yes {
                let preview = try await deletion.preview(isCascading: isCascading).content.preview
                DeletionView(preview).lines(.error).forEach { StandardStream.error.line($0) }
                try Confirmation.ask("\(verb.rawValue) \(what.printable)?", otherwise: "Nothing was \(verb.past).")
            }
            try await deletion.perform(isCascading: isCascading)
        }
        StandardStream.output.line(
            OutputStyle.output.isInteractive
                ? "\(verb.rawValue)d \(what.printable)." : "\(name.printable)\t\(verb.past)")
    }

    /// Runs `body`. If the object contains others, throws an error that counts them and names the option that includes them.
    private static func explainingDependents(of name: String, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch ClientError.refused(let refusal) where refusal.code == "has_dependents" {
            throw CommandFailure(DeletionView.dependents(refusal.dependents, of: name))
        }
    }
}

/// `--cascade`, of the commands that delete an entity that can contain others.
struct CascadeOptions: ParsableArguments {
    @Flag(help: "Delete also what it contains. Locks are kept, in no property, where a super admin can attach them again.")
    var cascade = false
}
