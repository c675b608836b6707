// tries: keep or regain capabilities
// must: play on
// walls: seccomp, user
#include "lib.h"

int main(void)
{
    struct { uint32_t version; int pid; } head = {0x20080522, 0};
    struct { uint32_t effective, permitted, inheritable; } all[2] = {{~0u, ~0u, ~0u}, {~0u, ~0u, ~0u}}, none[2] = {};
    ask();
    tried();
    attempt("all", syscall(SYS_capset, &head, all));
    attempt("none", syscall(SYS_capset, &head, none));
    if (!syscall(SYS_capget, &head, none) && (none[0].effective | none[0].permitted | none[1].permitted))
        got("it has capabilities");
    for (int which = 0; which < 41; which++)
        if (prctl(PR_CAPBSET_READ, which, 0, 0, 0) == 1)
            got("a capability it could gain");
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 || prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 2)
        got("new rights are not ruled out");
    play_on();
}
