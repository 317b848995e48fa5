import ArgumentParser
import DoorwardAudit
import DoorwardClient
import DoorwardDomain
import FoundationEssentials

/// `doorward audit prove`: prints a proof that one record is in a log.
struct AuditProveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prove",
        abstract: "Print a proof that one record is in a log; the proof can be checked offline.",
        discussion: """
            Prints a proof in the format of C2SP tlog-proof. It contains the newest checkpoint, so it can be checked without the gateway: \
            `doorward audit check`. The line `extra` has the leaf hash of the record.

            Example: doorward audit prove --seq 17 > record-17.tlog-proof
            """)

    @Option(help: ArgumentHelp("The number of the record in its log.", valueName: "number"))
    var seq: UInt64

    @OptionGroup var log: LogOption
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let client = try gateway.client()
        let id = try await log.id(client)
        let note = try await client.audit.checkpoint(of: id)
        guard let checkpoint = SignedNote(parsing: note).flatMap({ Checkpoint(parsing: $0.text) }) else {
            throw CommandFailure("the gateway's checkpoint is malformed", code: 1)
        }
        guard seq < checkpoint.size else {
            throw CommandFailure("The log has \(checkpoint.size) records, numbered from 0; --seq \(seq) is not one of them.")
        }
        let proof = try await client.audit.inclusionProof(of: seq, size: checkpoint.size, in: id)
        guard let leafHash = SignedNote.base64(proof.leafHash) else {
            throw CommandFailure("the gateway's proof is malformed", code: 1)
        }
        let file = InclusionProofFile(
            leafHash: leafHash, index: seq, hashes: proof.hashes.compactMap { SignedNote.base64($0) }, checkpoint: note)
        StandardStream.output.line(file.text.trimmedLine)
    }
}

/// `doorward audit check`: checks a proof that one record is in a log.
struct AuditCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a proof that one record is in a log, without the gateway.",
        discussion: """
            Give the name of the log and the key that you expect; those in the proof are not trusted.

            Example: doorward audit check record-17.tlog-proof --log doors.example/logs/gateway --public-key doors.key
            """)

    @Argument(help: ArgumentHelp("The proof.", valueName: "proof"), completion: .file())
    var proof: String

    @OptionGroup var expected: ExpectedLogOptions

    @Option(
        help: ArgumentHelp("A file with the bytes of the record, to check that the proof is about it.", valueName: "file"),
        completion: .file())
    var record: String?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (origin, keys) = try (expected.origin(), expected.keys())
        guard let file = InclusionProofFile(parsing: try AuditFiles.text(proof)) else {
            throw CommandFailure("\(proof.printable): this is not a proof of a record, or it was changed", code: 1)
        }
        let checkpoint: Checkpoint
        do throws(InclusionFault) {
            checkpoint = try file.verified(origin: "\(origin)", keys: keys)
        } catch {
            switch error {
            case .checkpoint(let fault): throw AuditFiles.failure(fault, proof)
            case .notIncluded:
                throw CommandFailure("\(proof.printable): the log of this checkpoint does not contain the record", code: 1)
            }
        }
        if let record, MerkleTree.leafHash(try AuditFiles.bytes(record)) != file.leafHash {
            throw CommandFailure("\(record.printable): the proof is about a different record", code: 1)
        }
        let leafHash = Data(file.leafHash).base64EncodedString()
        let verdict: [String: JSONValue] = [
            "origin": .string("\(origin)"), "seq": .count(file.index), "size": .count(checkpoint.size),
            "leafHash": .string(leafHash),
            "isRecordCompared": .bool(record != nil),
        ]
        output.print(json: JSONOutput.document(verdict)) { style in
            [
                "Record \(file.index) of \(origin) is \(style.paint("whole", .green)): it is among the \(checkpoint.size) records of a "
                    + "signed checkpoint.", record == nil ? "Its leaf hash is \(leafHash)." : "The file contains this record.",
            ]
        }
    }
}

/// `doorward audit consistency`: checks that a log has only grown between two checkpoints.
struct AuditConsistencyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "consistency",
        abstract: "Check that a log was only appended to between two checkpoints.",
        discussion: """
            Verifies both checkpoints with the key that you expect, requests the proof from the gateway, and checks it. The \
            gateway cannot deceive this check: a proof exists only if the older records are unchanged.

            Example: doorward audit consistency monday.note friday.note --log doors.example/logs/gateway --public-key doors.key
            """)

    @Argument(help: ArgumentHelp("The older checkpoint.", valueName: "old"), completion: .file())
    var old: String

    @Argument(help: ArgumentHelp("The newer checkpoint.", valueName: "new"), completion: .file())
    var new: String

    @OptionGroup var expected: ExpectedLogOptions
    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let (origin, keys) = try (expected.origin(), expected.keys())
        let older = try AuditFiles.checkpoint(old, origin: origin, keys: keys)
        let newer = try AuditFiles.checkpoint(new, origin: origin, keys: keys)
        guard older.size <= newer.size else {
            throw CommandFailure(
                "\(new.printable): this checkpoint has \(newer.size) records, fewer than the \(older.size) of \(old.printable): the log "
                    + "was rolled back, or the files are in the wrong order", code: 4)
        }
        let proof = try await proof(from: older, to: newer, in: origin.log)
        guard MerkleProof.isConsistent(from: older.size, older.root, to: newer.size, newer.root, proof: proof) else {
            throw CommandFailure("\(origin): records under \(old.printable) were changed", code: 1)
        }
        let verdict: [String: JSONValue] = ["origin": .string("\(origin)"), "from": .count(older.size), "to": .count(newer.size)]
        output.print(json: JSONOutput.document(verdict)) { style in
            [
                "\(origin) is \(style.paint("whole", .green)): its first \(older.size) records are unchanged, and "
                    + "\(newer.size - older.size) were added."
            ]
        }
    }

    /// Requests a proof, unless the sizes are such that none is needed.
    private func proof(from older: Checkpoint, to newer: Checkpoint, in log: LogID) async throws -> [[UInt8]] {
        let client = try output.client()
        guard older.size > 0, older.size < newer.size else { return [] }
        do {
            return try await client.audit
                .consistencyProof(from: older.size, to: newer.size, in: "\(log)").hashes
                .map { SignedNote.base64($0) ?? [] }
        } catch ClientError.refused(let error) where error.status == 400 {
            throw CommandFailure(
                "the gateway's log has fewer than the \(newer.size) records of \(new.printable): it was rolled back", code: 4)
        }
    }
}
