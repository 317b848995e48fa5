extension CommandCase {
    private static let password = RunningGateway.password + "\n"
    private static let expired = ["DOORWARD_SERVER": "{server}", "DOORWARD_TOKEN": "expired"]
    private static let nowhere = ["DOORWARD_SERVER": "http://127.0.0.1:1", "DOORWARD_TOKEN": "t"]

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
            "portfolio", "rename", "harbour", "Hills", by: .contract, pipe: "Hills\t\(ContractGateway.portfolioID)\n",
            terminal: "Renamed Harbour to Hills."),
        CommandCase("portfolio", "rename", "Harbour", "Hills", "--json", by: .contract, pipe: #"{"portfolio":{"#),
        CommandCase(
            "portfolio", "delete", "harbour", "--cascade", "--yes", by: .contract, pipe: "Harbour\tdeleted\n",
            terminal: "Deleted portfolio Harbour.\n"),
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
            "property", "rename", "quay 1", "Quay 2", by: .contract, pipe: "Quay 2\t\(ContractGateway.propertyID)\n",
            terminal: "Renamed Quay 1 to Quay 2."),
        CommandCase("property", "rename", "quay 1", "Quay 2", "--json", by: .contract, pipe: #"{"property":{"#),
        CommandCase(
            "property", "delete", "quay 1", "--cascade", "--yes", by: .contract, pipe: "Quay 1\tdeleted\n",
            terminal: "Deleted property Quay 1.\n"),
        CommandCase(
            "property", "delete", "quay 1", "--yes", by: .contract, code: 1,
            pipe:
                "doorward: Quay 1 contains 2 locks, 1 unit; nothing was deleted.\n  to delete it with what it contains: --cascade"
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
            "unit", "rename", "1A", "1B", by: .contract, pipe: "1B\t\(ContractGateway.unitID)\n", terminal: "Renamed 1A to 1B."),
        CommandCase("unit", "rename", "1A", "1B", "--json", by: .contract, pipe: #"{"unit":{"#),
        CommandCase(
            "unit", "delete", "Quay 1 / 1A", "--cascade", "--yes", by: .contract, pipe: "Quay 1 / 1A\tdeleted\n",
            terminal: "Deleted unit Quay 1 / 1A.\n"),
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
            "user", "create", "tom@doors.example", "--first-name", "Tom", "--last-name", "Example", by: .contract,
            pipe: "https://doors.example/invitation#token=k\t2030-01-01T00:00:00.000Z\n",
            terminal: "  https://doors.example/invitation#token=k\n"),
        CommandCase(
            "user", "create", "tom@doors.example", "--first-name", "Tom", "--last-name", "Example", "--json", by: .contract,
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
            "user", "delete", "tom@doors.example", "--yes", by: .contract, pipe: "tom@doors.example\tdeleted\n",
            terminal: "Deleted user tom@doors.example.\n"),
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
            "invite", "tom@doors.example", "tenant", "1A", by: .contract,
            pipe: "https://doors.example/invitation#token=k\t2030-01-01T00:00:00.000Z\n",
            terminal: "tom@doors.example can become tenant of 1A, once and until 2030-01-01 01:00:00, with this link:\n"),
        CommandCase("invite", "tom@doors.example", "TENANT", "1A", "--json", by: .contract, pipe: #"{"invitation":{"#),
    ]

    private static let keys = [
        CommandCase("key", "list", by: .contract, pipe: "Display\tauditor\tQuay 1\t", terminal: "NAME  "),
        CommandCase("key", "list", "--wide", by: .contract, pipe: "Display\t", terminal: ContractGateway.keyID),
        CommandCase("key", "list", "--json", by: .contract, pipe: #"{"apiKeys":[{"#),
        CommandCase(
            "key", "create", "Display", "auditor", "Quay 1", "--expires", "+30d", by: .contract,
            pipe: "Display\t\(ContractGateway.keyID)\tdw_secret\n", terminal: "\n  dw_secret\n"),
        CommandCase(
            "key", "create", "Display", "auditor", "Quay 1", "--json", by: .contract, pipe: #""secret":"dw_secret""#),
        CommandCase(
            "key", "delete", "display", "--yes", by: .contract, pipe: "Display\tdeleted\n",
            terminal: "Deleted API key Display.\n"),
        CommandCase(
            "session", "list", by: .contract, pipe: "\tyes\t\(ContractGateway.sessionID)\n", terminal: "SIGNED IN  "),
        CommandCase("session", "list", "--wide", by: .contract, pipe: "\tyes\t", terminal: ContractGateway.sessionID),
        CommandCase("session", "list", "--json", by: .contract, pipe: #"{"sessions":[{"#),
        CommandCase(
            "session", "end", "01990000", by: .contract, pipe: "\(ContractGateway.sessionID)\tended\n",
            terminal: "Ended session \(ContractGateway.sessionID).\n"),
    ]

    private static let subscriptions = [
        CommandCase(
            "subscription", "show", "Harbour", by: .contract, pipe: "tier\tstandard\ncomplianceReport\toff\n",
            terminal: "maxUnits          1 of 5\n"),
        CommandCase("subscription", "show", "Harbour", "--json", by: .contract, pipe: #"{"subscription":{"#),
        CommandCase(
            "subscription", "set", "Harbour", "--tier", "standard", "--module", "guestAccess=on", "--limit", "maxUnits=5",
            by: .contract, pipe: "tier\tstandard\n", terminal: "tier              standard\n"),
        CommandCase(
            "subscription", "set", "Harbour", "--limit", "maxUnits=none", "--json", by: .contract, pipe: #"{"subscription":{"#),
    ]

    private static let lockdowns = [
        CommandCase(
            "lockdown", "quay 1", "--reason", "a drill", "--wide", by: .contract,
            pipe: "Front\tlocked\t\(ContractGateway.lockID)\n",
            terminal: "Quay 1 is in lockdown. To end it: doorward lift \(ContractGateway.propertyID)\n"),
        CommandCase("lockdown", "Quay 1", "--json", by: .contract, pipe: #""results":[{"#),
        CommandCase(
            "lift", "quay 1", by: .contract, pipe: "Quay 1\tlifted\n",
            terminal: "The lockdown of Quay 1 has ended. No lock has moved.\n"),
        CommandCase("lift", "Quay 1", "--json", by: .contract, pipe: #"{"property":{"#),
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
            pipe: "  to invite this address: doorward invite nobody@doors.example tenant '1a'"),
        CommandCase(
            "role", "add", "me", "tenent", "1a", code: 2, pipe: "There is no role named `tenent`. Did you mean `tenant`?"),
        CommandCase("portfolio", "create", "Mine", code: 1, pipe: "  only a super admin may"),
        CommandCase("portfolio", "lst", code: 2, pipe: "There is no command `portfolio lst`. Did you mean `portfolio list`?"),
        CommandCase("user", "rename", "me", code: 2, pipe: "Say --first-name, --last-name or both."),
        CommandCase("unit", "list", by: .nobody, code: 1, pipe: "doorward: nobody is signed in; run `doorward login"),
        CommandCase("portfolio", "list", environment: expired, code: 1, pipe: "doorward: "),
        CommandCase(
            "property", "delete", "Quay 1", "--yes", environment: nowhere, code: 3,
            pipe: "doorward: no connection to http://127.0.0.1:1: "),
        CommandCase("lockdown", "Quay 1", environment: nowhere, code: 3, pipe: "doorward: no connection to http://127.0.0.1:1: "),
    ]
}
