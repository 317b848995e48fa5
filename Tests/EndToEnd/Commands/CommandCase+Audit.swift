extension CommandCase {
    private static let expected = ["--log", "{log}", "--public-key", "{folder}/doors.key"]

    /// The commands that prove what the access log contains. `DailyHouse` writes the files.
    static let audit = [
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
            pipe: "code: the proof is about another record than this one"),
        CommandCase(
            "audit", "check", "{folder}/first.tlog-proof", "--log", "doorward.local/logs/gateway", "--public-key",
            "{folder}/doors.key", by: .nobody, code: 1, pipe: "this is a checkpoint of another log, {log}"),
        CommandCase(
            ["audit", "check", "{folder}/code"] + expected, by: .nobody, code: 1, pipe: "code: this is no proof of a record"),
        CommandCase(
            ["audit", "check", "{folder}/absent"] + expected, by: .nobody, code: 2, pipe: "absent: the file cannot be read"),
        CommandCase(
            "audit", "check", "{folder}/first.tlog-proof", "--log", "{log}", "--public-key", "{folder}/code", by: .nobody,
            code: 2,
            pipe: "code: this is no public key"),
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
