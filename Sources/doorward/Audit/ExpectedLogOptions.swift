import ArgumentParser
import DoorwardAudit
import FoundationEssentials

/// The options with what a verifier expects. They come from the user, never from what is verified.
struct ExpectedLogOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The expected name of the log: the origin of its checkpoints, such as doors.example/logs/gateway.",
            valueName: "origin"))
    var log: String

    @Option(
        help: ArgumentHelp(
            "A file with the expected public key; after rotations several, one in each line.", valueName: "file"),
        completion: .file())
    var publicKey: String

    func origin() throws -> String {
        guard LogOrigin(parsing: log) != nil else {
            throw CommandFailure(
                "--log \(log.printable): this is not the origin of a log; `doorward audit checkpoint` prints it in the first line",
                code: 2)
        }
        return log
    }

    func keys() throws -> [VerifierKey] {
        let lines = try AuditFiles.text(publicKey).split(separator: "\n").map { String($0) }.filter { !$0.isEmpty }
        let keys = lines.compactMap { VerifierKey(parsing: $0) }
        guard !keys.isEmpty, keys.count == lines.count, keys.allSatisfy({ $0.algorithm == .ed25519 }) else {
            throw CommandFailure(
                "\(publicKey.printable): this is no public key; keep what `doorward audit public-key` prints", code: 2)
        }
        return keys
    }
}

/// Reads the files of the offline checks.
enum AuditFiles {
    /// - Throws: `CommandFailure` with code 2.
    static func bytes(_ path: String) throws -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw CommandFailure("\(path.printable): the file cannot be read", code: 2)
        }
    }

    /// - Throws: `CommandFailure` with code 2 for an unreadable file, with code 1 for one that is not text.
    static func text(_ path: String) throws -> String {
        guard let text = String(validating: try bytes(path), as: UTF8.self) else {
            throw CommandFailure("\(path.printable): the file is not text, or it was changed", code: 1)
        }
        return text
    }

    /// Reads and verifies a checkpoint.
    ///
    /// - Throws: `CommandFailure`.
    static func checkpoint(_ path: String, origin: String, keys: [VerifierKey]) throws -> Checkpoint {
        let text = try text(path)
        do throws(CheckpointFault) {
            return try Checkpoint.verified(text, origin: origin, keys: keys)
        } catch {
            throw failure(error, path)
        }
    }

    static func failure(_ fault: CheckpointFault, _ path: String) -> CommandFailure {
        CommandFailure("\(path.printable): \(sentence(fault))", code: 1)
    }

    /// The fault in words.
    static func sentence(_ fault: CheckpointFault) -> String {
        switch fault {
        case .malformed: "this is no signed checkpoint, or it was changed"
        case .otherOrigin(let origin): "this is a checkpoint of another log, \(origin.printable)"
        case .notSigned(let name): "the key of \(name.printable) that you expect has not signed this checkpoint"
        case .wrongSignature: "the signature does not match: the checkpoint was changed, or it is a forgery"
        }
    }
}
