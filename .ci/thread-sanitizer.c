// Reports the locking of Swift's Mutex on Linux to the thread sanitizer.
//
// The kernel passes a contended lock to the next thread (FUTEX_LOCK_PI), in a library that isn't instrumented. So the
// sanitizer sees neither the release nor the acquisition, and reports accesses under the lock as data races. These two
// functions are loaded before the library's original functions; they call these and report to the sanitizer.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

SWIFT void locked(uint32_t thread, SELF void *mutex) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT void unlocked(SELF void *mutex) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

SWIFT void locked(uint32_t thread, SELF void *mutex) {
    typedef SWIFT void LockFunction(uint32_t, SELF void *);
    static LockFunction *original;
    if (!original) original = (LockFunction *)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
    original(thread, mutex);
    __tsan_acquire(mutex);
}

SWIFT void unlocked(SELF void *mutex) {
    typedef SWIFT void LockFunction(SELF void *);
    static LockFunction *original;
    if (!original) original = (LockFunction *)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
    __tsan_release(mutex);
    original(mutex);
}
