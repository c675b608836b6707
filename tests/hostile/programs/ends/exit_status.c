// tries: exit from C with a status that looks like one from the kernel
// must: crash; not saying "killed from outside"
// walls: kernel's word
// each: 0 1 86 87 88 127 128 137 159 193 255
#include "lib.h"

int main(int argc, char **argv)
{
    ask();
    tried();
    _exit(atoi(argv[2]));
}
