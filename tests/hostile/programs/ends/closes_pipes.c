// tries: close its output, its input or its log, and compute forever
// must: crash or time
// walls: kernel's word, referee
// each: 0 1 2 01 10 12 012 210
#include "lib.h"

int main(int argc, char **argv)
{
    ask();
    tried();
    for (char *fd = argv[2]; *fd; fd++)
        close(*fd - '0');
    for (;;)
        ;
}
