internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import HTTPTypes

/// The set-up of a gateway without a super admin. The token of the start line is in a header, so that it is in no URL and in no body.
///
/// The token is checked before the body is read: without a valid one, and on a gateway that has a super admin, every request gets the
/// same 401, whatever else it contains, or 429 while too many tokens were wrong.
enum SetupRoutes {
    /// The header of the token.
    static let tokenHeader = "X-Doorward-Setup-Token"

    static let all: [Route] = [
        route(
            .get, "Reads what a gateway without a super admin has, with the token of its start line.",
            .data([.object("setup", status)]), read),
        route(
            .put, "Makes the first super admin, and the first places and a simulated lock, with the token of the start line.",
            SignInRoutes.session(status: 201), complete),
    ]

    /// A route that is rejected before the body is read unless the token is valid.
    private static func route(
        _ method: HTTPRequest.Method, _ summary: String, _ answers: [DocumentedAnswer],
        _ handler: @escaping @Sendable (AnonymousRequest) async throws -> APIResponse
    ) -> Route {
        var description = RouteDescription(summary: summary, answers: answers)
        description.takesSetupToken = true
        var route = Route.open(method, "/api/v1/setup", described: description, handler)
        route.limit = { (control, _, metadata) throws(GatewayError) in
            try await control.setup.admit(token(of: metadata), origin: metadata.origin)
        }
        return route
    }

    private static let status: [ResponseField<(status: SetupStatus, settings: HTTPSettings)>] = [
        .init("gatewayName", \.settings.gatewayName), .init("publicUrl", \.settings.publicURL),
        .init("expiresAt", \.status.expiresAt),
        .init("adapters", .array(.text), \.status.adapters), .init("brokers", .array(.text), \.status.brokers),
        .init("userCount", .count, \.status.userCount), .init("portfolioCount", .count, \.status.portfolioCount),
        .init("deviceCount", .count, \.status.deviceCount),
    ]

    private static func read(_ request: AnonymousRequest) async throws -> APIResponse {
        try request.readNothing()
        let status = try await request.control.setup.status(token(of: request.metadata), origin: request.metadata.origin)
        return .success([.object("setup", Self.status)], of: (status, request.services.settings))
    }

    private static func complete(_ request: AnonymousRequest) async throws -> APIResponse {
        let new = try request.readBody { body in
            NewSetup(
                email: body.requiredEmail("email"), firstName: body.requiredText("firstName"),
                lastName: body.lastName("lastName"), password: body.requiredNewPassword("password"),
                portfolio: body.object("portfolio") { $0.requiredText("name") },
                property: body.object("property") { property in
                    NewProperty(
                        name: property.requiredText("name"), address: nil, defaultTimeZone: property.zone("defaultTimeZone").name,
                        managers: [])
                },
                unit: body.object("unit") { NewUnit(name: $0.requiredText("name"), tenants: [], devices: []) },
                attachesSimulatedLock: body.bool("simulatedLocks") ?? false)
        }
        let signedIn = try await request.control.setup.complete(
            token(of: request.metadata), new, origin: request.metadata.origin)
        return try await SignInRoutes.answer(signedIn, request, status: 201)
    }

    private static func token(of request: RequestMetadata) -> Secret<String>? {
        request.headers[.setupToken].map { Secret($0) }
    }
}

/// The form and the script of the page `/setup`, one of the pages of `AccountPageRoutes`.
enum SetupPageSources {
    static let form = """
        <form id="setup">
        <p>This gateway has no super admin yet. <span id="gateway"></span></p>
        <fieldset>
        <legend>You, the first super admin</legend>
        <label for="firstName">First name</label>
        <input id="firstName" name="firstName" autocomplete="given-name" required>
        <label for="lastName">Last name, if there is one</label>
        <input id="lastName" name="lastName" autocomplete="family-name">
        <label for="email">Email address</label>
        <input id="email" name="email" type="email" autocomplete="username" required>
        \(AccountPageSources.passwordFields)
        </fieldset>
        <fieldset>
        <legend>The first place</legend>
        <p class="hint">A portfolio has properties, and a property has units. You will be the owner of the portfolio. Names that stay empty
        can be added later.</p>
        <label for="portfolio">Portfolio</label>
        <input id="portfolio" name="portfolio" autocomplete="off" value="Home">
        <label for="property">Property, such as a house</label>
        <input id="property" name="property" autocomplete="off">
        <label for="zone">Time zone of the property</label>
        <input id="zone" name="zone" list="zones" autocomplete="off">
        <datalist id="zones"></datalist>
        <label for="unit">Unit, such as a flat</label>
        <input id="unit" name="unit" autocomplete="off">
        </fieldset>
        <fieldset>
        <legend>Locks</legend>
        <div class="choice"><input id="simulatedLocks" name="simulatedLocks" type="checkbox">
        <label for="simulatedLocks">Try with a simulated lock</label></div>
        <p class="hint" id="brokers">Real locks are reached through brokers. The configuration of the gateway names none; they are added in the
        configuration file, and not on this page.</p>
        </fieldset>
        <button>Set up the gateway</button>
        </form>
        """

    static let script = """

        const header = { '\(SetupRoutes.tokenHeader)': token };
        const over = 'This link is not valid any more. If you have just set it up, sign in. If nobody has set up this gateway, start it '
          + 'again: it shows a new link.';
        Object.assign(names, {
          email: 'The email address', portfolio: 'The portfolio', property: 'The property', 'portfolio.name': 'The portfolio',
          'property.name': 'The property', 'property.defaultTimeZone': 'The time zone', 'unit.name': 'The unit',
          simulatedLocks: 'The simulator'
        });
        Object.assign(problems, {
          unknown_zone: 'is not known to the gateway; write it like Europe/Berlin', bad_email: 'is not an email address'
        });
        const zones = Intl.supportedValuesOf ? Intl.supportedValuesOf('timeZone') : [];
        byId('zones').append(...zones.map((name) => new Option(name, name)));
        byId('zone').value = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
        async function look() {
          const { status, answer } = await send('GET', '/setup', undefined, header);
          if (status === 401) return finish(over, true);
          if (status !== 200) return say(explain(answer));
          const { gatewayName, publicUrl, adapters, brokers } = answer.data.setup;
          byId('gateway').textContent = 'Its name is ' + gatewayName + ', and '
            + (publicUrl ? 'its public address is ' + publicUrl : 'it has no public address')
            + '. Both are in the configuration (gateway.name and gateway.publicUrl), and cannot be changed on this page.';
          byId('simulatedLocks').disabled = !adapters.includes('simulator');
          if (brokers.length) byId('brokers').textContent = 'The configuration of the gateway names these brokers: ' + brokers.join(', ')
            + '. Their locks are attached in the console. Other brokers are added in the configuration file, and not on this page.';
        }
        if (token) look();
        onSubmit(byId('setup'), async (values) => {
          if (values.password !== values.repeated) return say('The two passwords differ.');
          const body = { email: values.email, firstName: values.firstName, lastName: values.lastName, password: values.password };
          const named = (name) => values[name].trim() ? { name: values[name] } : undefined;
          [body.portfolio, body.property, body.unit] = [named('portfolio'), named('property'), named('unit')];
          if (body.property && values.zone.trim()) body.property.defaultTimeZone = values.zone.trim();
          body.simulatedLocks = byId('simulatedLocks').checked;
          // The console's cookie is set, so that the console opens signed in.
          const { status, answer } = await send(
            'PUT', '/setup', body, { ...header, 'X-Doorward-Client': 'console' }, 'same-origin');
          if (status === 401) return finish(over, true);
          if (status !== 201) return say(explain(answer));
          finish('The gateway is set up.', true);
          location.assign('/');
        });

        """
}
