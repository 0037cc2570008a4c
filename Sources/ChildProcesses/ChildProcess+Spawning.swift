import Foundation

extension ChildProcess {
    /// Starts a program with `posix_spawn`, which sets the child's files, signals and process group.
    ///
    /// - Parameter streams: The standard input, output and error, in this order.
    /// - Returns: The child's process id.
    static func spawn(
        _ program: String, _ arguments: [String], environment: [String: String]?, _ streams: [ChildStream],
        group: ChildGroup
    ) throws(Failure) -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        func check(_ code: Int32) throws(Failure) {
            if code != 0 { throw Failure(program: program, code: code) }
        }
        for (number, stream) in streams.enumerated() {
            let target = Int32(number), isInput = number == 0
            switch stream {
            case .inherited:
                #if canImport(Darwin)
                    try check(posix_spawn_file_actions_addinherit_np(&actions, target))
                #endif
            case .nothing:
                try check(
                    posix_spawn_file_actions_addopen(
                        &actions, target, "/dev/null", isInput ? O_RDONLY : O_WRONLY, 0))
            case .file(let path):
                try check(
                    posix_spawn_file_actions_addopen(
                        &actions, target, path, isInput ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC, 0o600))
            case .handle, .pipe:
                let source = stream.handle(asInput: isInput)?.fileDescriptor ?? -1
                try check(posix_spawn_file_actions_adddup2(&actions, source, target))
            }
        }
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t(), usual = sigset_t()
        sigemptyset(&none)
        sigemptyset(&usual)
        for signal in [SIGINT, SIGTERM, SIGPIPE, SIGCHLD] { sigaddset(&usual, signal) }
        // Dispatch's threads block nearly all signals, and a child inherits the mask.
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        switch group {
        case .shared: break
        // The new group's id is the child's id, because `pgroup` is 0 by default.
        case .own: flags |= POSIX_SPAWN_SETPGROUP
        case .session:
            #if canImport(Darwin)
                flags |= POSIX_SPAWN_SETSID
            #else
                // POSIX_SPAWN_SETSID, which the C library's module doesn't export to Swift.
                flags |= 0x80
            #endif
        }
        #if canImport(Darwin)
            flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
            for descriptor in openDescriptors() where descriptor > 2 {
                try check(posix_spawn_file_actions_addclose(&actions, descriptor))
            }
        #endif
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var id: pid_t = 0
        let code = withCStrings([program] + arguments) { arguments in
            guard let environment else {
                return posix_spawnp(&id, program, &actions, &attributes, arguments, environ)
            }
            return withCStrings(environment.map { "\($0.key)=\($0.value)" }) {
                posix_spawnp(&id, program, &actions, &attributes, arguments, $0)
            }
        }
        try check(code)
        return id
    }

    #if !canImport(Darwin)
        /// The open file descriptors of this process, to be closed in the child.
        ///
        /// Most are closed on exec anyway. If another thread closes one in the meantime, closing it in the child has no
        /// effect.
        private static func openDescriptors() -> [Int32] {
            let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            // Without /proc, the descriptors below 1,024.
            return names?.compactMap { Int32($0) } ?? Array(3..<1_024)
        }
    #endif
}

/// Calls a closure with an array of C strings that ends with a null pointer.
private func withCStrings(
    _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32
) -> Int32 {
    var pointers = texts.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return body(&pointers)
}
