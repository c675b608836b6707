// tries: open sockets from C, with flags and protocols that filters forget
// must: play on
// walls: seccomp, namespaces
#include "lib.h"

int main(void)
{
    ask();
    tried();
    for (int family = 0; family < 64; family++)
        for (int flags = 0; flags < 2; flags++) {
            int kind = 1 | (flags ? 02004000 : 0), pair[2];
            if (syscall(SYS_socket, family, kind, 0) >= 0 || syscall(SYS_socket, family, 3, 255) >= 0 ||
                syscall(SYS_socket, 0xff00000000L | family, kind, 0) >= 0)
                got("a socket");
            if (!syscall(SYS_socketpair, family, kind, 0, pair))
                got("a pair of sockets");
        }
    play_on();
}
