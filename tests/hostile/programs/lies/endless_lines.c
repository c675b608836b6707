// tries: send lines forever while it is the others' turn
// must: extra or illegal or garbage or crash
// walls: referee, output limits
#include "lib.h"

int main(void)
{
    ask();
    tried();
    for (;;)
        play();
}
