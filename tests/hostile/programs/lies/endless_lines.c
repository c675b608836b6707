// tries: answer for ever while the others are asked
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
