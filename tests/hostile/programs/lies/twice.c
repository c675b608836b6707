// tries: send each answer twice, in two writes
// must: extra
// walls: referee
#include "lib.h"

int main(void)
{
    ask();
    tried();
    for (;;) {
        play();
        play();
        ask();
    }
}
