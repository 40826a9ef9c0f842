/* Stands between a program and the C library (LD_PRELOAD): counts the calls that change files below
 * one folder, in this process and all it starts, writes them into a log, and kills the whole
 * process group right before the chosen one. What is set stands in the shared file DYING_CONTROL. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

struct control {
    long armed;         /* 1: count and log */
    long count;
    long at;            /* the call that is not reached; 0: none */
    char root[1000];    /* with its slash at the end */
    char log[1000];
};
static struct control *control;

__attribute__((constructor)) static void attach(void) {
    const char *path = getenv("DYING_CONTROL");
    int file = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0) : -1;
    if (file < 0) return;
    void *found = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    syscall(SYS_close, file);
    if (found != MAP_FAILED) control = found;
}

static int absolute(int folder, const char *path, char *into) {
    char base[64];
    if (path[0] == '/') return snprintf(into, PATH_MAX, "%s", path);
    if (folder == AT_FDCWD) snprintf(base, sizeof base, "/proc/self/cwd");
    else snprintf(base, sizeof base, "/proc/self/fd/%d", folder);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, base, into, PATH_MAX - 1);
    if (length < 0) return -1;
    return (int)length + snprintf(into + length, PATH_MAX - length, "/%s", path);
}

static int behind(int file, char *into) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, into, PATH_MAX - 1);
    if (length < 0) return -1;
    into[length] = 0;
    return (int)length;
}

static int counts(const char *path) {
    return control && control->armed && !strncmp(path, control->root, strlen(control->root));
}

static void tick(void) {
    if (__sync_add_and_fetch(&control->count, 1) == control->at) {
        kill(0, SIGKILL);
        for (;;) pause();
    }
}

static void note(const char *what, const char *path, const char *other) {
    char line[2 * PATH_MAX + 32];
    int length = snprintf(line, sizeof line, "%s\t%s\t%s\n", what, path, other);
    int file = (int)syscall(SYS_openat, AT_FDCWD, control->log,
                            O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return;
    syscall(SYS_write, file, line, length);
    syscall(SYS_close, file);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define ON_FILE(result, name, what, arguments, ...)                     \
    result name(int file, ##__VA_ARGS__) {                              \
        char path[PATH_MAX];                                            \
        int mine = control && control->armed && behind(file, path) >= 0 && counts(path); \
        if (mine) tick();                                               \
        result done = REAL(name) arguments;                             \
        if (mine && done >= 0) note(what, path, "");                    \
        return done;                                                    \
    }
ON_FILE(ssize_t, write, "write", (file, data, size), const void *data, size_t size)
ON_FILE(ssize_t, pwrite64, "write", (file, data, size, at), const void *data, size_t size, off64_t at)
ON_FILE(ssize_t, writev, "write", (file, parts, count), const struct iovec *parts, int count)
ON_FILE(int, ftruncate64, "write", (file, size), off64_t size)
ON_FILE(int, fsync, "sync", (file))
ON_FILE(int, fdatasync, "sync", (file))

#define ON_PATH(name, what, folder, arguments, ...)                     \
    int name(__VA_ARGS__) {                                             \
        char full[PATH_MAX];                                            \
        int mine = control && control->armed && absolute(folder, path, full) >= 0 && counts(full); \
        if (mine) tick();                                               \
        int done = REAL(name) arguments;                                \
        if (mine && done >= 0) note(what, full, "");                    \
        return done;                                                    \
    }
ON_PATH(unlink, "unlink", AT_FDCWD, (path), const char *path)
ON_PATH(unlinkat, "unlink", folder, (folder, path, flags), int folder, const char *path, int flags)
ON_PATH(rmdir, "rmdir", AT_FDCWD, (path), const char *path)
ON_PATH(mkdir, "mkdir", AT_FDCWD, (path, mode), const char *path, mode_t mode)
ON_PATH(mkdirat, "mkdir", folder, (folder, path, mode), int folder, const char *path, mode_t mode)

#define ON_TWO(name, what, one, other, arguments, ...)                  \
    int name(__VA_ARGS__) {                                             \
        char from[PATH_MAX], to[PATH_MAX];                              \
        int mine = control && control->armed && absolute(one, old, from) >= 0 && \
                   absolute(other, new, to) >= 0 && (counts(from) || counts(to)); \
        if (mine) tick();                                               \
        int done = REAL(name) arguments;                                \
        if (mine && done >= 0) note(what, from, to);                    \
        return done;                                                    \
    }
ON_TWO(rename, "rename", AT_FDCWD, AT_FDCWD, (old, new), const char *old, const char *new)
ON_TWO(renameat, "rename", a, b, (a, old, b, new), int a, const char *old, int b, const char *new)
ON_TWO(link, "link", AT_FDCWD, AT_FDCWD, (old, new), const char *old, const char *new)
ON_TWO(linkat, "link", a, b, (a, old, b, new, flags),
       int a, const char *old, int b, const char *new, int flags)

#define ON_OPEN(name, folder, before, ...)                              \
    int name(__VA_ARGS__, ...) {                                        \
        mode_t mode = 0;                                                \
        if (flags & (O_CREAT | O_TMPFILE)) {                            \
            va_list rest;                                               \
            va_start(rest, flags);                                      \
            mode = va_arg(rest, mode_t);                                \
            va_end(rest);                                               \
        }                                                               \
        char full[PATH_MAX];                                            \
        int mine = control && control->armed && (flags & (O_CREAT | O_TRUNC)) && \
                   absolute(folder, path, full) >= 0 && counts(full);   \
        int fresh = mine && (flags & O_CREAT) &&                        \
                    syscall(SYS_faccessat, AT_FDCWD, full, F_OK) != 0;  \
        mine = mine && (fresh || (flags & O_TRUNC));                    \
        if (mine) tick();                                               \
        int done = REAL(name)(before path, flags, mode);                \
        if (mine && done >= 0) note(fresh ? "create" : "write", full, ""); \
        return done;                                                    \
    }
#define NOTHING
#define FOLDER folder,
ON_OPEN(open, AT_FDCWD, NOTHING, const char *path, int flags)
ON_OPEN(open64, AT_FDCWD, NOTHING, const char *path, int flags)
ON_OPEN(openat, folder, FOLDER, int folder, const char *path, int flags)
ON_OPEN(openat64, folder, FOLDER, int folder, const char *path, int flags)
