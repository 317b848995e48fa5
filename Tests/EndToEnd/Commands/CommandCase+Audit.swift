extension CommandCase {
    private static let expected = ["--log", "{log}", "--public-key", "{folder}/doors.key"]

    /// The commands that prove what the access log contains. `DailyHouse` writes the files.
    static let audit = proofs + exports

    private static let exports = [
        CommandCase("audit", "export", pipe: #"{"format":"doorward-export/1","complete":true,"#),
        CommandCase("audit", "export", "--log", "{log}", "--from-seq", "1", "--until-seq", "3", pipe: #""from":1,"until":3,"#),
        CommandCase("audit", "export", "--format", "csv", pipe: "\u{FEFF}logId,seq,id,at,localTime,timeZone,"),
        CommandCase("audit", "export", "--format", "csv", "--separator", "semicolon", pipe: "\u{FEFF}logId;seq;id;at;"),
        CommandCase("audit", "export", "--lock", "Front door", pipe: #""complete":false,"#),
        CommandCase("audit", "export", "--from", "-1h", "--until", "now", pipe: #""complete":false,"#),
        CommandCase("audit", "export", "--log", "gateway", by: .admin, pipe: #""logId":"gateway""#),
        CommandCase("audit", "export", "--log", "gateway", code: 1, pipe: "doorward: "),
        CommandCase("audit", "export", "--from-seq", "99999999", code: 1, pipe: "doorward: "),
        CommandCase(
            "audit", "export", "--output", "{folder}/exported-{how}.ndjson", pipe: "",
            terminal: "Wrote {folder}/exported-terminal.ndjson."),
        CommandCase("audit", "export", "--output", "{folder}/whole.ndjson", code: 2, pipe: "the file exists already"),
        CommandCase(["audit", "verify", "{folder}/whole.ndjson"] + expected, by: .nobody, pipe: " records of {log} are whole."),
        CommandCase(
            ["audit", "verify", "{folder}/whole.ndjson", "--json"] + expected, by: .nobody, pipe: #"{"from":0,"origin":"{log}","#),
        CommandCase(
            [
                "audit", "verify", "{folder}/whole.ndjson", "--checkpoint", "{folder}/new.note", "--since", "{folder}/old.note",
            ] + expected, by: .nobody, pipe: " records of {log} are whole."),
        CommandCase(
            ["audit", "verify", "{folder}/early.ndjson", "--checkpoint", "{folder}/new.note"] + expected, by: .nobody, code: 4,
            pipe: "new.note: this checkpoint has "),
        CommandCase(
            ["audit", "verify", "{folder}/changed.ndjson"] + expected, by: .nobody, code: 1,
            pipe: "changed.ndjson: line 3, record 1: the fields are not those of the record's bytes"),
        CommandCase(
            ["audit", "verify", "{folder}/cut.ndjson"] + expected, by: .nobody, code: 4,
            pipe: "cut.ndjson: the export is incomplete: it ends in line 3"),
        CommandCase(
            ["audit", "verify", "{folder}/one-lock.ndjson"] + expected, by: .nobody, code: 4, pipe: " records are genuine. "),
        CommandCase(
            "audit", "verify", "{folder}/whole.ndjson", "--log", "doorward.local/logs/gateway", "--public-key",
            "{folder}/doors.key", by: .nobody, code: 1, pipe: "whole.ndjson: line 1: the checkpoint of the export: "),
        CommandCase(
            ["audit", "verify", "{folder}/absent"] + expected, by: .nobody, code: 2, pipe: "absent: the file cannot be read"),
        CommandCase(
            ["audit", "cross-check", "{folder}/gateway.ndjson", "{folder}/whole.ndjson"] + expected, by: .nobody,
            pipe: "{log} is consistent with "),
        CommandCase(
            ["audit", "cross-check", "{folder}/gateway.ndjson", "{folder}/whole.ndjson", "--json"] + expected, by: .nobody,
            pipe: #"{"checkpoints":"#),
        CommandCase(
            ["audit", "cross-check", "{folder}/gateway.ndjson", "{folder}/early.ndjson"] + expected, by: .nobody, code: 4,
            pipe: "early.ndjson: the gateway's log has a checkpoint of "),
        CommandCase(
            ["audit", "cross-check", "{folder}/whole.ndjson", "{folder}/whole.ndjson"] + expected, by: .nobody, code: 1,
            pipe: "whole.ndjson: this is not an export of the log of gateway doorward.local"),
    ]

    private static let proofs = [
        CommandCase("audit", "public-key", pipe: "doorward.local+"),
        CommandCase("audit", "public-key", "--json", pipe: #"{"publicKey":"doorward.local+"#),
        CommandCase("audit", "checkpoint", pipe: "{log}\n"),
        CommandCase("audit", "checkpoint", "--log", "{log}", "--json", pipe: #"{"checkpoint":"{log}"#),
        CommandCase(
            "audit", "checkpoint", "--log", "gateway", code: 1, pipe: "doorward: There is no log `gateway` that you may verify."),
        CommandCase("audit", "checkpoint", "--log", "gateway", by: .admin, pipe: "doorward.local/logs/gateway\n"),
        CommandCase("audit", "checkpoint", "--cosigned", code: 1, pipe: "doorward: "),
        CommandCase("audit", "checkpoint", "--add", "{folder}/new.note", code: 1, pipe: "doorward: "),
        CommandCase("audit", "checkpoint", "--add", "{folder}/absent", code: 2, pipe: "absent: the file cannot be read"),
        CommandCase(
            "audit", "checkpoint", "--add", "{folder}/new.note", "--cosigned", code: 2,
            pipe: "--cosigned and --add cannot be used together."),
        CommandCase("audit", "prove", "--seq", "0", "--log", "{log}", pipe: "c2sp.org/tlog-proof@v1\nextra "),
        CommandCase("audit", "prove", "--seq", "99999999", code: 1, pipe: "--seq 99999999 is not one of them."),
        CommandCase(
            ["audit", "check", "{folder}/first.tlog-proof"] + expected, by: .nobody, pipe: "Record 0 of {log} is whole: "),
        CommandCase(
            ["audit", "check", "{folder}/first.tlog-proof", "--json"] + expected, by: .nobody,
            pipe: #"{"isRecordCompared":false,"#),
        CommandCase(
            ["audit", "check", "{folder}/first.tlog-proof", "--record", "{folder}/code"] + expected, by: .nobody, code: 1,
            pipe: "code: the proof is about a different record"),
        CommandCase(
            "audit", "check", "{folder}/first.tlog-proof", "--log", "doorward.local/logs/gateway", "--public-key",
            "{folder}/doors.key", by: .nobody, code: 1, pipe: "this is a checkpoint of another log, {log}"),
        CommandCase(
            ["audit", "check", "{folder}/code"] + expected, by: .nobody, code: 1, pipe: "code: this is not a proof of a record"),
        CommandCase(
            ["audit", "check", "{folder}/absent"] + expected, by: .nobody, code: 2, pipe: "absent: the file cannot be read"),
        CommandCase(
            "audit", "check", "{folder}/first.tlog-proof", "--log", "{log}", "--public-key", "{folder}/code", by: .nobody,
            code: 2,
            pipe: "code: this is not a public key"),
        CommandCase(
            "audit", "check", "{folder}/first.tlog-proof", "--log", "gateway", "--public-key", "{folder}/doors.key", by: .nobody,
            code: 2, pipe: "--log gateway: this is not the origin of a log"),
        CommandCase(
            ["audit", "consistency", "{folder}/old.note", "{folder}/new.note"] + expected, pipe: "{log} is whole: its first "),
        CommandCase(
            ["audit", "consistency", "{folder}/old.note", "{folder}/new.note", "--json"] + expected, pipe: #"{"from":"#),
        CommandCase(
            ["audit", "consistency", "{folder}/new.note", "{folder}/old.note"] + expected, code: 4,
            pipe: "the log was rolled back"),
        CommandCase(
            ["audit", "consistency", "{folder}/old.note", "{folder}/new.note"] + expected, environment: nowhere, code: 3,
            pipe: "doorward: no connection to http://127.0.0.1:1: "),
        CommandCase("audit", "rotate", by: .admin, pipe: "doorward.local+"),
        CommandCase("audit", "rotate", "--json", by: .admin, pipe: #"{"publicKey":"doorward.local+"#),
        CommandCase("audit", "rotate", code: 1, pipe: "doorward: "),
    ]
}
