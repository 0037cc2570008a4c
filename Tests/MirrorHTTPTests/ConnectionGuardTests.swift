import MirrorHTTP
import Testing

@Suite("The guard of connection addresses")
struct ConnectionGuardTests {
    @Test func aPublicOriginsFilesAreNeverFetchedFromAPrivateAddress() {
        let connections = ConnectionGuard(base: "https://partner.example/api/v1")
        #expect(connections.permits(url: "https://partner.example/api/v1/me", address: "93.184.216.34"))
        #expect(connections.permits(url: "https://cdn.example/a.jpg", address: "93.184.216.35"))
        for address in ["127.0.0.1", "10.0.0.7", "169.254.169.254", "::1", "fe80::1", "not an address"] {
            #expect(!connections.permits(url: "https://cdn.example/a.jpg", address: address))
        }
    }

    @Test func aPrivateOriginsFilesMayBeOnPrivateAddresses() {
        let connections = ConnectionGuard(base: "http://museum.local:8080/api/v1")
        #expect(connections.permits(url: "http://museum.local:8080/api/v1/me", address: "192.168.1.4"))
        #expect(connections.permits(url: "http://files.local/a.jpg", address: "192.168.1.5"))
    }

    @Test func anotherPortOfTheOriginsHostIsAnotherOrigin() {
        let connections = ConnectionGuard(base: "https://partner.example/api/v1")
        #expect(connections.permits(url: "https://partner.example/api/v1/me", address: "93.184.216.34"))
        #expect(!connections.permits(url: "https://partner.example:8443/x", address: "127.0.0.1"))
        #expect(!connections.permits(url: "https://partner.example.evil/x", address: "127.0.0.1"))
    }

    @Test func theOriginsOwnRequestsAreAllowedEvenIfItsAddressChanges() {
        let connections = ConnectionGuard(base: "https://partner.example/api/v1")
        #expect(connections.permits(url: "https://partner.example/api/v1/me", address: "93.184.216.34"))
        #expect(connections.permits(url: "https://partner.example/api/v1/me", address: "10.1.1.1"))
    }
}
