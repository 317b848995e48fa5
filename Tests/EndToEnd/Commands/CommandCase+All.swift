extension CommandCase {
    private static let password = RunningGateway.password + "\n"
    static let nowhere = ["DOORWARD_SERVER": "http://127.0.0.1:1", "DOORWARD_TOKEN": "t"]

    /// Every command with each of its options and arguments at least once. The coverage test in `CommandCaseTests` checks this.
    static let all =
        signingIn + api + locks + movements + guests + rights + tenancy + log + audit + settingUp + profiles + host + mistakes

    private static let signingIn = [
        CommandCase(
            "login", "--server", "{server}", "--email", "owner@doors.example", "--password-stdin", by: .nobody, input: password,
            pipe: "signed in at {server} as Olga Example"),
        CommandCase("logout", by: .nobody, pipe: "signed out: owner@doors.example at {server}"),
        CommandCase(
            "login", "--server", "{server}", "--api-key-stdin", by: .nobody, input: "dw_nonsense\n", code: 1,
            pipe: "doorward: the gateway does not accept this API key; nothing was kept"),
        CommandCase(
            "whoami", pipe: "email\towner@doors.example\nname\tOlga Example\nroles\towner of Harbour\nserver\t{server}\n",
            terminal: "roles    owner of Harbour\n"),
        CommandCase("whoami", "--json", pipe: #""email":"owner@doors.example""#),
        CommandCase(
            "whoami", "--all", pipe: "default\towner@doors.example\t{server}\ttoken until ",
            terminal: "default  owner@doors.example  {server}  token until "),
        CommandCase(
            "whoami", "--all", "--json", pipe: #"{"signIns":[{"email":"owner@doors.example","isInUse":true,"name":"default""#),
    ]

    private static let api = [
        CommandCase("api", "GET", "devices", "limit=1", "sortBy=name", pipe: #"{"devices":[{"#),
        CommandCase("api", "get", "/api/v1/devices/{door}", pipe: #"{"device":{"#),
        CommandCase(
            "api", "PUT", "users/me", "--input", "{folder}/names", "--header", "If-Match: *", "--include",
            pipe: "HTTP/1.1 200 OK\n", terminal: #""firstName":"Olga""#),
        CommandCase("api", "GET", "nothing", code: 1, pipe: "doorward: "),
    ]

    private static let locks = [
        CommandCase("locks", pipe: "Front door\tlocked\t", terminal: "NAME  "),
        CommandCase(
            "locks", "--property", "quay 1", "--unit", "1A", pipe: "\tQuay 1 / 1a\t{door}\n", terminal: "  Quay 1 / 1a  "),
        CommandCase("locks", "--json", pipe: #""pagination":{"#),
        CommandCase("locks", "--wide", pipe: "\tQuay 1 / 1a\t{door}\n", terminal: "  Quay 1 / 1a  {door}"),
        CommandCase("locks", "--follow", pipe: "Front door\t", terminal: "Front door  ", isEndless: true),
        CommandCase("locks", "--follow", "--json", pipe: #""name":"Front door""#, isEndless: true),
        CommandCase("status", "front door", pipe: "\nid\t{door}\n", terminal: "id       {door}"),
        CommandCase("status", "{door}", "--json", pipe: #"{"status":{"#),
        CommandCase("status", "{door}", "--watch", pipe: "\nid\t{door}\n", terminal: "Ctrl-C ends", isEndless: true),
    ]

    private static let movements = ["unlock", "unlatch", "lock"].flatMap { command in
        [
            CommandCase(
                command, "Front door", "--reason", "the post", "--override", "a drill", "--timeout", "30",
                pipe: "Front door\t\(command)ed\n", terminal: "Front door is \(command)ed."),
            CommandCase(command, "{door}", "--json", pipe: #""state":"CONFIRMED""#),
        ]
    }

    private static let guests = [
        CommandCase(
            "grant", "Plumber in a {how}", "--label", "Front door", "Cellar", "--from", "now", "--until", "+1h",
            pipe: "Plumber in a pipe\tFront door, Cellar\tlock, unlock\t",
            terminal: "Plumber in a terminal may lock, unlock Front door, Cellar"),
        CommandCase(
            "grant", "Painter", "--label", "{door}", "--from", "now", "--until", "+1h", "--json", pipe: #""label":"Painter""#),
        CommandCase(
            "grant", "Roofer", "--label", "Cellar", "--from", "now", "--until", "+1h", "--link", pipe: "\n{server}/g/",
            terminal: "It is not shown again."),
        CommandCase(
            "grant", "Roofer", "--label", "Cellar", "--from", "now", "--until", "+1h", "--link", "--json",
            pipe: #"},"link":{""#),
        CommandCase(
            "grant", "Mover", "--label", "Cellar", "--from", "now", "--until", "+1h", "--operations", "unlock,LATCH", code: 2,
            pipe: "`LATCH` is not an operation. The operations are LOCK, UNLOCK, UNLATCH."),
        CommandCase(
            "grant", "Mover in a {how}", "--label", "Cellar", "--from", "now", "--until", "+1h", "--operations", "unlatch,Unlock",
            pipe: "Mover in a pipe\tCellar\tunlock, unlatch\t", terminal: "Mover in a terminal may unlock, unlatch Cellar"),
        CommandCase(
            "grant", "owner@doors.example", "Cellar", "--name", "Olga ({how})", "--from", "now", "--until", "+1h",
            pipe: "Olga Example\tCellar\tlock, unlock\t", terminal: "Olga Example may lock, unlock Cellar"),
        CommandCase(
            "grant", "Cleaner in a {how}", "--label", "Cellar", "--from", "now", "--until", "+90d", "--days", "thu,MON",
            "--hours",
            "9:00-12:00,22:00-06:00", "--max-uses", "7", "--zone", "Europe/Rome",
            pipe: "\tMon, Thu 09:00-12:00, 22:00-06:00 Europe/Rome\t7/7\t-\tactive\t",
            terminal: "  only  Mon, Thu 09:00-12:00, 22:00-06:00 (Europe/Rome)\n  for   7 uses\n"),
        CommandCase(
            "grant", "Caretaker", "--label", "Cellar", "--from", "2030-10-27 02:30", "--until", "+90d", "--days", "sat-sun",
            pipe: "Caretaker\tCellar\tlock, unlock\t2030-10-27T00:30:00.000Z\t2031-01-25T00:30:00.000Z\tSat, Sun 00:00-24:00 "
                + "Europe/Berlin\t-\t-\tscheduled\t",
            terminal: "  from  Sun 2030-10-27 02:30 Europe/Berlin (2030-10-27T00:30:00.000Z)\n"),
        CommandCase(
            "grant", "Porter in a {how}", "--label", "Cellar", "--from", "now", "--until", "+90d", "--hours",
            "mon-fri 9:00-12:00,13:00-17:00", "--hours", "sat 10:00-12:00", "--special", "2030-12-24=09:00-12:00", "--special",
            "2030-12-25=closed",
            pipe:
                "\tMon-Fri 09:00-12:00, 13:00-17:00; Sat 10:00-12:00; 2030-12-24 09:00-12:00; 2030-12-25 closed Europe/Berlin\t",
            terminal: "  only  Mon-Fri 09:00-12:00, 13:00-17:00; Sat 10:00-12:00 (Europe/Berlin, the property's time)\n"
                + "  on    Tue 2030-12-24 09:00-12:00\n  on    Wed 2030-12-25 closed\n"),
        CommandCase(
            "grant", "Cleaner", "--label", "Cellar", "--from", "now", "--until", "+1h", "--special", "2030-02-30=closed", code: 2,
            pipe: "`2030-02-30` is not a date. There is no such day in the calendar."),
        CommandCase(
            "grant", "Cleaner", "--label", "Cellar", "--from", "now", "--until", "+1h", "--days", "mon", "--hours",
            "tue 09:00-12:00", code: 2, pipe: "--days cannot be combined with --hours that name days"),
        CommandCase(
            "grant", "Cleaner", "--label", "Cellar", "--from", "now", "--until", "+1h", "--days", "MON,FOO", code: 2,
            pipe: "`FOO` is not a day. The days are MON, TUE, WED, THU, FRI, SAT, SUN."),
        CommandCase(
            "grant", "Cleaner", "--label", "Cellar", "--from", "now", "--until", "+1h", "--hours", "9-17", code: 2,
            pipe: "`9-17` is not a period. Give its start and end, as in 09:00-17:00."),
        CommandCase(
            "grant", "Cleaner", "--label", "Cellar", "--from", "now", "--until", "+1h", "--zone", "Mars", code: 2,
            pipe: "`Mars` is not a time zone. Use an IANA name, as in Europe/Berlin."),
        CommandCase(
            "change", "{changed}", "--from", "now", "--until", "2030-12-24 15:00", "--zone", "Europe/Rome", "--days", "TUE",
            "--hours", "08:00-10:00", "--max-uses", "2", "--lock", "Cellar", "--label", "Gardener in a {how}",
            pipe:
                "until\t2031-01-01T00:00:00.000Z\t2030-12-24T14:00:00.000Z\nhours\t-\tTue 08:00-10:00 Europe/Rome\nuses\t-\t2/2\n",
            terminal: "         now Tue 2030-12-24 15:00 Europe/Rome (2030-12-24T14:00:00.000Z)\n"),
        CommandCase(
            "change", "Gardener in a {how}", "--special", "2030-12-24=closed",
            pipe: "hours\tTue 08:00-10:00 Europe/Rome\tTue 08:00-10:00; 2030-12-24 closed Europe/Rome\n",
            terminal: "  hours  Tue 08:00-10:00 Europe/Rome\n         now Tue 08:00-10:00; 2030-12-24 closed Europe/Rome\n"),
        CommandCase(
            "change", "Gardener in a {how}", "--no-special", "--hours", "mon 08:00-10:00", "--hours", "tue-wed 09:00-10:00",
            pipe: "hours\tTue 08:00-10:00; 2030-12-24 closed Europe/Rome\tMon 08:00-10:00; Tue, Wed 09:00-10:00 Europe/Rome\n",
            terminal: "now Mon 08:00-10:00; Tue, Wed 09:00-10:00 Europe/Rome\n"),
        CommandCase(
            "change", "Gardener in a {how}", "--days", "fri", code: 2,
            pipe: "Give --days and --hours, or --hours with days, which then replace all of them."),
        CommandCase(
            "change", "Gardener in a {how}", "--any-hours", "--any-uses", "--operations", "unlock", "--json",
            pipe: #""maxUses":null"#),
        CommandCase(
            "change", "Gardener", "--zone", "Europe/Rome", code: 2,
            pipe: "Name the times or hours that are in that zone, as in --until \"tomorrow 18:00\"."),
        CommandCase(
            "change", "Gardener", code: 2, pipe: "Name something to change, as in --until \"tomorrow 18:00\"."),
        CommandCase("grants", "--wide", pipe: "\tactive\t{access}\n", terminal: "{access}"),
        CommandCase("grants", pipe: "Plumber in a pipe\t", terminal: "Plumber in a terminal  "),
        CommandCase("grants", "Cellar", "--json", pipe: #"{"guestAccesses":["#),
        CommandCase("link", "create", "{linked}", pipe: "{server}/g/", terminal: "It is not shown again."),
        CommandCase("link", "create", "{linked}", "--json", pipe: #"{"link":{""#),
        CommandCase("link", "end", "{linked}", pipe: "{linked}\tlink ended\n", terminal: "Ended the link of {linked}."),
        CommandCase("revoke", "{access}", pipe: "{access}\trevoked\n", terminal: "Revoked {access}."),
    ]

    private static let rights = [
        CommandCase("can", "me", "unlock", "Front door", pipe: "You may unlock Front door: as owner\n"),
        CommandCase("can", "Olga Example", "view-access-history", "{door}", "--json", pipe: #"{"decision":{"allowed":true,"#),
        CommandCase(
            "can", "{stranger}", "UNLOCK", "Front door", code: 1,
            pipe: "{stranger} may not unlock Front door: no role or guest access for this lock; needs a role or a guest access",
            isAnswer: true),
        CommandCase(
            "can", "me", "lock", "Front door", "--at", "+2h", pipe: ": as owner (if the rights do not change until then)\n"),
        CommandCase(
            "can", "me", "lock", "Front door", "--at", "2020-01-01T00:00:00Z", code: 1, pipe: "--at is in the past"),
        CommandCase(
            "who-can", "unlock", "Front door", pipe: "Olga Example\tuser\towner\t-\t", terminal: "WHO  "),
        CommandCase("who-can", "lock", "{door}", "--at", "+1h", "--wide", pipe: "Olga Example\tuser\t", terminal: "WHO  "),
        CommandCase("who-can", "view-status", "Front door", "--json", pipe: #"{"entries":["#),
    ]

    private static let log = [
        CommandCase(
            "log",
            pipe: "\tOlga Example\tunlock\tFront door\tallowed as owner (reason: the post)\tQuay 1 / 1a\n",
            terminal: "TIME  "),
        CommandCase(
            "log", "Front door", "--user", "owner@doors.example", "--since", "-1h", "--limit", "2",
            pipe: "\tOlga Example\tlock\tFront door\tconfirmed\tQuay 1 / 1a\n",
            terminal: "  Olga Example  lock  Front door  confirmed"),
        CommandCase("log", "--wide", "--limit", "500", pipe: "\tcreate property\t-\tQuay 1\tQuay 1\n", terminal: "  Quay 1 / 1a"),
        CommandCase("log", "--denied", pipe: "\tdenied: ", terminal: "  denied: "),
        CommandCase("log", "{door}", "--json", pipe: #"{"accessRecords":["#),
        CommandCase("log", "Cellar", "--follow", pipe: "\tCellar\t", terminal: "  Cellar  ", isEndless: true),
        CommandCase("log", "Cellar", "--follow", "--json", pipe: #""deviceName":"Cellar""#, isEndless: true),
    ]

    private static let settingUp = [
        CommandCase(
            "attach", "Back door {how}", "--adapter", "simulator", "--property", "Quay 1", "--unit", "1a", "--address",
            "latencyMs=5",
            "batteryLevel=80", pipe: "Back door pipe\t", terminal: "Attached Back door terminal, id "),
        CommandCase(
            "attach", "Gate {how}", "--adapter", "simulator", "--property", "Quay 1", "--json", pipe: #""name":"Gate {how}""#),
        CommandCase(
            "attach", "Nuki", "--adapter", "simulator", "--profile", "nuki", "--property", "Quay 1", code: 1,
            pipe: "  --profile is not known here"),
        CommandCase("discovered", pipe: "", terminal: "Nothing was found that you could attach"),
        CommandCase("discovered", "--wide", pipe: "", terminal: "Nothing was found that you could attach"),
        CommandCase("discovered", "--json", pipe: #"{"discoveredDevices":[],"pagination":{"#),
        CommandCase(
            "attach", "Found", "--discovered", "home:homie:x", "--property", "Quay 1", code: 1,
            pipe:
                "doorward: There is no discovered lock named `home:homie:x`. `doorward discovered` lists the locks that can be attached."
        ),
        CommandCase(
            "adapters", by: .admin, pipe: "mqtt\t-\tok\t0\t0\t-\nsimulator\t-\tok\t", terminal: "ADAPTER    BROKER  HEALTH  "),
        CommandCase(
            "adapters", "simulator", by: .admin, pipe: "latencyMs\tinteger 0…",
            terminal: "latencyMs\n  integer 0…60000; default 200\n  Milliseconds from a command "),
        CommandCase("adapters", "--json", by: .admin, pipe: #"{"adapters":[{"kind":"mqtt""#),
        CommandCase("simulate", "Cellar", "door-open", pipe: "Cellar\tlocked\n", terminal: "Cellar is locked."),
        CommandCase("simulate", "Cellar", "low_battery", "--json", pipe: #""batteryLow":true"#),
        CommandCase(
            "notes", "Cellar", "Key box {how}", pipe: "Cellar\tKey box {how}\n", terminal: "Noted about Cellar: Key box {how}"),
        CommandCase("notes", "Cellar", "--clear", "--json", pipe: #""notes":null"#),
        CommandCase("detach", "Away {how}", "--yes", pipe: "Away pipe\tdetached\n", terminal: "\n  its history: doorward log "),
    ]

    private static let profiles = [
        CommandCase("profile", "list", by: .nobody, pipe: "nuki-native\tid\t", terminal: "NAME  "),
        CommandCase("profile", "list", "--wide", by: .nobody, pipe: "nuki-native\tid\t", terminal: "nuki-native"),
        CommandCase("profile", "list", "--json", by: .nobody, pipe: #"{"profiles":[{"id":"esphome""#),
        CommandCase("profile", "show", "nuki-native", by: .nobody, pipe: "profile: nuki-native\n"),
        CommandCase("profile", "show", "zigbee2mqtt", "--json", by: .nobody, pipe: #"{"profile":{"id":"zigbee2mqtt""#),
        CommandCase(
            "profile", "decode", "nuki-native", "--address", "id=398172F4", "--topic", "nuki/398172F4/state", "--payload", "254",
            "--prev", "locking", "--in-flight", "lock", by: .nobody,
            pipe:
                #"{"reports":[{"state":"jammed","quality":"confirmed"}],"events":[],"command":{"state":"rejected","reason":"jammed"}"#
        ),
        CommandCase(
            "profile", "decode", "nuki-native", "--address", "id=398172F4", "--topic", "nuki/398172F4/state", "--payload-file",
            "{folder}/locked", "--retained", "--json", by: .nobody,
            pipe:
                #"{"reports":[{"state":"locked","quality":"retained"}],"events":[],"command":null,"diagnostics":[],"publish":[]}"#
        ),
        CommandCase(
            "profile", "decode", "nuki-native", "{folder}/heard", "--address", "id=398172F4", by: .nobody,
            pipe: #"{"topic":"nuki/398172F4/lockAction","reports":[],"events":[],"command":null,"diagnostics":[],"publish":[]}"#
                + "\n" + #"{"topic":"nuki/398172F4/commandResponse","reports":[],"events":[],"command":{"state":"rejected","#),
        CommandCase(
            "profile", "decode", "nuki-native", "-", "--address", "id=398172F4", "--topic", "a", by: .nobody, code: 2,
            pipe: "leave --topic and --payload out"),
        CommandCase(
            "profile", "decode", "nuki-native", "{folder}/code", "--address", "id=398172F4", by: .nobody, code: 1,
            pipe: "line 1 is not a message in the format of `mosquitto_sub`"),
        CommandCase(
            "profile", "encode", "zigbee2mqtt", "--address", "name=front", "UNLOCK", "--json", by: .nobody,
            pipe: #"{"topic":"zigbee2mqtt/front/set","payload":"{\"state\":\"UNLOCK\"}","qos":0,"retain":false}"#),
        CommandCase(
            "profile", "encode", "zigbee2mqtt", "--address", "name=front", "unlock", "--code-file", "{folder}/code", by: .nobody,
            pipe: #"\"code\":\"0042\""#),
        CommandCase(
            "profile", "encode", "zigbee2mqtt", "--address", "name=front", "open", by: .nobody, code: 1,
            pipe: "doorward: a lock of this profile and address cannot do that; "),
        CommandCase("profile", "check", "{folder}/good.yaml", by: .nobody, pipe: "good.yaml: no mistakes"),
        CommandCase("profile", "check", "{folder}/good.yaml", "--json", by: .nobody, pipe: #""mistakes":[]}"#),
        CommandCase("profile", "check", "{folder}/bad.yaml", by: .nobody, code: 1, pipe: "bad.yaml:2: "),
        CommandCase("profile", "show", "nuki", by: .nobody, code: 2, pipe: "doorward: There is no profile named `nuki`. "),
    ]

    private static let host = [
        CommandCase(
            "demo", "--folder", "{folder}/demo-{how}", "--seed", "7", "--port", "0", "--speed", "120", by: .nobody,
            pipe: "listening on http://127.0.0.1:", terminal: "doorward login --server http://127.0.0.1:", isEndless: true),
        CommandCase(
            "demo", "--scenario", "{folder}/house.yaml", "--port", "0", by: .nobody,
            pipe: "Scenario: house.yaml. 1 flat, 1 simulated lock.", terminal: "Flat 9", isEndless: true),
        CommandCase(
            "demo", "--scenario", "{folder}/good.yaml", by: .nobody, code: 1, pipe: "`state` is not a key of a scenario"),
        CommandCase(
            "admin", "create", "--email", "ada@doors.example", "--first-name", "Ada", "--last-name", "Ames", "--password-stdin",
            "--config", "{config}", "--store-path", "{folder}/{how}.db", by: .nobody, input: password,
            pipe: "ada@doors.example is now a super admin in {folder}/{how}.db"),
        CommandCase(
            "serve", "--config", "{config}", "--store-path", "{folder}/{how}.db", "--http-host", "127.0.0.1", "--http-port", "0",
            "--log-level", "debug", "--log-format", "json", by: .nobody, pipe: "listening on http://127.0.0.1:", isEndless: true),
        CommandCase(
            "store", "check", "--store-path", "{folder}/{how}.db", by: .nobody, pipe: "gateway\t3\twhole\n",
            terminal: "{folder}/terminal.db is whole: 3 records"),
        CommandCase(
            "store", "check", "--config", "{config}", "--store-path", "{folder}/{how}.db", "--json", by: .nobody,
            pipe: #""isWhole":true"#),
        CommandCase(
            "store", "recover", "--accept-rollback", "--config", "{config}", "--store-path", "{folder}/{how}.db", by: .nobody,
            pipe: "Nothing was lost: "),
        CommandCase(
            "store", "recover", "--accept-rollback", "--store-path", "{folder}/{how}.db", "--json", by: .nobody,
            pipe: #"{"generations":[]}"#),
        CommandCase(
            "store", "recover", "--store-path", "{folder}/{how}.db", by: .nobody, code: 2, pipe: "--accept-rollback"),
        CommandCase(
            "admin", "recover", "--email", "ada@doors.example", "--config", "{config}", "--store-path", "{folder}/{how}.db",
            by: .nobody, pipe: "https://doors.example/reset-password#token="),
        CommandCase(
            "admin", "recover", "--email", "ada@doors.example", "--config", "{config}", "--store-path", "{folder}/{how}.db",
            "--json",
            by: .nobody, pipe: #"{"reset":{"#),
        CommandCase(
            "config", "check", "--config", "{config}", by: .nobody, pipe: "{config}: ok\nlistens on\thttp://127.0.0.1:8080\n",
            terminal: "{config}: ok"),
        CommandCase(
            "config", "check", "--config", "{config}", "--json", by: .nobody, pipe: #"{"configuration":{"address":"http://"#),
        CommandCase(
            "ready", "--config", "{config}", by: .nobody, environment: ["DOORWARD_HTTP_PORT": "1"], code: 3,
            pipe: "http://127.0.0.1:1"),
        CommandCase(
            "config", "check", "--config", "{folder}/bad.yaml", by: .nobody, code: 1,
            pipe: "bad.yaml, line 1: `profile` is not a key of the configuration"),
        CommandCase(
            "store", "backup", "{folder}/{how}-copy.db", by: .admin, pipe: "{folder}/pipe-copy.db\t",
            terminal: "Wrote {folder}/terminal-copy.db on the gateway's host: "),
        CommandCase("store", "backup", "{folder}/{how}-json.db", "--json", by: .admin, pipe: #"{"backup":{"#),
        CommandCase("clock", "status", by: .admin, pipe: "clock\ttrusted\ntime\t", terminal: "trusted"),
        CommandCase("clock", "status", "--json", by: .admin, pipe: #"{"clock":{"#),
        CommandCase("clock", "accept", by: .admin, pipe: "clock\ttrusted\n", terminal: "trusted"),
        CommandCase("clock", "accept", "--lower-mark", "--json", by: .admin, pipe: #"{"clock":{"#),
    ]

    private static let mistakes = [
        CommandCase("status", "TWIN", code: 1, pipe: "doorward: More than one lock is named `TWIN`. Use the id of one of them:"),
        CommandCase(
            "unlock", "Garage", code: 1,
            pipe: "doorward: There is no lock named `Garage`. `doorward locks` lists the locks that you may see."),
        CommandCase("adapters", pipe: "simulator\t-\tok\t", terminal: "ADAPTER    BROKER  HEALTH  "),
        CommandCase("adapters", "simulador", by: .admin, code: 1, pipe: "`simulador`; did you mean `simulator`?"),
        CommandCase("locks", by: .nobody, code: 1, pipe: "doorward: not signed in; run `doorward login"),
        CommandCase("store", "backup", "{folder}/other.db", code: 1, pipe: "doorward: "),
        CommandCase("clock", "accept", code: 1, pipe: "  only a super admin may"),
        CommandCase(
            "unlock", "Front dor", code: 1, pipe: "doorward: There is no lock named `Front dor`. Did you mean `Front door`?"),
        CommandCase("unlok", "Front door", code: 2, pipe: "Error: There is no command `unlok`. Did you mean `unlock`?"),
        CommandCase("store", "chek", code: 2, pipe: "Error: There is no command `store chek`. Did you mean `store check`?"),
        CommandCase("help", "unlok", code: 2, pipe: "Error: There is no command `unlok`. Did you mean `unlock`?"),
        CommandCase(
            "locks", "--propertty", "Quay 1", code: 2, pipe: "Error: There is no option `--propertty`. Did you mean `--property`?"
        ),
        CommandCase("unlock", code: 2, pipe: "Usage: doorward unlock <lock>"),
        CommandCase("log", "--limit", "0", code: 2, pipe: "--limit takes a number of at least 1."),
        CommandCase("locks", environment: nowhere, code: 3, pipe: "doorward: no connection to http://127.0.0.1:1: "),
        CommandCase("unlock", "{door}", environment: nowhere, code: 3, pipe: "doorward: no connection to http://127.0.0.1:1: "),
    ]
}
