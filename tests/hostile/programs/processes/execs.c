// tries: execute one of the host's programs, none of which should exist
// must: play on
// walls: root
#include "lib.h"

int main(void)
{
    char *programs[] = {"/usr/bin/perl", "/usr/bin/id", "/bin/ls", "/bin/mount",
                        "/usr/bin/su", "/usr/bin/sudo", "/usr/bin/gcc", "/sbin/ldconfig", "/usr/bin/bwrap", 0};
    ask();
    tried();
    for (char **program = programs; *program; program++)
        if (access(*program, X_OK) == 0)
            got(*program);
    play_on();
}
