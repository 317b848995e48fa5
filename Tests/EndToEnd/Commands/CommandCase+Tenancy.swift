extension CommandCase {
    private static let password = RunningGateway.password + "\n"
    private static let expired = ["DOORWARD_SERVER": "{server}", "DOORWARD_TOKEN": "expired"]

    /// The commands for places, people and rights.
    static let tenancy = portfolios + properties + units + users + roles + keys + subscriptions + lockdowns + tenancyMistakes

    private static let portfolios = [
        CommandCase("portfolio", "list", pipe: "Harbour\t", terminal: "NAME  "),
        CommandCase("portfolio", "list", "--wide", pipe: "Harbour\t", terminal: "Harbour  "),
        CommandCase("portfolio", "list", "--json", pipe: #"{"portfolios":[{"#),
        CommandCase("portfolio", "show", "harbour", pipe: "name\tHarbour\nproperties\t", terminal: "name        Harbour\n"),
        CommandCase("portfolio", "show", "Harbour", "--json", pipe: #"{"portfolio":{"#),
        CommandCase(
            "user", "create", "gina-{how}@doors.example", "--first-name", "Gina", "--last-name", "Guarantor", "--password-stdin",
            by: .admin, input: password, pipe: "gina-pipe@doors.example\t",
            terminal: "Created user gina-terminal@doors.example, id "),
        CommandCase(
            "portfolio", "create", "Hills {how}", "--owner", "gina-{how}@doors.example", by: .admin, pipe: "Hills pipe\t",
            terminal: "Created portfolio Hills terminal, id "),
        CommandCase("portfolio", "create", "Hills", "--json", by: .admin, pipe: #"{"portfolio":{"#),
        CommandCase(
            "portfolio", "rename", "old portfolio {how}", "New portfolio {how}", by: .keeper, pipe: "New portfolio pipe\t",
            terminal: "Renamed Old portfolio terminal to New portfolio terminal."),
        CommandCase(
            "portfolio", "rename", "Older portfolio {how}", "Newer portfolio {how}", "--json", by: .keeper,
            pipe: #""name":"Newer portfolio pipe""#, terminal: #""name":"Newer portfolio terminal""#),
        CommandCase(
            "portfolio", "delete", "gone portfolio {how}", "--cascade", "--yes", by: .keeper,
            pipe: "Gone portfolio pipe\tdeleted\n", terminal: "Deleted portfolio Gone portfolio terminal.\n"),
    ]

    private static let properties = [
        CommandCase(
            "property", "list", "--portfolio", "harbour", pipe: "Quay 1\tHarbour\t", terminal: "NAME  "),
        CommandCase("property", "list", "--wide", pipe: "Quay 1\t", terminal: "Quay 1  "),
        CommandCase("property", "list", "--json", pipe: #"{"properties":[{"#),
        CommandCase(
            "property", "show", "quay 1", pipe: "name\tQuay 1\nportfolio\tHarbour\n", terminal: "portfolio  Harbour\n"),
        CommandCase("property", "show", "Quay 1", "--json", pipe: #"{"property":{"#),
        CommandCase(
            "property", "create", "Pier {how}", "--portfolio", "Harbour", "--time-zone", "Europe/Rome", pipe: "Pier pipe\t",
            terminal: "Created property Pier terminal, id "),
        CommandCase("property", "create", "Mole", "--portfolio", "Harbour", "--json", pipe: #"{"property":{"#),
        CommandCase(
            "property", "create", "Mole", "--portfolio", "Harbour", "--time-zone", "Hamburg", code: 1,
            pipe: "  --time-zone: `Hamburg` is not a time zone; one is Europe/Berlin"),
        CommandCase(
            "property", "rename", "old property {how}", "New property {how}", by: .keeper, pipe: "New property pipe\t",
            terminal: "Renamed Old property terminal to New property terminal."),
        CommandCase(
            "property", "rename", "Older property {how}", "Newer property {how}", "--json", by: .keeper,
            pipe: #""name":"Newer property pipe""#, terminal: #""name":"Newer property terminal""#),
        CommandCase(
            "property", "delete", "gone property {how}", "--cascade", "--yes", by: .keeper,
            pipe: "Gone property pipe\tdeleted\n", terminal: "Deleted property Gone property terminal.\n"),
        CommandCase(
            "property", "delete", "full", "--yes", by: .keeper, code: 1,
            pipe:
                "doorward: Full contains 2 locks, 1 unit; nothing was deleted.\n  to delete it with what it contains: --cascade"
        ),
    ]

    private static let units = [
        CommandCase("unit", "list", "--property", "Quay 1", pipe: "1a\tQuay 1\t", terminal: "NAME  "),
        CommandCase("unit", "list", "--wide", pipe: "1a\tQuay 1\t", terminal: "1a "),
        CommandCase("unit", "list", "--json", pipe: #"{"units":[{"#),
        CommandCase("unit", "show", "quay 1 / 1A", pipe: "name\t1a\nproperty\tQuay 1\n", terminal: "property      Quay 1\n"),
        CommandCase("unit", "show", "1a", "--json", pipe: #"{"unit":{"#),
        CommandCase(
            "unit", "create", "Loft {how}", "--property", "Quay 1", pipe: "Loft pipe\t",
            terminal: "Created unit Loft terminal, id "),
        CommandCase("unit", "create", "Attic", "--property", "Quay 1", "--json", pipe: #"{"unit":{"#),
        CommandCase(
            "unit", "rename", "old unit {how}", "New unit {how}", by: .keeper, pipe: "New unit pipe\t",
            terminal: "Renamed Old unit terminal to New unit terminal."),
        CommandCase(
            "unit", "rename", "Older unit {how}", "Newer unit {how}", "--json", by: .keeper,
            pipe: #""name":"Newer unit pipe""#, terminal: #""name":"Newer unit terminal""#),
        CommandCase(
            "unit", "delete", "Shed / Gone unit {how}", "--cascade", "--yes", by: .keeper,
            pipe: "Shed / Gone unit pipe\tdeleted\n", terminal: "Deleted unit Shed / Gone unit terminal.\n"),
    ]

    private static let users = [
        CommandCase("user", "list", pipe: "Olga Example\towner@doors.example\towner of Harbour\tenabled\t", terminal: "NAME  "),
        CommandCase("user", "list", "--wide", by: .admin, pipe: "\tsuper admin\tenabled\t", terminal: "super admin"),
        CommandCase("user", "list", "--json", pipe: #"{"users":[{"#),
        CommandCase(
            "user", "show", "owner@doors.example",
            pipe: "name\tOlga Example\nemail\towner@doors.example\nroles\towner of Harbour\n",
            terminal: "roles    owner of Harbour\n"),
        CommandCase("user", "show", "me", "--json", pipe: #""email":"owner@doors.example""#),
        CommandCase(
            "user", "create", "tom-{how}@doors.example", "--first-name", "Tom", "--last-name", "Example", by: .admin,
            pipe: "{server}/invitation#token=", terminal: "  {server}/invitation#token="),
        CommandCase(
            "user", "create", "tim-{how}@doors.example", "--first-name", "Tim", "--last-name", "Example", "--json", by: .admin,
            pipe: #""invitation":{"#),
        CommandCase(
            "user", "create", "owner@doors.example", "--first-name", "Olga", "--last-name", "Again", "--password-stdin",
            by: .admin, input: password, code: 1,
            pipe: "doorward: owner@doors.example: a user with this address exists already; nothing was created"),
        CommandCase(
            "user", "rename", "me", "--first-name", "Olga", "--last-name", "Example", pipe: "Olga Example\t",
            terminal: "Renamed me to Olga Example."),
        CommandCase("user", "rename", "me", "--first-name", "Olga", "--json", pipe: #"{"user":{"#),
        CommandCase(
            "user", "delete", "gone-{how}@doors.example", "--yes", by: .admin, pipe: "gone-pipe@doors.example\tdeleted\n",
            terminal: "Deleted user gone-terminal@doors.example.\n"),
    ]

    private static let roles = [
        CommandCase("role", "list", "Harbour", pipe: "Olga Example\towner@doors.example\towner\t", terminal: "NAME  "),
        CommandCase("role", "list", "Harbour", "--wide", pipe: "\towner\t", terminal: "  owner  "),
        CommandCase("role", "list", "Quay 1 / 1a", "--json", pipe: #"{"users":["#),
        CommandCase(
            "role", "add", "gina-{how}@doors.example", "AUDITOR", "Hills {how}", by: .admin,
            pipe: "gina-pipe@doors.example\tauditor\tHills pipe\n",
            terminal: "gina-terminal@doors.example is auditor of Hills terminal.\n"),
        CommandCase(
            "role", "add", "gina-{how}@doors.example", "portfolio-admin", "Hills {how}", "--json", by: .admin,
            pipe: #""roleWithinEntity":"PORTFOLIO_ADMIN""#),
        CommandCase(
            "role", "remove", "gina-{how}@doors.example", "Hills {how}", "--yes", by: .admin,
            pipe: "gina-pipe@doors.example\tremoved\n",
            terminal: "Removed the roles of gina-terminal@doors.example on Hills terminal.\n"),
        CommandCase(
            "invite", "tess@doors.example", "tenant", "S1", by: .keeper, pipe: "{server}/invitation#token=",
            terminal: "tess@doors.example can become tenant of S1, once and until 2"),
        CommandCase("invite", "tess@doors.example", "TENANT", "S1", "--json", by: .keeper, pipe: #"{"invitation":{"#),
    ]

    private static let keys = [
        CommandCase("key", "list", by: .keeper, pipe: "Display\tauditor\tShed\t", terminal: "NAME  "),
        CommandCase("key", "list", "--wide", by: .keeper, pipe: "Display\t", terminal: "Display  "),
        CommandCase("key", "list", "--json", by: .keeper, pipe: #"{"apiKeys":[{"#),
        CommandCase(
            "key", "create", "Panel {how}", "auditor", "Shed", "--expires", "+30d", by: .keeper, pipe: "\tdw_",
            terminal: "\n  dw_"),
        CommandCase("key", "create", "Panel", "auditor", "Shed", "--json", by: .keeper, pipe: #""secret":"dw_"#),
        CommandCase(
            "key", "delete", "gone key {how}", "--yes", by: .keeper, pipe: "Gone key pipe\tdeleted\n",
            terminal: "Deleted API key Gone key terminal.\n"),
        CommandCase(
            "session", "list", by: .keeper, pipe: "\tyes\t", terminal: "SIGNED IN  "),
        CommandCase("session", "list", "--wide", by: .keeper, pipe: "\tyes\t", terminal: "  yes  "),
        CommandCase("session", "list", "--json", by: .keeper, pipe: #"{"sessions":[{"#),
        CommandCase(
            "session", "end", "{session}", by: .keeper, pipe: "{session}\tended\n", terminal: "Ended session {session}.\n"),
    ]

    private static let subscriptions = [
        CommandCase(
            "subscription", "show", "Yard", by: .keeper, pipe: "tier\t", terminal: "tier "),
        CommandCase("subscription", "show", "Yard", "--json", by: .keeper, pipe: #"{"subscription":{"#),
        CommandCase(
            "subscription", "set", "Yard", "--tier", "silver", "--module", "guestAccess=on", "--limit", "maxUnits=50",
            by: .admin, pipe: "tier\tsilver\n", terminal: " of 50\n"),
        CommandCase(
            "subscription", "set", "Yard", "--limit", "maxUnits=none", "--json", by: .admin, pipe: #"{"subscription":{"#),
    ]

    private static let lockdowns = [
        CommandCase(
            "lockdown", "bolted {how}", "--reason", "a drill", "--wide", by: .keeper, pipe: "Bolt pipe\tlocked\t",
            terminal: "Bolted terminal is in lockdown. To end it: doorward lift "),
        CommandCase("lockdown", "Bolted {how}", "--json", by: .keeper, pipe: #""results":["#),
        CommandCase(
            "lift", "bolted {how}", by: .keeper, pipe: "Bolted pipe\tlifted\n",
            terminal: "The lockdown of Bolted terminal has ended. No lock has moved.\n"),
        CommandCase("lift", "Bolted {how}", "--json", by: .keeper, pipe: #"{"property":{"#),
    ]

    private static let tenancyMistakes = [
        CommandCase(
            "property", "show", "Quay", code: 1, pipe: "doorward: There is no property named `Quay`. Did you mean `Quay 1`?"),
        CommandCase(
            "portfolio", "show", "Nothing", code: 1,
            pipe:
                "doorward: There is no portfolio named `Nothing`. `doorward portfolio list` lists the portfolios that you may see."
        ),
        CommandCase(
            "role", "list", "Nothing", code: 1,
            pipe: "doorward: There is no portfolio, property or unit named `Nothing`. `doorward portfolio list`, "),
        CommandCase(
            "role", "add", "nobody@doors.example", "tenant", "1a", code: 1,
            pipe: "  to invite this address: doorward invite nobody@doors.example tenant 1a"),
        CommandCase(
            "role", "add", "me", "tenent", "1a", code: 2, pipe: "There is no role named `tenent`. Did you mean `tenant`?"),
        CommandCase("portfolio", "create", "Mine", code: 1, pipe: "  only a super admin may"),
        CommandCase("portfolio", "lst", code: 2, pipe: "There is no command `portfolio lst`. Did you mean `portfolio list`?"),
        CommandCase("user", "rename", "me", code: 2, pipe: "Give --first-name, --last-name or both."),
        CommandCase("unit", "list", by: .nobody, code: 1, pipe: "doorward: not signed in; run `doorward login"),
        CommandCase("portfolio", "list", environment: expired, code: 1, pipe: "doorward: "),
        CommandCase(
            "property", "delete", "Quay 1", "--yes", environment: nowhere, code: 3,
            pipe: "doorward: no connection to http://127.0.0.1:1: "),
        CommandCase("lockdown", "Quay 1", environment: nowhere, code: 3, pipe: "doorward: no connection to http://127.0.0.1:1: "),
    ]
}
