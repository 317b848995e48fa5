internal import HTTPTypes
internal import Hummingbird

/// All routes of the gateway. Each path is registered with the router once; its endpoint selects the method.
enum RouteTable {
    static let routes: [Route] =
        HealthRoutes.all + MetricsRoutes.all + SignInRoutes.all + UserRoutes.all + PermissionRoutes.all + PlaceRoutes.all
        + RoleRoutes.all + DeviceRoutes.all + DiscoveredRoutes.all + LockCommandRoutes.all
        + CommandRoutes.all + GuestAccessRoutes.all + AccessRecordRoutes.all + AdapterRoutes.all + StoreRoutes.all
        + SimulatorRoutes.all

    /// The methods that are passed to endpoints. Any other method gets the response for a method that no path supports.
    static let commonMethods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]

    static func responder(_ services: Services, routes: [Route] = routes) -> GatewayResponder {
        let router = Router(context: GatewayContext.self)
        for (path, ofPath) in Dictionary(grouping: routes, by: \.path) {
            let endpoint = Endpoint(services: services, routes: ofPath)
            for method in commonMethods {
                router.on(RouterPath(path), method: method) { request, context in
                    await endpoint.respond(to: request, context: context)
                }
            }
        }
        // A middleware wraps only the routes that are added after it. No route follows, so it handles only unknown paths.
        let unknownLog = RequestLog(services, method: "other", route: "unknown")
        router.add(middleware: UnknownPath(unknownLog))
        return GatewayResponder(router: router.buildResponder(), services: services, unknownLog: unknownLog)
    }
}
