extension CatalogueStore {
    /// Ends a run: joins memberships, asks the guard, sweeps, prunes ghosts; all in one transaction.
    ///
    /// - Parameter check: called last in the transaction; where it throws, nothing was written.
    package func finish(_ request: FinishRequest, check: () throws -> Void = {}) throws -> FinishReport {
        try write { db in
            let log = try ChangeLog(self, db, run: request.run, isLoading: request.loaded != nil)
            let report = try Deleter(log: log, request: request).finish()
            if let partner = request.loaded { try LoadEntry(log: log, partner: partner).renew() }
            try check()
            return report
        }
    }
}
