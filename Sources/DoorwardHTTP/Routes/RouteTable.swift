internal import HTTPTypes
internal import Hummingbird

/// Every call that the gateway takes. Each path is known to the router once; which methods it takes is its endpoint's.
enum RouteTable {
    static let routes: [Route] =
        HealthRoutes.all + MetricsRoutes.all + SignInRoutes.all + UserRoutes.all + PermissionRoutes.all + PlaceRoutes.all
        + RoleRoutes.all + DeviceRoutes.all + DiscoveredRoutes.all + UnlockRoute.all
        + CommandRoutes.all + GuestAccessRoutes.all + AccessRecordRoutes.all + AdapterRoutes.all + StoreRoutes.all
        + SimulatorRoutes.all

    /// The methods that reach an endpoint; any other is treated as one that no path takes.
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
        // A middleware is around the routes that come after it: here, around none, and so around what is not found.
        let unknownLog = RequestLog(services, method: "other", route: "unknown")
        router.add(middleware: UnknownPath(unknownLog))
        return GatewayResponder(router: router.buildResponder(), services: services, unknownLog: unknownLog)
    }
}
